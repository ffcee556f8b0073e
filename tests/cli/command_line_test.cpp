// What holds for every subcommand: help with an example, exit statuses, reports that are written on failure too, and
// the time to start.
#include <gtest/gtest.h>

#include "support/process.h"
#include "support/temporary_folder.h"

namespace ww::testing {
namespace {

const char* const kSubcommands[] = {
#define WW_COMMAND(name) #name,
#include "cli/commands.def"
#undef WW_COMMAND
};

TEST(CommandLine, EverySubcommandHasHelpWithAnExample) {
  const TemporaryFolder folder;
  for (const char* name : kSubcommands) {
    const Outcome outcome = run_command(folder.path(), {name, "--help"}, true);
    EXPECT_EQ(outcome.exit, 0) << name;
    EXPECT_NE(outcome.output.find(std::string("Example:\n  warpwave ") + name), std::string::npos) << outcome.output;
    for (const char* option : {"--json", "--quiet"}) EXPECT_NE(outcome.output.find(option), std::string::npos) << name;
  }
}

TEST(CommandLine, HelpNamesEverySubcommand) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {"--help"}, true);
  EXPECT_EQ(outcome.exit, 0);
  for (const char* name : kSubcommands) EXPECT_NE(outcome.output.find(name), std::string::npos) << name;
}

TEST(CommandLine, NothingAskedIsWrongUsage) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {}, true);
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.errors.find("Usage:"), std::string::npos);
}

TEST(CommandLine, UnknownSubcommandIsReported) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {"upscal"});
  EXPECT_EQ(outcome.exit, 2);
  ASSERT_TRUE(outcome.report.is_object());
  EXPECT_EQ(outcome.report["status"], "error");
  EXPECT_EQ(outcome.report["exit"], 2);
  EXPECT_EQ(outcome.report["error"]["found"], "`upscal`");
  EXPECT_NE(outcome.errors.find("unknown subcommand; found `upscal`, expected one of devices"), std::string::npos);
}

TEST(CommandLine, UnknownOptionIsReported) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {"devices", "--fast"});
  EXPECT_EQ(outcome.exit, 2);
  ASSERT_TRUE(outcome.report.is_object());
  EXPECT_NE(outcome.report["error"]["message"].get<std::string>().find("--fast"), std::string::npos);
  EXPECT_EQ(outcome.report["error"]["fix"], "See `warpwave devices --help`");
}

TEST(CommandLine, DevicesNameWhatIsMissing) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {"devices"});
  EXPECT_EQ(outcome.exit, 0) << outcome.errors;
  ASSERT_TRUE(outcome.report.is_object());
  EXPECT_EQ(outcome.report["status"], "ok");
  EXPECT_TRUE(outcome.report["error"].is_null());
  bool has_nvidia = false;
  for (const auto& device : outcome.report["devices"]) {
    has_nvidia = has_nvidia || device["name"].get<std::string>().starts_with("nvidia");
    if (device["available"]) {
      EXPECT_FALSE(device["description"].get<std::string>().empty()) << device;
    } else {
      EXPECT_FALSE(device["reason"].get<std::string>().empty()) << device;
      EXPECT_FALSE(device["fix"].get<std::string>().empty()) << device;
    }
  }
  EXPECT_TRUE(has_nvidia);
}

TEST(CommandLine, QuietPrintsNothing) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {"devices", "--quiet"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.output + outcome.errors, "");
}

TEST(CommandLine, DevicesStartQuickly) {
  const TemporaryFolder folder;
  const Outcome first = run_command(folder.path(), {"devices"});
  for (const auto& device : first.report["devices"])
    if (device["name"] == "nvidia:0") GTEST_SKIP() << "a GPU's driver takes its own time to start";
  double best = 1.0;
  for (int i = 0; i < 5; ++i) best = std::min(best, run_command(folder.path(), {"devices"}).cpu_seconds);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(best, 0.030) << "seconds of processor time";
#endif
}

TEST(CommandLine, AReportThatCannotBeWrittenIsAnError) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {"devices", "--json", "absent/report.json"}, true);
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.errors.find("absent/report.json"), std::string::npos);
}

}  // namespace
}  // namespace ww::testing
