#include "cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "base/temporary_file.h"

namespace ww::cli {
namespace {

std::atomic<bool> g_interrupted{false};

}  // namespace

void watch_for_interrupt(std::function<void()> cut_off) {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&interrupts, signal);
  }
  pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);
  std::thread([interrupts, cut_off = std::move(cut_off)] {
    int signal = 0;
    if (sigwait(&interrupts, &signal) != 0) return;
    g_interrupted = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    cut_off();
    abandon_temporary_files();
    _exit(exit_status(ErrorKind::kInterrupted));
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
