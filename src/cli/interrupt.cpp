#include "cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

namespace ww::cli {
namespace {

std::atomic<bool> g_interrupted{false};

}  // namespace

void watch_for_interrupt(std::function<int()> cut_off) {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
  std::thread([interrupt, cut_off = std::move(cut_off)] {
    int signal = 0;
    if (sigwait(&interrupt, &signal) != 0) return;
    g_interrupted = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    _exit(cut_off());
  }).detach();
}

bool interrupted() {
  return g_interrupted;
}

Error interrupted_error() {
  Error error;
  error.kind = ErrorKind::kInterrupted;
  error.message = "interrupted";
  return error;
}

}  // namespace ww::cli
