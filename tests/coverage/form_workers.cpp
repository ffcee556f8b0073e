#include "coverage/form_workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "coverage/machine_code.h"

namespace ww::coverage {
namespace {

constexpr std::string_view kCompiling = "@compile ", kRunning = "@run ", kDone = "@done";
constexpr unsigned kStarts = 5;  // of a worker that ends before its first form

std::mutex output_mutex;

void print(FILE* stream, const std::string& line) {
  const std::lock_guard lock(output_mutex);
  std::fprintf(stream, "%s\n", line.c_str());
}

// A running worker and the end of the pipe that its standard output goes to.
struct Process {
  pid_t id = -1;
  int output = -1;
};

Process start(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Process process{-1, ends[0]};
  if (posix_spawn(&process.id, "/proc/self/exe", &actions, nullptr, arguments.data(), environ) != 0) process.id = -1;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  return process;
}

// How a worker ended, and at which form.
struct End {
  int status = -1;  // of waitpid; -1: it could not be started
  bool hung = false;
  bool compiling = false;
  bool done = false;  // it said so
  std::string form;   // "" if it announced none
};

End follow(const Process& process, unsigned seconds) {
  End end;
  if (process.id < 0) return end;
  std::string text;
  for (;;) {
    pollfd waiting{process.output, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(seconds * 1000));
    if (ready == 0) {
      end.hung = true;
      kill(process.id, SIGKILL);
      break;
    }
    char bytes[65536];
    const ssize_t count = read(process.output, bytes, sizeof bytes);
    if (count <= 0) break;
    text.append(bytes, static_cast<size_t>(count));
    size_t begin = 0;
    for (size_t newline; (newline = text.find('\n', begin)) != std::string::npos; begin = newline + 1) {
      const std::string line = text.substr(begin, newline - begin);
      if (line == kDone) {
        end.done = true;
        continue;
      }
      end.compiling = line.starts_with(kCompiling);
      if (end.compiling)
        end.form = line.substr(kCompiling.size());
      else if (line.starts_with(kRunning))
        end.form = line.substr(kRunning.size());
      else
        print(stdout, line);
    }
    text.erase(0, begin);
  }
  waitpid(process.id, &end.status, 0);
  return end;
}

std::string description(const End& end) {
  const std::string when = end.compiling ? "while it was compiled" : "while it ran";
  if (end.status < 0) return "a worker could not be started";
  if (end.hung) return "nothing happened for too long " + when;
  if (WIFSIGNALED(end.status)) return "crash " + when + ": signal " + std::to_string(WTERMSIG(end.status));
  return "a worker ended " + when + " with status " + std::to_string(WEXITSTATUS(end.status));
}

// One worker after another until all its forms are dealt with; whether all went well.
bool work(const WorkerPlan& plan, unsigned worker) {
  const std::vector<FormKernel> forms = plan.forms(worker);
  const std::string code = "/tmp/form-" + std::to_string(getpid()) + "-" + std::to_string(worker) + ".cubin";
  bool well = true, assembled = false;
  unsigned starts = 0;
  for (size_t next = 0; next < forms.size();) {
    std::vector<std::string> words = plan.command;
    words.insert(words.end(), {"--worker", std::to_string(worker) + "/" + std::to_string(plan.workers)});
    words.insert(words.end(), {"--from", forms[next].form.name});
    if (assembled) words.insert(words.end(), {"--machine-code", code});
    const Process process = start(words);
    const End end = follow(process, plan.seconds);
    close(process.output);
    if (end.done && WIFEXITED(end.status)) {
      well = well && WEXITSTATUS(end.status) == 0;
      break;
    }
    const size_t before = next;
    while (next < forms.size() && forms[next].form.name != end.form) ++next;
    if (next == forms.size()) {  // it announced none of its forms
      next = before;
      if (++starts < kStarts) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200 * starts));
        continue;
      }
      print(stderr, "worker " + std::to_string(worker) + " can't start at " + forms[next].form.name + ": " +
                        std::to_string(forms.size() - next) + " forms are lost");
      well = false;
      break;
    }
    starts = 0;
    well = false;
    const bool was_assembled = assembled && next == before;
    assembled = false;
    if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == kDeviceLost) {
      ++next;  // the worker has told what happened
      continue;
    }
    print(stderr, end.form + ": " + description(end));
    if (end.compiling && !plan.assembler.empty() && !was_assembled) {
      const Status status = assemble(plan.assembler, forms[next], code);
      assembled = status.ok();
      if (!assembled) print(stderr, end.form + ": " + status.error().to_string());
    }
    if (!assembled) ++next;
  }
  std::remove(code.c_str());
  return well;
}

}  // namespace

void announce(Step step, const Form& form) {
  std::printf("%s%s\n", (step == Step::kCompile ? kCompiling : kRunning).data(), form.name.c_str());
  std::fflush(stdout);
}

void announce_end() {
  std::printf("%s\n", kDone.data());
  std::fflush(stdout);
}

bool run_workers(const WorkerPlan& plan) {
  std::atomic<bool> well = true;
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < plan.workers; ++worker)
    threads.emplace_back([&, worker] {
      if (!work(plan, worker)) well = false;
    });
  for (std::thread& thread : threads) thread.join();
  return well;
}

}  // namespace ww::coverage
