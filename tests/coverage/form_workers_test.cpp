// Workers that crash or hang at one form lose that form alone. This program is its own worker.
#include "coverage/form_workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ww::coverage {
namespace {

const std::vector<std::string> kForms = {"add.s16", "add.s32", "add.u16", "add.u32", "sub.s16", "sub.s32"};

// Worker k of n.
std::vector<FormKernel> forms_of(unsigned k, unsigned n) {
  unsigned number = 0;
  return form_kernels([&](const Form& form) {
    return std::find(kForms.begin(), kForms.end(), form.name) != kForms.end() && number++ % n == k;
  });
}

// Prints the name of each form it is done with; what befalls it at one is in the command: `crash`, `hang` or `lose`,
// and the form's name; or `late` and a folder: each worker's first two processes end before their first form; `never`:
// all processes do.
int work(int argc, char** argv) {
  const std::string what = argv[1], where = argv[2];
  unsigned k = 0, n = 1;
  std::string from, code;
  for (int i = 3; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--worker") == 0) std::sscanf(argv[i + 1], "%u/%u", &k, &n);
    if (std::strcmp(argv[i], "--from") == 0) from = argv[i + 1];
    if (std::strcmp(argv[i], "--machine-code") == 0) code = argv[i + 1];
  }
  if (what == "never") return 1;
  if (what == "late") {
    unsigned starts = 0;
    const std::string count = where + "/" + std::to_string(k);
    std::ifstream(count) >> starts;
    std::ofstream(count) << starts + 1;
    if (starts < 2) return 1;
  }
  bool begun = false;
  for (const FormKernel& form : forms_of(k, n)) {
    begun = begun || form.form.name == from;
    if (!begun) continue;
    const bool assembled = form.form.name == from && !code.empty();
    announce(assembled ? Step::kRun : Step::kCompile, form.form);
    if (form.form.name == where && !assembled) {
      if (what == "crash") std::raise(SIGKILL);  // SIGSEGV without a core file
      if (what == "hang") pause();
      if (what == "lose") return kDeviceLost;
    }
    std::printf("done %s%s\n", form.form.name.c_str(), assembled ? " from machine code" : "");
    std::fflush(stdout);
  }
  announce_end();
  return 0;
}

// All forms but one ("": none) are done, each once; what was written about it.
std::string run_with(const std::string& what, const std::string& where, const std::string& lost,
                     const std::string& assembler = "", const std::string& note = "") {
  WorkerPlan plan;
  plan.command = {"test-coverage-workers", what, where};
  plan.workers = 2;
  plan.seconds = what == "hang" ? 8 : 60;  // more than a busy machine takes to start a worker
  plan.assembler = assembler;
  plan.forms = [](unsigned worker) { return forms_of(worker, 2); };
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const bool well = run_workers(plan);
  std::string done = testing::internal::GetCapturedStdout();
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_EQ(well, what == "nothing" || what == "late");
  for (const std::string& name : kForms) {
    const std::string line = "done " + name + (name == where ? note : "") + "\n";
    const size_t at = done.find(line);
    EXPECT_EQ(at == std::string::npos, name == lost || what == "never") << name << " in\n" << done;
    if (at != std::string::npos) done.erase(at, line.size());
  }
  EXPECT_EQ(done, "");
  return errors;
}

TEST(FormWorkers, DoAllForms) {
  EXPECT_EQ(run_with("nothing", "-", ""), "");
}

TEST(FormWorkers, GoOnBehindACrash) {
  EXPECT_EQ(run_with("crash", "add.u16", "add.u16"), "add.u16: crash while it was compiled: signal 9\n");
  EXPECT_EQ(run_with("crash", "sub.s32", "sub.s32"), "sub.s32: crash while it was compiled: signal 9\n");
}

TEST(FormWorkers, StartAgainWhatEndsBeforeItsFirstForm) {
  const std::string folder = testing::TempDir() + "form-workers-late-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  EXPECT_EQ(run_with("late", folder, ""), "");
  std::filesystem::remove_all(folder);
}

TEST(FormWorkers, TellOfFormsThatNoWorkerCouldBegin) {
  const std::string errors = run_with("never", "-", "");
  EXPECT_NE(errors.find("worker 0 can't start at add.u16: 3 forms are lost\n"), std::string::npos) << errors;
  EXPECT_NE(errors.find("worker 1 can't start at add.u32: 3 forms are lost\n"), std::string::npos) << errors;
}

TEST(FormWorkers, EndAFormThatHangs) {
  EXPECT_EQ(run_with("hang", "add.s32", "add.s32"), "add.s32: nothing happened for too long while it was compiled\n");
}

TEST(FormWorkers, GoOnBehindALostDevice) {
  EXPECT_EQ(run_with("lose", "add.s32", "add.s32"), "");  // the worker has told
}

TEST(FormWorkers, TakeMachineCodeOfWhatCrashedTheCompiler) {
  const std::string folder = testing::TempDir() + "form-workers-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string assembler = folder + "/assembler";
  std::ofstream(assembler) << "#!/bin/sh\ncp \"$2\" \"$4\"\n";
  std::filesystem::permissions(assembler, std::filesystem::perms::owner_all);
  EXPECT_EQ(run_with("crash", "add.u16", "", assembler, " from machine code"),
            "add.u16: crash while it was compiled: signal 9\n");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ww::coverage

int main(int argc, char** argv) {
  if (argc > 3 && std::strcmp(argv[3], "--worker") == 0) return ww::coverage::work(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
