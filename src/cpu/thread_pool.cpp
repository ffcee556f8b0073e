#include "cpu/thread_pool.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace ww::cpu {

struct ThreadPool::Arena {
  explicit Arena(unsigned threads)
      : limit(tbb::global_control::max_allowed_parallelism, std::max(threads, default_threads())),
        arena(int(threads)) {}
  tbb::global_control limit;  // more than the machine has are a warning without it
  tbb::task_arena arena;
};

unsigned ThreadPool::default_threads() {
  return unsigned(tbb::this_task_arena::max_concurrency());
}

ThreadPool::ThreadPool(unsigned threads) : arena_(std::make_unique<Arena>(threads)) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(unsigned count, void (*task)(void* argument, unsigned number), void* argument) {
  arena_->arena.execute([&] {
    tbb::parallel_for(
        0u, count, [&](unsigned number) { task(argument, number); }, tbb::simple_partitioner());
  });
}

}  // namespace ww::cpu
