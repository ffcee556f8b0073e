#include "support/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

namespace ww::testing {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// `prepare` runs in the child, before the command; `beside` in the parent, while the command runs.
Outcome run_prepared(
    const std::string& folder, std::vector<std::string> arguments, bool plain, const std::function<void()>& prepare,
    const std::function<void(pid_t)>& beside = [](pid_t) {}) {
  const std::string program = WARPWAVE_BINARY_DIR "/bin/warpwave";
  const std::string report = folder + "/report.json";
  ::unlink(report.c_str());
  if (!plain) {
    arguments.push_back("--json");
    arguments.push_back("report.json");
  }
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string out = folder + "/.stdout";
  const std::string err = folder + "/.stderr";

  const pid_t child = ::fork();
  if (child == 0) {
    const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out_file, STDOUT_FILENO);
    ::dup2(err_file, STDERR_FILENO);
    prepare();
    if (::chdir(folder.c_str()) == 0) ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  beside(child);
  Outcome outcome;
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) return outcome;
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.output = contents(out);
  outcome.errors = contents(err);
  outcome.report = nlohmann::json::parse(contents(report), nullptr, false);
  if (outcome.report.is_discarded()) outcome.report = nullptr;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  outcome.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return outcome;
}

}  // namespace

Outcome run_command(const std::string& folder, std::vector<std::string> arguments, bool plain) {
  return run_prepared(folder, std::move(arguments), plain, [] {});
}

Outcome interrupt_command(const std::string& folder, std::vector<std::string> arguments, int signal, bool ignored) {
  return run_prepared(folder, std::move(arguments), false, [&] {
    // Blocked, so that it waits until the command asks for it. A mask, pending signals and ignored ones outlive exec.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    ::signal(signal, ignored ? SIG_IGN : SIG_DFL);
    ::kill(::getpid(), signal);  // to the process: what is raised stays with its thread
  });
}

Outcome interrupt_command_when(const std::string& folder, std::vector<std::string> arguments, int signal,
                               const std::function<bool()>& ready) {
  return run_prepared(
      folder, std::move(arguments), false, [] {},
      [&](pid_t child) {
        siginfo_t ended{};
        while (!ready() && ::waitid(P_PID, id_t(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0)
          ::usleep(2000);
        ::kill(child, signal);
      });
}

}  // namespace ww::testing
