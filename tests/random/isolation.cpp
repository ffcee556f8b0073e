// Child processes around a device: each takes a range of the list of seeds and writes an outcome after the other into a
// pipe.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "device/registry.h"
#include "random/runner.h"

namespace ww::programs {
namespace {

using Clock = std::chrono::steady_clock;

struct Range {  // places in the list of seeds
  uint64_t first = 0, end = 0;
  unsigned batch = 1;
};

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  Range range;
  uint64_t next = 0;  // the first place that has no outcome yet
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
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left to take the outcomes
  DeviceOptions options = run.options;
  options.threads = 1;
  options.max_instructions = 50'000'000;  // sim: a program that does not end
  return open_device(run.device, options);
}

class Worker {
 public:
  Worker(const IsolatedRun& run, Device& device, int pipe) : run_(run), device_(device), pipe_(pipe) {}

  // Runs the programs in one module; in one each if that is refused. `place` is the first one's.
  void run(std::span<const Program> programs, uint64_t place) {
    auto module = ProgramModule::load(device_, programs, run_.assembler);
    if (!module.ok() && programs.size() > 1) {
      for (size_t i = 0; i < programs.size(); ++i) run(programs.subspan(i, 1), place + i);
      return;
    }
    for (const Program& program : programs) {
      const auto output = module.ok() ? (*module)->run(device_, program) : Result<Output>(module.error());
      say(place++, output);
    }
  }

 private:
  void say(uint64_t place, const Result<Output>& output) {
    std::string error = output.ok() ? "" : output.error().to_string();
    for (char& c : error)
      if (c == '\n') c = ' ';
    write_all(pipe_,
              std::to_string(place) + ' ' + std::to_string(output.ok() ? hash_of(*output) : 0) + ' ' + error + '\n');
    // A context that has failed once fails for ever: a new process goes on behind this program.
    if (!error.empty() && run_.device.starts_with("nvidia")) _exit(4);
  }

  const IsolatedRun& run_;
  Device& device_;
  int pipe_;
};

[[noreturn]] void work(const IsolatedRun& run, std::span<const uint64_t> seeds, const Range& range, int pipe,
                       const std::function<Program(uint64_t)>& make) {
  auto device = open(run);
  if (!device.ok()) {
    std::fprintf(stderr, "%s\n", device.error().to_string().c_str());
    _exit(2);
  }
  Worker worker(run, **device, pipe);
  for (uint64_t place = range.first; place < range.end;) {
    const uint64_t first = place;
    std::vector<Program> programs;
    for (; place < range.end && programs.size() < range.batch; ++place) programs.push_back(make(seeds[place]));
    worker.run(programs, first);
  }
  _exit(0);
}

Child start(const IsolatedRun& run, std::span<const uint64_t> seeds, const Range& range,
            const std::function<Program(uint64_t)>& make) {
  int ends[2];
  Child child;
  child.range = range;
  child.next = range.first;
  child.heard = Clock::now();
  if (pipe(ends) != 0) return child;
  child.pid = fork();
  if (child.pid == 0) {
    close(ends[0]);
    work(run, seeds, range, ends[1], make);
  }
  close(ends[1]);
  child.pipe = ends[0];
  return child;
}

// Takes what the child has written; false: it has ended.
bool hear(Child& child, std::span<const uint64_t> seeds, const std::function<void(const Outcome&)>& take) {
  char buffer[65536];
  const ssize_t count = read(child.pipe, buffer, sizeof buffer);
  if (count <= 0) return false;
  child.heard = Clock::now();
  child.text.append(buffer, static_cast<size_t>(count));
  for (size_t line; (line = child.text.find('\n')) != std::string::npos; child.text.erase(0, line + 1)) {
    char* rest = nullptr;
    const uint64_t place = std::strtoull(child.text.c_str(), &rest, 10);
    const auto hash = static_cast<uint32_t>(std::strtoul(rest, &rest, 10));
    take({seeds[place], hash, std::string(static_cast<const char*>(rest) + 1, child.text.c_str() + line)});
    child.next = place + 1;
  }
  return true;
}

}  // namespace

void run_isolated(const IsolatedRun& run, std::span<const uint64_t> seeds, const std::function<Program(uint64_t)>& make,
                  const std::function<void(const Outcome&)>& take) {
  std::deque<Range> ranges;
  const uint64_t range = std::clamp<uint64_t>(seeds.size() / (4 * uint64_t{run.jobs}), run.batch, 512);
  for (uint64_t place = 0; place < seeds.size(); place += range)
    ranges.push_back({place, std::min<uint64_t>(place + range, seeds.size()), run.batch});
  std::vector<Child> children;
  while (!ranges.empty() || !children.empty()) {
    while (!ranges.empty() && children.size() < run.jobs) {
      children.push_back(start(run, seeds, ranges.front(), make));
      ranges.pop_front();
    }
    std::vector<pollfd> files;
    for (const Child& child : children) files.push_back({child.pipe, POLLIN, 0});
    poll(files.data(), files.size(), 1000);
    for (size_t i = children.size(); i-- != 0;) {
      Child& child = children[i];
      const bool speaks = (files[i].revents & (POLLIN | POLLHUP)) != 0;
      const bool silent = !speaks && Clock::now() - child.heard > std::chrono::seconds(run.patience);
      if (speaks ? hear(child, seeds, take) : !silent) continue;
      std::string why = silent ? "no answer within " + std::to_string(run.patience) + " s" : "";
      if (silent) kill(child.pid, SIGKILL);
      int status = 0;
      waitpid(child.pid, &status, 0);
      close(child.pipe);
      Range rest{child.next, child.range.end, child.range.batch};
      const bool said_so = WIFEXITED(status) && WEXITSTATUS(status) == 4;
      const bool no_device = WIFEXITED(status) && WEXITSTATUS(status) == 2;
      if (why.empty())
        why = WIFSIGNALED(status) ? std::string("crashed: ") + strsignal(WTERMSIG(status)) : "ended early";
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      if (no_device) {
        for (; rest.first < rest.end; ++rest.first) take({seeds[rest.first], 0, "no device"});
      } else if (rest.batch > 1 && !said_so) {  // one of this module's: each by itself, the rest as before
        const uint64_t middle = std::min(rest.first + rest.batch, rest.end);
        if (middle < rest.end) ranges.push_front({middle, rest.end, rest.batch});
        rest = {rest.first, middle, 1};
      } else if (rest.first < rest.end && !said_so) {
        take({seeds[rest.first++], 0, why});
      }
      if (rest.first < rest.end) ranges.push_front(rest);
    }
  }
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
    auto module = ProgramModule::load(**device, std::span(&program, 1), run.assembler);
    const auto output = module.ok() ? (*module)->run(**device, program) : Result<Output>(module.error());
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
