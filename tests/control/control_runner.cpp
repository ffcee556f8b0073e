#include "control/control_runner.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "device/device_buffer.h"
#include "golden/fnv.h"

namespace ww::control {

Result<std::vector<uint32_t>> run_case(Device& device, const ControlCase& control) {
  WW_ASSIGN(auto module, device.load_module(ptx_text(control), control.name + ".ptx"));
  WW_ASSIGN(DeviceKernel * kernel, module->kernel("k"));
  WW_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(device, uint64_t{control.words} * 4));
  WW_TRY(device.fill(out.address(), 0, uint64_t{control.words} * 4));
  const uint64_t parameter = out.address();
  Launch launch;
  launch.grid = {control.grid};
  launch.block = {control.block};
  launch.parameters = std::as_bytes(std::span(&parameter, 1));
  launch.cooperative = control.cooperative;
  WW_TRY(device.launch(*kernel, launch));
  WW_TRY(device.synchronize());
  std::vector<uint32_t> words(control.words);
  WW_TRY(device.download(std::as_writable_bytes(std::span(words)), out.address()));
  return words;
}

uint64_t hash_of(const std::vector<uint32_t>& words) {
  return golden::fnv1a({reinterpret_cast<const char*>(words.data()), words.size() * 4});
}

std::string difference(const std::vector<uint32_t>& words, const std::vector<uint32_t>& expected) {
  std::string text;
  unsigned count = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (words[i] == expected[i]) continue;
    if (++count <= 4)
      text += "out[" + std::to_string(i) + "]: " + std::to_string(words[i]) + ", expected " +
              std::to_string(expected[i]) + "; ";
  }
  return count == 0 ? text : text + std::to_string(count) + " of " + std::to_string(expected.size()) + " differ";
}

struct Watchdog::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread thread;
};

Watchdog::Watchdog(std::string name, unsigned seconds) : state_(new State) {
  state_->thread = std::thread([state = state_, name = std::move(name), seconds] {
    std::unique_lock lock(state->mutex);
    if (state->changed.wait_for(lock, std::chrono::seconds(seconds), [state] { return state->done; })) return;
    std::fprintf(stderr, "hangs: %s (more than %u s)\n", name.c_str(), seconds);
    std::fflush(stderr);
    std::fflush(stdout);
    _exit(3);
  });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
  delete state_;
}

}  // namespace ww::control
