// Child processes around a device: each takes a range of seeds and writes an outcome after the other into a pipe.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "device/registry.h"
#include "random/runner.h"

namespace ww::programs {
namespace {

using Clock = std::chrono::steady_clock;

struct Range {
  uint64_t first = 0, end = 0;
  unsigned batch = 1;
};

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  Range range;
  uint64_t next = 0;  // the first seed that has no outcome yet
  std::string text;   // what came and is no whole line yet
  Clock::time_point heard;
};

void write_all(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0) _exit(3);
    done += static_cast<size_t>(count);
  }
}

Result<std::unique_ptr<Device>> open(const IsolatedRun& run) {
  DeviceOptions options;
  options.host_isa = run.host_isa;
  options.threads = 1;
  options.max_instructions = 50'000'000;  // sim: a program that does not end
  return open_device(run.device, options);
}

[[noreturn]] void work(const IsolatedRun& run, const Range& range, int pipe,
                       const std::function<Program(uint64_t)>& make) {
  auto device = open(run);
  if (!device.ok()) {
    std::fprintf(stderr, "%s\n", device.error().to_string().c_str());
    _exit(2);
  }
  for (uint64_t seed = range.first; seed < range.end;) {
    std::vector<Program> programs;
    for (; seed < range.end && programs.size() < range.batch; ++seed) programs.push_back(make(seed));
    const Status done = run_programs(**device, programs, range.batch, [&](const Outcome& outcome) {
      std::string error = outcome.error;
      for (char& c : error)
        if (c == '\n') c = ' ';
      write_all(pipe, std::to_string(outcome.seed) + ' ' + std::to_string(outcome.hash) + ' ' + error + '\n');
      // A context that has failed once fails for ever: a new process goes on behind this program.
      if (!error.empty() && run.device.starts_with("nvidia")) _exit(4);
    });
    if (!done.ok()) _exit(2);
  }
  _exit(0);
}

Child start(const IsolatedRun& run, const Range& range, const std::function<Program(uint64_t)>& make) {
  int ends[2];
  Child child;
  child.range = range;
  child.next = range.first;
  child.heard = Clock::now();
  if (pipe(ends) != 0) return child;
  child.pid = fork();
  if (child.pid == 0) {
    close(ends[0]);
    work(run, range, ends[1], make);
  }
  close(ends[1]);
  child.pipe = ends[0];
  return child;
}

}  // namespace

std::vector<Outcome> run_isolated(const IsolatedRun& run, uint64_t first, uint64_t last,
                                  const std::function<Program(uint64_t)>& make) {
  std::vector<Outcome> outcomes(last - first + 1);
  for (uint64_t seed = first; seed <= last; ++seed) outcomes[seed - first] = {seed, 0, "not run"};
  std::deque<Range> ranges;
  constexpr uint64_t kRange = 512;
  for (uint64_t seed = first; seed <= last; seed += kRange)
    ranges.push_back({seed, std::min(seed + kRange, last + 1), run.batch});
  std::vector<Child> children;
  while (!ranges.empty() || !children.empty()) {
    while (!ranges.empty() && children.size() < run.jobs) {
      children.push_back(start(run, ranges.front(), make));
      ranges.pop_front();
    }
    std::vector<pollfd> files;
    for (const Child& child : children) files.push_back({child.pipe, POLLIN, 0});
    poll(files.data(), files.size(), 1000);
    for (size_t i = children.size(); i-- != 0;) {
      Child& child = children[i];
      bool over = false;
      std::string why;
      if ((files[i].revents & (POLLIN | POLLHUP)) != 0) {
        char buffer[65536];
        const ssize_t count = read(child.pipe, buffer, sizeof buffer);
        if (count > 0) {
          child.heard = Clock::now();
          child.text.append(buffer, static_cast<size_t>(count));
          for (size_t line; (line = child.text.find('\n')) != std::string::npos; child.text.erase(0, line + 1)) {
            char* rest = nullptr;
            const uint64_t seed = std::strtoull(child.text.c_str(), &rest, 10);
            const auto hash = static_cast<uint32_t>(std::strtoul(rest, &rest, 10));
            const std::string error(static_cast<const char*>(rest) + 1, child.text.c_str() + line);
            if (seed >= first && seed <= last) outcomes[seed - first] = {seed, hash, error};
            child.next = seed + 1;
          }
        } else {
          over = true;
        }
      } else if (Clock::now() - child.heard > std::chrono::seconds(run.patience)) {
        kill(child.pid, SIGKILL);
        over = true;
        why = "no answer within " + std::to_string(run.patience) + " s";
      }
      if (!over) continue;
      int status = 0;
      waitpid(child.pid, &status, 0);
      close(child.pipe);
      const Range rest{child.next, child.range.end, child.range.batch};
      const bool failed = WIFEXITED(status) && WEXITSTATUS(status) == 4;  // said so itself
      const bool lost = WIFEXITED(status) && WEXITSTATUS(status) == 2;
      if (why.empty())
        why = WIFSIGNALED(status) ? std::string("crashed: ") + strsignal(WTERMSIG(status)) : "ended early";
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      if (rest.first >= rest.end || lost) continue;
      if (failed) {
        ranges.push_front(rest);
      } else if (rest.batch > 1) {  // one of this module's: each by itself, the rest as before
        const uint64_t middle = std::min(rest.first + rest.batch, rest.end);
        if (middle < rest.end) ranges.push_front({middle, rest.end, rest.batch});
        ranges.push_front({rest.first, middle, 1});
      } else {
        outcomes[rest.first - first] = {rest.first, 0, why};
        if (rest.first + 1 < rest.end) ranges.push_front({rest.first + 1, rest.end, 1});
      }
    }
  }
  return outcomes;
}

Result<Output> run_one_isolated(const IsolatedRun& run, const Program& program) {
  int ends[2];
  if (pipe(ends) != 0) return runtime_error("no pipe");
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    auto device = open(run);
    if (!device.ok()) {
      write_all(ends[1], "!" + device.error().to_string());
      _exit(0);
    }
    auto module = (*device)->load_module(module_head() + text_of(program), std::to_string(program.seed));
    Result<Output> output = module.ok() ? run_program(**device, **module, program) : Result<Output>(module.error());
    if (output.ok())
      write_all(ends[1], "=" + std::string(reinterpret_cast<const char*>(output->data()), output->size() * 8));
    else
      write_all(ends[1], "!" + output.error().to_string());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  const auto end = Clock::now() + std::chrono::seconds(run.patience);
  for (;;) {
    pollfd file{ends[0], POLLIN, 0};
    if (poll(&file, 1, 500) == 0) {
      if (Clock::now() < end) continue;
      kill(pid, SIGKILL);
      text = "!no answer";
      break;
    }
    const ssize_t count = read(ends[0], buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<size_t>(count));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  close(ends[0]);
  if (text.empty()) return runtime_error(WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended early");
  if (text[0] == '!') return runtime_error(text.substr(1));
  Output output((text.size() - 1) / 8);
  std::memcpy(output.data(), text.data() + 1, output.size() * 8);
  return output;
}

}  // namespace ww::programs
