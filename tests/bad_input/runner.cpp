// One test a row of the tables: the command fails as the row says, and in order.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bad_input/case_table.h"
#include "bad_input/child.h"
#include "bad_input/sandbox.h"
#include "support/temporary_folder.h"

namespace ww::bad_input {
namespace {

const std::string kCommand = WARPWAVE_BINARY_DIR "/bin/warpwave";

class BadInput : public ::testing::Test {
 public:
  explicit BadInput(Case c) : case_(std::move(c)) {}

  void TestBody() override {
    for (const std::string& device : case_.needs)
      if (!std::filesystem::exists(WARPWAVE_BINARY_DIR "/lib/libwarpwave-" + device + ".so"))
        GTEST_SKIP() << "the back end " << device << " is not built";
    const testing::TemporaryFolder folder;
    for (const nlohmann::json& step : case_.setup) ASSERT_NO_THROW(do_step(folder.path(), step)) << step;
    const Outcome outcome = run_child(case_, kCommand, folder.path());
    if (!outcome.skipped.empty()) GTEST_SKIP() << outcome.skipped;
    EXPECT_FALSE(outcome.timed_out) << "the command hangs";
    EXPECT_EQ(outcome.signal, 0) << "the command crashed: " << outcome.errors;
    EXPECT_EQ(outcome.exit, case_.exit) << outcome.errors;
    for (const std::string& words : case_.words)
      EXPECT_NE(outcome.errors.find(words), std::string::npos) << "'" << words << "' is not in: " << outcome.errors;
    EXPECT_EQ(leftovers(folder.path()), "");
    for (const std::string& file : case_.keeps) EXPECT_EQ(check_whole(folder.file(file)), "");
    check_report(folder.file("report.json"));
  }

 private:
  void check_report(const std::string& path) const {
    std::ifstream file(path);
    const nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(report.is_object()) << "no report";
    EXPECT_EQ(report.value("exit", -1), case_.exit);
    EXPECT_EQ(report.value("status", ""), case_.exit == 0 ? "ok" : "error");
    if (case_.exit == 0) return;
    ASSERT_TRUE(report.contains("error") && report["error"].is_object());
    const auto& error = report["error"];
    EXPECT_TRUE(error.contains("message") && !error["message"].get<std::string>().empty());
    if (case_.no_fix || case_.exit == 130) return;
    EXPECT_TRUE(error.contains("fix") && error["fix"].is_string()) << "the message has no remedy: " << error;
  }

  Case case_;
};

}  // namespace
}  // namespace ww::bad_input

int main(int argc, char** argv) {
  for (const ww::bad_input::Case& c : ww::bad_input::read_cases(WARPWAVE_SOURCE_DIR "/tests/bad_input"))
    ::testing::RegisterTest(("BadInput_" + c.table).c_str(), c.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [c]() -> ::testing::Test* { return new ww::bad_input::BadInput(c); });
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
