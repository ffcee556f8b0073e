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

size_t temporary_files(const TemporaryFolder& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    count += entry.path().string().find(".part-") != std::string::npos ? 1 : 0;
  return count;
}

TEST_P(Interrupt, AFileThatIsBeingWrittenIsRemoved) {
  const TemporaryFolder folder;
  // Thread 1, which is traced, ends at once: the trace is open as long as thread 0 spins, and stays small.
  constexpr std::string_view kSpin = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r;
  mov.u32 %r, %tid.x;
  setp.eq.u32 %p, %r, 1;
  @%p ret;
again:
  bra again;
}
)";
  ASSERT_TRUE(write_file(folder.file("spin.ptx"), kSpin).ok());
  bool was_there = false;
  const Outcome outcome =
      interrupt_command_when(folder.path(),
                             {"run", "spin.ptx", "--entry", "spin", "--block", "2", "--device", "sim", "--arg",
                              "out:4:result", "--trace", "trace.txt", "--trace-thread", "0,0,0:1,0,0"},
                             GetParam(), [&] { return was_there = temporary_files(folder) == 1; });
  EXPECT_TRUE(was_there);
  EXPECT_EQ(outcome.exit, 130) << outcome.errors;
  EXPECT_EQ(temporary_files(folder), 0u);
  EXPECT_FALSE(std::filesystem::exists(folder.file("trace.txt")));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, ::testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& info) {
  return std::string(info.param == SIGINT ? "SIGINT" : info.param == SIGTERM ? "SIGTERM" : "SIGHUP");
});

}  // namespace
}  // namespace ww::testing
