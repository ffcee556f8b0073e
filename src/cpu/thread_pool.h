// Threads of oneTBB, behind an interface without templates: oneTBB's library is not instrumented, so ThreadSanitizer
// takes its headers' code for racing. thread_pool.cpp alone includes them, and is compiled without ThreadSanitizer.
#pragma once

#include <memory>

namespace ww::cpu {

class ThreadPool {
 public:
  // As many as the machine has, or as oneTBB is allowed.
  static unsigned default_threads();

  // Threads come with the first run.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls task(argument, 0) to task(argument, count - 1), on the calling thread and others, and returns when all have.
  void run(unsigned count, void (*task)(void* argument, unsigned number), void* argument);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace ww::cpu
