// A frame of the network on the cpu device: samples/gallery, 320x180 to 640x360, with the shipped model, on all cores.
// `bench-frame`. Kernels are compiled and two frames run before the clock starts.
#include <benchmark/benchmark.h>

#include <string>

#include "device/host.h"
#include "device/registry.h"
#include "frame/sequence_frames.h"
#include "net/network.h"

namespace {

// Frame 0 of the sample over and over, with history.
ww::Status run_frames(benchmark::State& state, ww::HostIsa isa, ww::Numerics numerics) {
  const std::string root = WARPWAVE_SOURCE_DIR;
  WW_ASSIGN(const auto sequence, ww::frame::read_sequence(root + "/samples/gallery"));
  WW_ASSIGN(const auto planes, ww::frame::load_frame(sequence, 0));
  ww::DeviceOptions options;
  options.host_isa = isa;
  options.numerics = numerics;
  WW_ASSIGN(const auto device, ww::open_device("cpu", options));
  WW_ASSIGN(auto model, ww::net::load_model(root + "/models/upscaler/model.json"));
  WW_ASSIGN(const auto network, ww::net::Network::create(*device, std::move(model)));
  ww::net::FrameInputs inputs;
  inputs.color = &planes.color;
  inputs.depth = &planes.depth;
  inputs.motion = &planes.motion;
  inputs.jitter_x = sequence.frames[0].jitter_x;
  inputs.jitter_y = sequence.frames[0].jitter_y;
  inputs.render = sequence.render;
  inputs.output = sequence.output;
  inputs.depth_convention = sequence.depth;
  for (int i = 0; i < 2; ++i) WW_TRY(network->upscale(inputs));
  for (auto _ : state) WW_TRY(network->upscale(inputs));
  return {};
}

void network_frame(benchmark::State& state, ww::HostIsa isa, unsigned level, ww::Numerics numerics) {
  if (ww::host_level() < level) {
    const std::string reason = "skipped: this processor is x86-64-v" + std::to_string(ww::host_level()) +
                               ", the code needs v" + std::to_string(level);
    state.SkipWithError(reason.c_str());
    return;
  }
  const ww::Status status = run_frames(state, isa, numerics);
  if (!status.ok()) state.SkipWithError(status.error().to_string().c_str());
}

BENCHMARK_CAPTURE(network_frame, v4_fast, ww::HostIsa::kV4, 4, ww::Numerics::kFast)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(network_frame, v4_exact, ww::HostIsa::kV4, 4, ww::Numerics::kExact)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
