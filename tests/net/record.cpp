// Records what a device makes of the golden frames, for tests/net/devices_test.cpp:
//
//     net-record DEVICE MODEL.json GOLDEN.safetensors OUT
//
// OUT receives the linear RGB of every frame, f32, one after another. Needs no golden file of another device.
#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "device/registry.h"
#include "golden_frames.h"
#include "net/network.h"

namespace ww::net {
namespace {

Status record(const std::string& device_name, const std::string& model_path, const std::string& golden_path,
              const std::string& out_path) {
  WW_ASSIGN(std::unique_ptr<Device> device, open_device(device_name, {}));
  WW_ASSIGN(Model model, load_model(model_path));
  WW_ASSIGN(std::unique_ptr<Network> network, Network::create(*device, std::move(model)));
  WW_ASSIGN(const GoldenFrames golden, GoldenFrames::open(golden_path));
  std::vector<float> all;
  for (int i = 0; i < GoldenFrames::kFrames; ++i) {
    const reference::Inputs in = golden.inputs(i);
    WW_ASSIGN(const Image image, network->upscale(borrow(in)));
    all.insert(all.end(), image.data.begin(), image.data.end());
  }
  std::printf("%s: %zu values on %s\n", out_path.c_str(), all.size(), device->description().c_str());
  return write_file(out_path, std::span(reinterpret_cast<const uint8_t*>(all.data()), all.size() * sizeof(float)));
}

}  // namespace
}  // namespace ww::net

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: net-record DEVICE MODEL.json GOLDEN.safetensors OUT\n");
    return 2;
  }
  const ww::Status status = ww::net::record(argv[1], argv[2], argv[3], argv[4]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  return ww::exit_status(status.error().kind);
}
