// Sequences of two sizes upscaled in turns in one process: the memory that the process holds does not grow.
#include <unistd.h>

#include <cstdio>

#include "device/registry.h"
#include "golden.h"
#include "net/network.h"

namespace ww::net {
namespace {

// Bytes of this process that are in memory now (proc(5), statm); -1: unknown.
int64_t resident_bytes() {
  long total = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return -1;
  const bool read = std::fscanf(file, "%ld %ld", &total, &resident) == 2;
  std::fclose(file);
  return read ? resident * sysconf(_SC_PAGESIZE) : -1;
}

// A frame of `render` to twice its size: a ramp, everything at rest.
reference::Inputs ramp(Size render, bool reset) {
  reference::Inputs in;
  in.color = Image(render.width, render.height, 3);
  for (size_t i = 0; i < in.color.data.size(); ++i) in.color.data[i] = static_cast<float>(i % 251) / 251.0f;
  in.depth = Image(render.width, render.height, 1, 0.1f);
  in.motion = Image(render.width, render.height, 2, 0.0f);
  in.reset = reset;
  in.output = {2 * render.width, 2 * render.height};
  return in;
}

class FlatMemory : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps what was freed: the process grows by that";
#endif
    DeviceOptions options;
    options.numerics = Numerics::kFast;
    auto device = open_device("cpu", options);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    device_ = std::move(*device);
  }

  std::unique_ptr<Network> network() {
    auto network = Network::create(*device_, shipped_model());
    EXPECT_TRUE(network.ok()) << (network.ok() ? "" : network.error().to_string());
    return network.ok() ? std::move(*network) : nullptr;
  }

  // Growth over kTurns calls of `turn` after kFirst, in which buffers and thread stacks come into being.
  template <typename Turn>
  void expect_flat(const Turn& turn) {
    for (int i = 0; i < kFirst; ++i) turn();
    const int64_t before = resident_bytes();
    ASSERT_GT(before, 0);
    for (int i = 0; i < kTurns; ++i) turn();
    EXPECT_LT(resident_bytes() - before, kAllowed) << "over " << kTurns << " turns";
  }

  void upscale(Network& network, Size render, bool reset) {
    const reference::Inputs in = ramp(render, reset);
    const auto image = network.upscale(borrow(in));
    ASSERT_TRUE(image.ok()) << image.error().to_string();
  }

  // The smallest buffer of the larger sequence, a depth a token (57,600 bytes), lost once a turn, would show.
  static constexpr int kFirst = 4, kTurns = 40;
  static constexpr int64_t kAllowed = 2'000'000;
  static constexpr Size kLarge{160, 90}, kSmall{96, 54};

  std::unique_ptr<Device> device_;
};

TEST_F(FlatMemory, OneNetworkThatChangesItsSizes) {
  const auto network = this->network();
  ASSERT_NE(network, nullptr);
  expect_flat([&] {
    upscale(*network, kLarge, true);
    upscale(*network, kLarge, false);
    upscale(*network, kSmall, true);
  });
}

TEST_F(FlatMemory, TwoNetworksWithAHistoryEach) {
  const auto large = network(), small = network();
  ASSERT_NE(large, nullptr);
  ASSERT_NE(small, nullptr);
  bool first = true;
  expect_flat([&] {
    upscale(*large, kLarge, first);
    upscale(*small, kSmall, first);
    first = false;
  });
}

}  // namespace
}  // namespace ww::net
