// Network frames across devices, exact numerics: sim, cpu at every level that this host has, and an H200 (recorded by
// net-record on 2026-12-02) agree to the bit. The plain C++ network judges the layers themselves (network_test.cpp).
#include <cstring>

#include "base/files.h"
#include "device/host.h"
#include "device/registry.h"
#include "frame/metrics.h"
#include "golden.h"
#include "net/network.h"

namespace ww::net {
namespace {

std::vector<Image> frames_on(const std::string& name, HostIsa isa) {
  DeviceOptions options;
  options.host_isa = isa;
  auto device = open_device(name, options);
  EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().to_string());
  std::vector<Image> frames;
  if (!device.ok()) return frames;
  auto network = Network::create(**device, shipped_model());
  EXPECT_TRUE(network.ok()) << (network.ok() ? "" : network.error().to_string());
  if (!network.ok()) return frames;
  const Golden golden;
  for (int i = 0; i < Golden::kFrames; ++i) {
    const reference::Inputs in = golden.inputs(i);
    auto image = (*network)->upscale(borrow(in));
    EXPECT_TRUE(image.ok()) << (image.ok() ? "" : image.error().to_string());
    if (image.ok()) frames.push_back(std::move(*image));
  }
  return frames;
}

void expect_same_bits(const std::vector<Image>& found, const std::vector<Image>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(std::memcmp(found[i].data.data(), expected[i].data.data(), found[i].data.size() * sizeof(float)), 0)
        << what << ", frame " << i << ", largest difference " << frame::largest_difference(found[i], expected[i]);
}

const std::vector<Image>& on_sim() {
  static const std::vector<Image> frames = frames_on("sim", HostIsa::kNative);
  return frames;
}

TEST(NetworkOnDevices, SimGivesTheBitsOfTheH200) {
  auto bytes = read_file(std::string(WARPWAVE_SOURCE_DIR) + "/tests/net/data/h200_frames.bin");
  ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
  const std::vector<Image>& frames = on_sim();
  ASSERT_EQ(frames.size(), static_cast<size_t>(Golden::kFrames));
  const size_t size = frames[0].data.size() * sizeof(float);
  ASSERT_EQ(bytes->size(), frames.size() * size);
  std::vector<Image> recorded = frames;
  for (size_t i = 0; i < recorded.size(); ++i) std::memcpy(recorded[i].data.data(), bytes->data() + i * size, size);
  expect_same_bits(frames, recorded, "sim");
}

#ifdef WARPWAVE_HAS_CPU
class NetworkOnCpu : public ::testing::TestWithParam<std::pair<HostIsa, unsigned>> {};

TEST_P(NetworkOnCpu, GivesTheBitsOfSim) {
  const auto [isa, level] = GetParam();
  if (host_level() < level)
    GTEST_SKIP() << "this processor is x86-64-v" << host_level() << ", the code needs v" << level;
  expect_same_bits(frames_on("cpu", isa), on_sim(), "cpu");
}

INSTANTIATE_TEST_SUITE_P(Levels, NetworkOnCpu,
                         ::testing::Values(std::pair{HostIsa::kV2, 2u}, std::pair{HostIsa::kV3, 3u},
                                           std::pair{HostIsa::kV4, 4u}),
                         [](const auto& level) { return "v" + std::to_string(level.param.second); });
#endif

}  // namespace
}  // namespace ww::net
