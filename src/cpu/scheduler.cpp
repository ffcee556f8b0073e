#include "cpu/scheduler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

#include "cpu/shared_window.h"
#include "cpu/thread_pool.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace ww::cpu {

namespace {

// The thread pool orders what one thread wrote before what another one reads, by code that ThreadSanitizer does not
// see: everything before released(p) is before what follows acquired(p).
void released([[maybe_unused]] void* p) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(p);
#endif
}
void acquired([[maybe_unused]] void* p) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(p);
#endif
}

// What the workers of one launch share.
struct SharedState {
  const GridLaunch* launch = nullptr;
  uint64_t blocks = 0;
  uint32_t warps = 0;
  uint32_t threads_in_block = 0;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  WarpFault fault;
  uint32_t fault_block[3] = {};
};

}  // namespace

// One thread's share of a launch. Stacks and shared memory are kept from launch to launch.
struct Worker {
  uint32_t index = 0, count = 0;
  BlockRun block;
  std::vector<std::unique_ptr<FiberStack>> stacks;
  size_t stack_bytes = 0;
  SharedWindow shared;
  alignas(64) std::byte sink[64] = {};
  SharedState* state = nullptr;

  void prepare(const GridLaunch& launch, uint32_t warps);
  void set_block(uint64_t number);
  void run();
  void run_alone(MachineFaultGuard& guard);
  bool run_waiting(MachineFaultGuard& guard);
  void resume(MachineFaultGuard& guard, Fiber& fiber, const FiberStack& stack);
  static void machine_fault(void* worker, const MachineFault& fault);
  static void alone_entry(void* worker);
  static void warp_entry(void* context);
};

// Room for compiled code's own frames and for recursion.
constexpr size_t kFrameBytes = size_t(1) << 20;
constexpr size_t kSharedLimit = 227 * 1024;

void Worker::prepare(const GridLaunch& launch, uint32_t warps) {
  const size_t wanted = kFrameBytes + 16 * launch.stack_bytes;
  if (wanted > stack_bytes) {
    stacks.clear();
    stack_bytes = wanted;
  }
  const uint32_t fibers = launch.waits ? warps : 1;
  while (stacks.size() < fibers) stacks.push_back(std::make_unique<FiberStack>(stack_bytes));
  std::byte* shared_begin = shared.place(std::max<uint64_t>(1, launch.static_shared + uint64_t(launch.dynamic_shared)));
  if (shared_begin == nullptr) throw std::bad_alloc();
  block.fault_ = {};
  for (uint32_t warp = 0; warp < warps; ++warp) {
    WarpContext& context = block.contexts_[warp];
    context = {};
    const FiberStack& stack = *stacks[launch.waits ? warp : 0];
    context.shared = shared_begin;
    context.stack_begin = stack.begin();
    context.stack_end = stack.end();
    context.local_window = stack.begin() - 64;  // local address 0 is none
    context.sink = sink;
    context.nctaid[0] = launch.grid.x;
    context.nctaid[1] = launch.grid.y;
    context.nctaid[2] = launch.grid.z;
    context.ntid[0] = launch.block.x;
    context.ntid[1] = launch.block.y;
    context.ntid[2] = launch.block.z;
    context.first_thread = warp * 32;
    const uint32_t left = state->threads_in_block - warp * 32;
    context.mask = left >= 32 ? ~0u : (1u << left) - 1;
    context.warp = warp;
    context.warps = warps;
    context.worker = index;
    context.workers = count;
    context.dynamic_shared = launch.dynamic_shared;
    context.total_shared = launch.static_shared + launch.dynamic_shared;
    context.grid = launch.number;
    context.block = &block;
  }
}

void Worker::set_block(uint64_t number) {
  const Dim3& grid = state->launch->grid;
  const uint32_t x = uint32_t(number % grid.x), y = uint32_t(number / grid.x % grid.y),
                 z = uint32_t(number / (uint64_t(grid.x) * grid.y));
  for (uint32_t warp = 0; warp < state->warps; ++warp) {
    block.contexts_[warp].ctaid[0] = x;
    block.contexts_[warp].ctaid[1] = y;
    block.contexts_[warp].ctaid[2] = z;
  }
}

// All blocks on one fiber, which a trap leaves for good.
void Worker::alone_entry(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  SharedState& state = *worker->state;
  const void* parameters = state.launch->parameters.data();
  while (!state.stop.load(std::memory_order_relaxed)) {
    const uint64_t number = state.next.fetch_add(1, std::memory_order_relaxed);
    if (number >= state.blocks) break;
    worker->set_block(number);
    worker->block.live_ = worker->block.runnable_ = 1;
    for (uint32_t warp = 0; warp < state.warps; ++warp) {
      worker->block.current_ = warp;
      state.launch->kernel(&worker->block.contexts_[warp], parameters);
    }
  }
  worker->block.running_->finish();
}

void Worker::run_alone(MachineFaultGuard& guard) {
  Fiber& fiber = block.fibers_[0];
  fiber.start(*stacks[0], &alone_entry, this);
  block.running_ = &fiber;
  resume(guard, fiber, *stacks[0]);
}

void Worker::resume(MachineFaultGuard& guard, Fiber& fiber, const FiberStack& stack) {
  guard.enter(stack.end());
  fiber.resume();
  guard.leave();
}

// Called on the fiber in place of the instruction that faulted.
void Worker::machine_fault(void* worker, const MachineFault& fault) {
  BlockRun& block = static_cast<Worker*>(worker)->block;
  block.fault({WarpFault::Kind::kMachine, 0, block.current_, 0, 0, fault});
}

namespace {

struct WarpStart {
  WarpContext* context;
  const GridLaunch* launch;
  Fiber* fiber;
};

}  // namespace

void Worker::warp_entry(void* argument) {
  const WarpStart start = *static_cast<WarpStart*>(argument);
  start.launch->kernel(start.context, start.launch->parameters.data());
  start.fiber->finish();
}

// One block whose warps wait for each other. False: a fault.
bool Worker::run_waiting(MachineFaultGuard& guard) {
  const uint32_t warps = state->warps;
  std::array<WarpStart, BlockRun::kMaxWarps> starts;
  block.barriers_ = {};
  for (uint32_t warp = 0; warp < warps; ++warp) {
    starts[warp] = {&block.contexts_[warp], state->launch, &block.fibers_[warp]};
    block.fibers_[warp].start(*stacks[warp], &warp_entry, &starts[warp]);
  }
  block.live_ = block.runnable_ = warps == 32 ? ~0u : (1u << warps) - 1;
  while (block.live_ != 0) {
    if (block.runnable_ == 0) {
      block.fault_.kind = WarpFault::Kind::kDeadlock;
      for (uint32_t number = 0; number < BlockRun::kBarriers; ++number) {
        const BlockRun::Barrier& barrier = block.barriers_[number];
        if (barrier.waiting == 0) continue;
        block.fault_.barrier = number;
        block.fault_.line = barrier.line;
        block.fault_.detail = uint32_t(std::popcount(barrier.waiting));
        break;
      }
      return false;
    }
    for (uint32_t warp = 0; warp < warps; ++warp) {
      if ((block.runnable_ >> warp & 1) == 0) continue;
      block.current_ = warp;
      block.running_ = &block.fibers_[warp];
      resume(guard, block.fibers_[warp], *stacks[warp]);
      if (block.fault_.kind != WarpFault::Kind::kNone) return false;
      if (!block.fibers_[warp].finished()) continue;
      block.live_ &= ~(1u << warp);
      block.runnable_ &= ~(1u << warp);
      // Warps that wait for all no longer wait for this one.
      for (BlockRun::Barrier& barrier : block.barriers_)
        if (barrier.warps != 0 && block.complete(barrier)) block.release(barrier);
    }
  }
  return true;
}

void Worker::run() {
  const GridLaunch& launch = *state->launch;
  prepare(launch, state->warps);
  MachineFaultGuard guard(&machine_fault, this);
  if (!launch.waits) {
    run_alone(guard);
  } else {
    while (!state->stop.load(std::memory_order_relaxed)) {
      const uint64_t number = state->next.fetch_add(1, std::memory_order_relaxed);
      if (number >= state->blocks) break;
      set_block(number);
      if (!run_waiting(guard)) break;
    }
  }
  if (block.fault_.kind == WarpFault::Kind::kNone) return;
  state->stop = true;
  const std::lock_guard lock(state->mutex);
  if (state->fault.kind != WarpFault::Kind::kNone) return;
  state->fault = block.fault_;
  std::copy_n(block.contexts_[0].ctaid, 3, state->fault_block);
}

// --- barriers

void BlockRun::fault(WarpFault fault) {
  fault_ = fault;
  running_->suspend();  // and is never resumed
  std::abort();
}

bool BlockRun::complete(const Barrier& barrier) const {
  if (barrier.expected == 0) return barrier.warps >= uint32_t(std::popcount(live_));
  return barrier.warps * 32 >= barrier.expected;
}

void BlockRun::release(Barrier& barrier) {
  for (uint32_t waiting = barrier.waiting; waiting != 0; waiting &= waiting - 1)
    results_[unsigned(std::countr_zero(waiting))] = barrier.arrived;
  runnable_ |= barrier.waiting;
  barrier = {};
}

void BlockRun::add(Barrier& barrier, WarpContext& context, uint32_t number, uint32_t threads, uint32_t set,
                   uint32_t active, uint32_t line) {
  if (threads % 32 != 0 && threads != 0 && threads < context.warps * 32)
    fault({WarpFault::Kind::kBarrierCount, line, current_, number, threads});
  barrier.expected = threads >= context.ntid[0] * context.ntid[1] * context.ntid[2] ? context.warps * 32 : threads;
  barrier.line = line;
  ++barrier.warps;
  barrier.arrived.count += uint32_t(std::popcount(set & active));
  barrier.arrived.threads += uint32_t(std::popcount(active));
}

BlockRun::Arrived BlockRun::wait(WarpContext& context, uint32_t number, uint32_t threads, uint32_t set, uint32_t active,
                                 uint32_t line) {
  Barrier& barrier = barriers_[number % kBarriers];
  const uint32_t warp = context.warp;
  add(barrier, context, number, threads, set, active, line);
  barrier.waiting |= 1u << warp;
  runnable_ &= ~(1u << warp);
  if (complete(barrier)) {
    release(barrier);
    return results_[warp];
  }
  fibers_[warp].suspend();
  return results_[warp];
}

void BlockRun::arrive(WarpContext& context, uint32_t number, uint32_t threads, uint32_t line) {
  Barrier& barrier = barriers_[number % kBarriers];
  add(barrier, context, number, threads, 0, 0, line);
  if (complete(barrier)) release(barrier);
}

void BlockRun::yield(WarpContext& context) {
  fibers_[context.warp].suspend();
}

// --- the grid

Scheduler::Scheduler(unsigned threads)
    : threads_(threads != 0 ? threads : ThreadPool::default_threads()), pool_(std::make_unique<ThreadPool>(threads_)) {
  for (unsigned i = 0; i < threads_; ++i) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->index = i;
    workers_.back()->count = threads_;
  }
}

Scheduler::~Scheduler() = default;

// What the processor refused, and why that may be.
static void describe(const GridLaunch& launch, const MachineFault& fault, Error& error) {
  switch (fault.kind) {
    case MachineFault::Kind::kDivision:
      error.message = "the processor stopped at a division";
      return;
    case MachineFault::Kind::kInstruction:
      error.message = "the processor met an instruction that it does not have";
      return;
    case MachineFault::Kind::kAddress:
      break;
  }
  if (!fault.address_known) {
    error.message = "illegal address: one that no memory can have";
    return;
  }
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(fault.address));
  error.message = "illegal address: " + std::string(fault.write ? "write to " : "read of ") + address;
  if (launch.memory != nullptr) error.message += ", " + launch.memory->explain(fault.address);
}

static Error fault_error(const GridLaunch& launch, const WarpFault& fault, const uint32_t (&block)[3]) {
  const std::string where = "block " + std::to_string(block[0]) + "," + std::to_string(block[1]) + "," +
                            std::to_string(block[2]) + ", warp " + std::to_string(fault.warp);
  Error error = runtime_error("");
  switch (fault.kind) {
    case WarpFault::Kind::kTrap:
      error.message = "the kernel executed trap (" + where + ")";
      error.fix = "A trap is the program's own report of a failed check; look at the line";
      break;
    case WarpFault::Kind::kDeadlock:
      error.message = "deadlock: " + std::to_string(fault.detail) + " warps wait at barrier " +
                      std::to_string(fault.barrier) + " for warps that never arrive (block " +
                      std::to_string(block[0]) + "," + std::to_string(block[1]) + "," + std::to_string(block[2]) + ")";
      error.fix = "All warps that a barrier counts must reach it";
      break;
    case WarpFault::Kind::kHandle:
      error.message = std::string(fault.barrier != 0 ? "surface access with a handle that is no live surface"
                                                     : "texture fetch with a handle that is no live texture") +
                      " (" + where + ")";
      error.fix = "Pass the handle of an image that still exists";
      break;
    case WarpFault::Kind::kSurface:
      error.message = fault.barrier == 0 ? "surface access outside of the image"
                                         : "surface access at byte " + std::to_string(int32_t(fault.detail)) +
                                               " of a row, which is not a multiple of " + std::to_string(fault.barrier);
      error.message += " (" + where + ")";
      error.fix = "Check the coordinates; x counts bytes";
      break;
    case WarpFault::Kind::kMachine:
      describe(launch, fault.machine, error);
      error.message += " (" + where + ")";
      error.fix = "Run it with --device sim to see the thread and the place";
      break;
    default:
      error.message = "barrier " + std::to_string(fault.barrier) + " waits for " + std::to_string(fault.detail) +
                      " threads (" + where + ")";
      error.expected = "a multiple of 32";
      break;
  }
  error.kernel = launch.name;
  error.file = launch.file;
  error.line = fault.line;
  return error;
}

Status Scheduler::run(const GridLaunch& launch, bool* broken) {
  const uint64_t threads = uint64_t(launch.block.x) * launch.block.y * launch.block.z;
  if (threads == 0 || threads > 1024)
    return usage_error("a block of " + std::to_string(threads) + " threads", "Launch 1 to 1024 threads a block");
  const uint64_t blocks = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  if (blocks == 0) return usage_error("an empty grid", "Launch at least one block");
  if (launch.static_shared + uint64_t(launch.dynamic_shared) > kSharedLimit)
    return usage_error("the kernel asks for " + std::to_string(launch.static_shared + uint64_t(launch.dynamic_shared)) +
                           " bytes of shared memory; a block has at most " + std::to_string(kSharedLimit),
                       "Launch with less dynamic shared memory");
  SharedState state;
  state.launch = &launch;
  state.blocks = blocks;
  state.threads_in_block = uint32_t(threads);
  state.warps = uint32_t((threads + 31) / 32);
  const unsigned workers = unsigned(std::min<uint64_t>(threads_, blocks));
  for (auto& worker : workers_) worker->state = &state;
  if (workers == 1) {
    workers_[0]->run();
  } else {
    released(this);
    pool_->run(
        workers,
        [](void* argument, unsigned i) {
          acquired(argument);
          static_cast<Scheduler*>(argument)->workers_[i]->run();
          released(argument);
        },
        this);
    acquired(this);
  }
  if (broken != nullptr) *broken = state.fault.kind == WarpFault::Kind::kMachine;
  if (state.fault.kind != WarpFault::Kind::kNone) return fault_error(launch, state.fault, state.fault_block);
  return {};
}

}  // namespace ww::cpu
