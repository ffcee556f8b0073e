// --trace and --trace-thread of the command: files, refusals, warnings. What the lines say is
// tests/sim's matter.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace ww::testing {
namespace {

constexpr std::string_view kModule = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry index(.param .u64 out) {
.reg .b32 %r;
mov.u32 %r, %tid.x;
ret;
}
.visible .entry wild(.param .u64 out) {
.reg .b32 %r;
.reg .b64 %d;
mov.u64 %d, 4096;
ld.global.u32 %r, [%d];
ret;
}
)";

class TraceOption : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_file(folder_.file("m.ptx"), kModule).ok()); }

  // `entry` with two blocks of 34 threads.
  Outcome run(const std::string& entry, const std::vector<std::string>& more, const std::string& device = "sim") {
    std::vector<std::string> words{"run",     "m.ptx", "--entry",  entry,  "--grid", "2",
                                   "--block", "34",    "--device", device, "--arg",  "out:4:out.bin"};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(folder_.path(), words);
  }
  std::string trace() const {
    const auto bytes = read_file(folder_.file("t.txt"));
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : bytes.error().to_string();
  }
  bool has_temporary_files() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (entry.path().string().find(".part-") != std::string::npos) return true;
    return false;
  }

  TemporaryFolder folder_;
};

TEST_F(TraceOption, WritesTheThreadsThatAreNamed) {
  const Outcome outcome =
      run("index", {"--trace", "t.txt", "--trace-thread", "1,0,0:33,0,0", "--trace-thread", "0,0,0:2,0,0"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_EQ(trace(),
            "m.ptx:6: in index: thread (2,0,0) of block (0,0,0): mov.u32 %r, %tid.x;  -> 0x2\n"
            "m.ptx:7: in index: thread (2,0,0) of block (0,0,0): ret;\n"
            "m.ptx:6: in index: thread (33,0,0) of block (1,0,0): mov.u32 %r, %tid.x;  -> 0x21\n"
            "m.ptx:7: in index: thread (33,0,0) of block (1,0,0): ret;\n");
  EXPECT_FALSE(has_temporary_files());
}

TEST_F(TraceOption, WritesTheFirstThreadUnlessOneIsNamed) {
  ASSERT_EQ(run("index", {"--trace", "t.txt"}).exit, 0);
  EXPECT_EQ(trace(),
            "m.ptx:6: in index: thread (0,0,0) of block (0,0,0): mov.u32 %r, %tid.x;  -> 0x0\n"
            "m.ptx:7: in index: thread (0,0,0) of block (0,0,0): ret;\n");
}

TEST_F(TraceOption, IsWholeAfterAFault) {
  ASSERT_TRUE(write_file(folder_.file("t.txt"), std::string_view("an old trace")).ok());
  const Outcome outcome = run("wild", {"--trace", "t.txt"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.report["error"]["line"], 13);
  EXPECT_EQ(trace(),
            "m.ptx:12: in wild: thread (0,0,0) of block (0,0,0): mov.u64 %d, 4096;  -> 0x1000\n"
            "m.ptx:13: in wild: thread (0,0,0) of block (0,0,0): ld.global.u32 %r, [%d];\n");
  EXPECT_FALSE(has_temporary_files());
}

TEST_F(TraceOption, GoesToAnOpenFileDirectly) {
  const Outcome outcome = run("index", {"--quiet", "--trace", "/dev/fd/1"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("mov.u32 %r, %tid.x;  -> 0x0\n"), std::string::npos) << outcome.output;
}

TEST_F(TraceOption, RefusesAThreadThatCannotBeRead) {
  for (const char* thread :
       {"0,0,0", "0,0,0:1,0", "0,0,0:-1,0,0", "0,0,0:1,0,0 ", "0,0:1,0,0", "a,0,0:1,0,0", "0,0,0:4294967296,0,0"}) {
    const Outcome outcome = run("index", {"--trace", "t.txt", "--trace-thread", thread});
    EXPECT_EQ(outcome.exit, 2) << thread;
    ASSERT_TRUE(outcome.report["error"].is_object()) << thread;
    EXPECT_EQ(outcome.report["error"]["found"], std::string("--trace-thread ") + thread);
    EXPECT_EQ(outcome.report["error"]["expected"], "X,Y,Z:X,Y,Z, such as 0,0,0:5,0,0");
    EXPECT_FALSE(std::filesystem::exists(folder_.file("t.txt"))) << thread;
  }
}

TEST_F(TraceOption, WarnsOfAThreadThatRanNothing) {
  for (const char* thread : {"2,0,0:0,0,0", "0,0,0:34,0,0", "0,0,0:0,1,0"}) {
    const Outcome outcome =
        run("index", {"--trace", "t.txt", "--trace-thread", "1,0,0:0,0,0", "--trace-thread", thread});
    EXPECT_EQ(outcome.exit, 0) << outcome.errors;
    EXPECT_NE(outcome.errors.find(std::string("--trace-thread ") + thread +
                                  ": this thread ran nothing. Choose one inside of the launch's grid and block"),
              std::string::npos)
        << outcome.errors;
    EXPECT_EQ(outcome.errors.find("1,0,0:0,0,0"), std::string::npos) << outcome.errors;
  }
}

TEST_F(TraceOption, RefusesAFileThatCannotBeWritten) {
  const Outcome outcome = run("index", {"--trace", "absent/t.txt"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.errors.find("absent/t.txt: cannot write: No such file or directory. Make the folder first"),
            std::string::npos)
      << outcome.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out.bin"))) << "it is known before the launch";
  const Outcome full = run("index", {"--trace", "/dev/full"});
  EXPECT_EQ(full.exit, 1);
  EXPECT_NE(full.errors.find("/dev/full: cannot write: No space left on device"), std::string::npos) << full.errors;
}

TEST_F(TraceOption, IsRefusedWhereItWouldDoNothing) {
  const Outcome cpu = run("index", {"--trace", "t.txt"}, "cpu");
  EXPECT_EQ(cpu.exit, 2);
  EXPECT_EQ(cpu.report["error"]["found"], "--trace with --device cpu");
  EXPECT_EQ(cpu.report["error"]["expected"], "--device sim");
  const Outcome alone = run("index", {"--trace-thread", "0,0,0:0,0,0"});
  EXPECT_EQ(alone.exit, 2);
  EXPECT_EQ(alone.report["error"]["fix"], "Add --trace FILE");
}

}  // namespace
}  // namespace ww::testing
