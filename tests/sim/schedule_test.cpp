// Every golden case under several orders of warps still gives what an NVIDIA GPU gave. (In order: tests/guests.)
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "golden/golden_file.h"
#include "sim/sim.h"

namespace ww::golden {
namespace {

const PtxFolders kFolders{WARPWAVE_BINARY_DIR "/guest", WARPWAVE_SOURCE_DIR "/tests/data"};

class Schedule : public testing::TestWithParam<GoldenCase> {};

TEST_P(Schedule, ChangesNothing) {
  const GoldenCase& golden = GetParam();
  const auto ptx = read_ptx(kFolders, golden.module);
  ASSERT_TRUE(ptx.ok()) << ptx.error().to_string();
  const auto recorded = read_golden(WARPWAVE_SOURCE_DIR "/tests/golden/" + golden.family + "/" + golden.name + ".bin");
  ASSERT_TRUE(recorded.ok()) << recorded.error().to_string();
  for (const uint64_t seed : {1, 2, 3}) {
    DeviceOptions options;
    options.schedule_seed = seed;
    auto device = sim::open("sim", options);
    ASSERT_TRUE(device.ok());
    const auto outputs = run_case(**device, golden, *ptx);
    ASSERT_TRUE(outputs.ok()) << outputs.error().to_string();
    size_t output = 0;
    for (const Resource& resource : golden.resources) {
      if (!resource.is_output) continue;
      const std::string difference = first_difference(resource.comparison, (*outputs)[output], (*recorded)[output]);
      EXPECT_EQ(difference, "") << "output " << output << ", schedule " << seed;
      ++output;
    }
  }
}

// Whole pictures take long, and their blocks have no barriers.
std::vector<GoldenCase> cases_with_order() {
  std::vector<GoldenCase> cases = all_cases();
  std::erase_if(cases, [](const GoldenCase& golden) { return golden.name.starts_with("scene_"); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, Schedule, testing::ValuesIn(cases_with_order()),
                         [](const testing::TestParamInfo<GoldenCase>& info) { return info.param.name; });

}  // namespace
}  // namespace ww::golden
