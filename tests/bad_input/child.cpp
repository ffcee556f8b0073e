#include "bad_input/child.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace ww::bad_input {
namespace {

constexpr int kTimeoutSeconds = 60;
// Of <linux/capability.h>: what lets root read and write whatever the permissions say.
constexpr int kCapDacOverride = 1, kCapDacReadSearch = 2;
constexpr unsigned kNobody = 65534;
constexpr int kCannotMount = 120, kCannotRun = 121;  // exit statuses of the child that the command never gives

// In the child, before it becomes the command: nothing here may allocate much or return on failure.
void prepare_child(const Case& c, const std::string& folder) {
  const int errors = ::open((folder + "/stderr.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(null, 1);
  ::dup2(errors, 2);
  if (::chdir(folder.c_str()) != 0) _exit(kCannotRun);
  if (c.disk_bytes != 0) {
    // A small file system that only this child sees.
    const std::string options = "size=" + std::to_string(c.disk_bytes);
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mkdir("small", 0777) != 0 || ::mount("tmpfs", "small", "tmpfs", 0, options.c_str()) != 0)
      _exit(kCannotMount);
  }
  // Root loses what lets it pass over permissions once it becomes the command. Where that can't be had it becomes
  // nobody, who must be able to reach the build.
  if (c.obeys_permissions && ::geteuid() == 0 &&
      (::prctl(PR_CAPBSET_DROP, kCapDacOverride) != 0 || ::prctl(PR_CAPBSET_DROP, kCapDacReadSearch) != 0) &&
      (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
    _exit(kCannotRun);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGINT, SIG_DFL);
}

// Waits for the end; sends ctrl-C once the file `interrupt_when` is there, if it has a name.
Outcome wait_for(pid_t child, const std::string& interrupt_when) {
  Outcome outcome;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  bool interrupted = interrupt_when.empty();
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const auto passed = Clock::now() - start;
    if (!interrupted && std::filesystem::exists(interrupt_when)) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
    if (passed > std::chrono::seconds(kTimeoutSeconds)) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      outcome.timed_out = true;
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  if (WIFEXITED(status)) outcome.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

}  // namespace

Outcome run_child(const Case& c, const std::string& command, const std::string& folder) {
  if (c.obeys_permissions && ::geteuid() == 0) std::filesystem::permissions(folder, std::filesystem::perms::all);
  std::vector<std::string> arguments = {command};
  arguments.insert(arguments.end(), c.run.begin(), c.run.end());
  arguments.insert(arguments.end(), {"--json", "report.json"});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  const pid_t child = ::fork();
  if (child == 0) {
    prepare_child(c, folder);
    ::execv(command.c_str(), pointers.data());
    _exit(kCannotRun);
  }
  Outcome outcome = wait_for(child, c.interrupt_when.empty() ? "" : folder + "/" + c.interrupt_when);
  if (outcome.exit == kCannotMount)
    outcome.skipped = "a small disk can't be mounted here (needs root and mount rights)";
  std::ifstream errors(folder + "/stderr.txt");
  outcome.errors.assign(std::istreambuf_iterator<char>(errors), {});
  return outcome;
}

}  // namespace ww::bad_input
