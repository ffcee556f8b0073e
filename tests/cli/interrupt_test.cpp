// Ctrl-C and its kin: work that asks ends in order, work that does not is cut off; ignored signals stay ignored.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string_view>

#include "base/files.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace ww::testing {
namespace {

class Interrupt : public ::testing::TestWithParam<int> {};

const std::vector<std::string> kScene = {"scene",    "soup", "-o",        "out", "--device", "sim",
                                         "--render", "8x8",  "--samples", "0",   "--frames", "3"};

TEST_P(Interrupt, LongWorkEndsBetweenSteps) {
  const TemporaryFolder folder;
  const Outcome outcome = interrupt_command(folder.path(), kScene, GetParam(), false);
  EXPECT_EQ(outcome.exit, 130) << outcome.errors;
  EXPECT_EQ(outcome.errors, "warpwave: interrupted\n");
  EXPECT_EQ(outcome.report["exit"], 130);
  EXPECT_EQ(outcome.report["error"]["message"], "interrupted");
  EXPECT_FALSE(std::filesystem::exists(folder.file("out/sequence.json")));
}

TEST_P(Interrupt, AnIgnoredSignalChangesNothing) {
  const TemporaryFolder folder;
  const Outcome outcome = interrupt_command(folder.path(), kScene, GetParam(), true);
  EXPECT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/sequence.json")));
}

TEST_P(Interrupt, WorkThatNeverEndsIsCutOff) {
  const TemporaryFolder folder;
  constexpr std::string_view kSpin = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 out) {
again:
  bra again;
}
)";
  ASSERT_TRUE(write_file(folder.file("spin.ptx"), kSpin).ok());
  const Outcome outcome = interrupt_command(
      folder.path(),
      {"run", "spin.ptx", "--entry", "spin", "--grid", "1", "--block", "1", "--device", "sim", "--arg", "out:4:result"},
      GetParam(), false);
  EXPECT_EQ(outcome.exit, 130) << outcome.errors;
  EXPECT_EQ(outcome.errors, "warpwave: interrupted\n");
  EXPECT_EQ(outcome.report["status"], "error");
  EXPECT_EQ(outcome.report["exit"], 130);
  EXPECT_EQ(outcome.report["error"]["message"], "interrupted");
  EXPECT_FALSE(std::filesystem::exists(folder.file("result")));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, ::testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& info) {
  return std::string(info.param == SIGINT ? "SIGINT" : info.param == SIGTERM ? "SIGTERM" : "SIGHUP");
});

}  // namespace
}  // namespace ww::testing
