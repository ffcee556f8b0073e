// On cpu and sim no outcome appears that the PTX memory model forbids; and the harness sees reorderings where there are
// any. (sim runs one instruction after the other: all that it gives is sequentially consistent.)
#include "litmus/litmus.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "device/registry.h"

namespace ww::litmus {
namespace {

constexpr Place kPlaces[] = {Place::kBlocks, Place::kWideBlocks, Place::kWarps, Place::kLanes};

std::vector<std::string> scopes_of(Place place) {
  if (place == Place::kBlocks || place == Place::kWideBlocks) return {"gpu", "sys"};
  return {"cta", "gpu", "sys"};
}

std::unique_ptr<Device> open(const std::string& name, DeviceOptions options) {
  auto device = open_device(name, options);
  EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().to_string());
  return device.ok() ? std::move(*device) : nullptr;
}

void expect_nothing_forbidden(Device& device, const Test& test, Place place, const std::string& scope, uint64_t count) {
  const auto histogram = run(device, test, place, scope, count, 1);
  ASSERT_TRUE(histogram.ok()) << test.name << ": " << histogram.error().to_string();
  uint64_t total = 0;
  for (const auto& [outcome, times] : *histogram) {
    total += times;
    if (test.forbidden != nullptr)
      EXPECT_FALSE(test.forbidden(outcome)) << test.name << ", " << name_of(place) << ", ." << scope << ": "
                                            << describe(outcome) << ", " << times << " times. " << test.reason;
  }
  EXPECT_GE(total, count) << test.name;
}

class OnCpu : public testing::TestWithParam<Test> {};

TEST_P(OnCpu, NothingForbidden) {
  DeviceOptions options;
  options.threads = std::max(2u, std::min(4u, std::thread::hardware_concurrency()));
  const auto device = open("cpu", options);
  ASSERT_NE(device, nullptr);
  for (const Place place : kPlaces)
    for (const std::string& scope : scopes_of(place)) {
      // The scope makes no difference to host code: one of them is run often.
      const bool often = place == Place::kBlocks || place == Place::kWideBlocks;
      expect_nothing_forbidden(*device, GetParam(), place, scope, !often ? 2048 : scope == "gpu" ? 65536 : 8192);
    }
}

class OnSim : public testing::TestWithParam<Test> {};

TEST_P(OnSim, NothingForbidden) {
  for (const uint64_t seed : {0, 1, 2}) {
    DeviceOptions options;
    options.schedule_seed = seed;
    const auto device = open("sim", options);
    ASSERT_NE(device, nullptr);
    for (const Place place : kPlaces)
      expect_nothing_forbidden(*device, GetParam(), place, scopes_of(place).front(), 512);
  }
}

std::string name_of_test(const testing::TestParamInfo<Test>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Litmus, OnCpu, testing::ValuesIn(all_tests()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Litmus, OnSim, testing::ValuesIn(all_tests()), name_of_test);

// Without its fences store buffering shows on x86: were the harness blind to it, the tests above would say nothing.
TEST(Harness, SeesStoreBuffering) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor reorders nothing that it can see itself";
  DeviceOptions options;
  options.threads = 2;
  const auto device = open("cpu", options);
  ASSERT_NE(device, nullptr);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (const char* name : {"SB+relaxed", "SB+release+acquire", "SB+fence.acq_rel"}) {
    const auto found =
        std::find_if(all_tests().begin(), all_tests().end(), [&](const Test& test) { return test.name == name; });
    ASSERT_NE(found, all_tests().end());
    uint64_t seen = 0, seed = 1;
    while (seen == 0 && std::chrono::steady_clock::now() < end) {
      const auto histogram = run(*device, *found, Place::kBlocks, "gpu", 8192, ++seed);
      ASSERT_TRUE(histogram.ok()) << histogram.error().to_string();
      for (const auto& [outcome, times] : *histogram)
        if (outcome.r[0] == 0 && outcome.r[1] == 0) seen += times;
    }
    EXPECT_GT(seen, 0u) << name;
  }
}

}  // namespace
}  // namespace ww::litmus
