#include "cpu/scheduler.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/hexadecimal.h"
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
  uint64_t blocks = 0;                     // clusters, where there are any
  uint32_t warps = 0;                      // of a block
  uint32_t block_strands = 0, stride = 0;  // of a block, and from one block of a cluster to the next
  uint32_t strands = 0;                    // of a cluster, with those that are left out
  uint32_t most_blocks = 0;                // that one worker may run side by side
  uint32_t threads_in_block = 0;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> working{0};  // workers that have blocks and don't just wait
  std::mutex mutex;
  WarpFault fault;
  uint32_t fault_block[3] = {};
};

using Clock = std::chrono::steady_clock;

}  // namespace

// One thread's share of a launch. Stacks and shared memory are kept from launch to launch.
struct Worker {
  uint32_t index = 0, count = 0;
  std::vector<std::unique_ptr<BlockRun>> runs;  // the first `active` hold a block each
  size_t active = 0;
  size_t prepared = 0;  // of `runs`, for this launch
  alignas(64) std::byte sink[64] = {};
  SharedState* state = nullptr;
  bool failed = false;  // no memory for a single block
  bool full = false;    // none for another one

  bool prepare(BlockRun& run);
  bool add_run();
  bool start_block();
  void set_block(BlockRun& run, uint64_t number);
  void run();
  void run_alone(MachineFaultGuard& guard);
  void run_waiting(MachineFaultGuard& guard);
  bool run_further(uint32_t& idle_rounds, Clock::time_point& waiting_since);
  void report(const BlockRun& run);
  static void alone_entry(void* worker);
};

// Room for compiled code's own frames and for recursion.
constexpr size_t kFrameBytes = size_t(1) << 20;
constexpr size_t kSharedLimit = 227 * 1024;
// What alloca can take for a lane.
constexpr uint32_t kLaneStackBytes = uint32_t(64) << 10;
// Rounds in which all strands only look whether they can go on, before further blocks are started.
constexpr uint32_t kPatience = 256;
// How long all workers may wait for blocks that can't start.
constexpr std::chrono::seconds kMostWaiting(5);

// False: no memory.
bool Worker::prepare(BlockRun& run) try {
  const GridLaunch& launch = *state->launch;
  const size_t wanted = kFrameBytes + 16 * launch.stack_bytes;
  const size_t below = launch.lane_stacks ? size_t{32} * kLaneStackBytes : 0;
  if (wanted > run.stack_bytes_ || below > run.below_bytes_) {
    run.stacks_.clear();
    run.stack_bytes_ = std::max(run.stack_bytes_, wanted);
    run.below_bytes_ = std::max(run.below_bytes_, below);
  }
  const uint32_t fibers = launch.waits ? state->strands : 1;
  while (run.stacks_.size() < fibers)
    run.stacks_.push_back(std::make_unique<FiberStack>(run.stack_bytes_, run.below_bytes_));
  while (run.strands_.size() < state->strands) run.strands_.emplace_back();
  const Dim3& cluster = launch.cluster;
  const uint32_t cluster_blocks = cluster.x * cluster.y * cluster.z;
  std::byte* shared =
      run.shared_.place(std::max<uint64_t>(1, launch.static_shared + uint64_t(launch.dynamic_shared)), cluster_blocks);
  if (shared == nullptr) return false;
  run.fault_ = {};
  run.count_ = state->strands;
  run.block_strands_ = state->block_strands;
  run.stride_ = state->stride;
  run.by_lanes_ = launch.by_lanes;
  run.stop_ = &state->stop;
  for (uint32_t strand = 0; strand < state->strands; ++strand) {
    WarpContext& context = run.strands_[strand].context;
    context = {};
    const uint32_t rank = strand / state->stride, in_block = strand % state->stride;
    if (in_block >= state->block_strands) continue;
    const uint32_t warp = launch.by_lanes ? in_block / 32 : in_block;
    const FiberStack& stack = *run.stacks_[launch.waits ? strand : 0];
    context.shared = shared;
    context.stack_begin = stack.begin();
    context.stack_end = stack.end();
    context.local_window = stack.begin() - 64;  // local address 0 is none
    context.lane_stacks = 64;
    context.lane_stack_bytes = launch.lane_stacks ? kLaneStackBytes : 0;
    context.sink = sink;
    context.nctaid[0] = launch.grid.x;
    context.nctaid[1] = launch.grid.y;
    context.nctaid[2] = launch.grid.z;
    context.ntid[0] = launch.block.x;
    context.ntid[1] = launch.block.y;
    context.ntid[2] = launch.block.z;
    context.first_thread = warp * 32;
    const uint32_t left = state->threads_in_block - warp * 32;
    context.mask = launch.by_lanes ? 1u << in_block % 32 : left >= 32 ? ~0u : (1u << left) - 1;
    context.warp = warp;
    context.warps = state->warps;
    context.worker = index;
    context.workers = count;
    context.dynamic_shared = launch.dynamic_shared;
    context.total_shared = launch.static_shared + launch.dynamic_shared;
    context.grid = launch.number;
    context.heap = launch.heap;
    context.parameters = reinterpret_cast<uint64_t>(launch.parameters.data());
    context.parameter_bytes = uint32_t(launch.parameters.size());
    context.workspace = launch.workspace;
    context.own_shared = rank << kRankShift;
    context.cluster_rank = rank;
    context.cluster_size = cluster_blocks;
    const Dim3 blocks{launch.grid.x / cluster.x, launch.grid.y / cluster.y, launch.grid.z / cluster.z};
    const Dim3 own{rank % cluster.x, rank / cluster.x % cluster.y, rank / cluster.x / cluster.y};
    const auto put = [](uint32_t(&to)[3], const Dim3& from) {
      to[0] = from.x;
      to[1] = from.y;
      to[2] = from.z;
    };
    put(context.nclusterid, blocks);
    put(context.cluster_ctaid, own);
    put(context.cluster_nctaid, cluster);
    context.block = &run;
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Worker::set_block(BlockRun& run, uint64_t number) {
  const Dim3 &grid = state->launch->grid, &cluster = state->launch->cluster;
  const uint32_t across = grid.x / cluster.x, down = grid.y / cluster.y;
  const uint32_t at[3] = {uint32_t(number % across), uint32_t(number / across % down),
                          uint32_t(number / (uint64_t(across) * down))};
  for (uint32_t strand = 0; strand < run.count_; ++strand) {
    WarpContext& context = run.strands_[strand].context;
    for (unsigned axis = 0; axis < 3; ++axis) {
      context.clusterid[axis] = at[axis];
      context.ctaid[axis] = at[axis] * context.cluster_nctaid[axis] + context.cluster_ctaid[axis];
    }
    if (state->launch->lane_stacks) std::fill_n(context.lane_stack_used, 32, 0);
  }
}

// All blocks on one fiber, which a trap leaves for good.
void Worker::alone_entry(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  SharedState& state = *worker->state;
  BlockRun& run = *worker->runs[0];
  const void* parameters = state.launch->parameters.data();
  while (!state.stop.load(std::memory_order_relaxed)) {
    const uint64_t number = state.next.fetch_add(1, std::memory_order_relaxed);
    if (number >= state.blocks) break;
    worker->set_block(run, number);
    for (uint32_t warp = 0; warp < state.warps; ++warp) {
      run.current_ = warp;
      state.launch->kernel(&run.strands_[warp].context, parameters);
    }
  }
  run.running_->finish();
}

void Worker::run_alone(MachineFaultGuard& guard) {
  BlockRun& run = *runs[0];
  Fiber& fiber = run.strands_[0].fiber;
  fiber.start(*run.stacks_[0], &alone_entry, this);
  run.resume(guard, fiber, *run.stacks_[0]);
  if (run.fault_.kind != WarpFault::Kind::kNone) report(run);
}

// Makes sure that a further block has what it runs in. False: no memory.
bool Worker::add_run() {
  if (active < prepared) return true;
  if (active == runs.size()) runs.push_back(std::make_unique<BlockRun>());
  if (prepare(*runs[active])) {
    ++prepared;
    return true;
  }
  full = true;
  failed = active == 0;
  if (failed) state->stop = true;
  return false;
}

// Takes the next block, if there is one.
bool Worker::start_block() {
  if (full || state->next.load(std::memory_order_relaxed) >= state->blocks || !add_run()) return false;
  const uint64_t number = state->next.fetch_add(1, std::memory_order_relaxed);
  if (number >= state->blocks) return false;
  BlockRun& run = *runs[active++];
  set_block(run, number);
  run.start(state->launch->kernel, state->launch->parameters.data());
  return true;
}

// Blocks whose strands wait for each other; as many side by side as it takes for one of them to go on.
void Worker::run_waiting(MachineFaultGuard& guard) {
  uint32_t idle_rounds = 0;
  Clock::time_point waiting_since;
  state->working.fetch_add(1);
  while (!state->stop.load(std::memory_order_relaxed)) {
    if (active == 0 && !start_block()) break;
    bool idle = true;
    for (size_t i = 0; i < active;) {
      const BlockRun::Round round = runs[i]->round(guard);
      if (round == BlockRun::Round::kFault) {
        report(*runs[i]);
        return;
      }
      idle = idle && round == BlockRun::Round::kIdle;
      if (round == BlockRun::Round::kEnded) {
        // The others keep their order: earlier blocks come first.
        std::rotate(runs.begin() + std::ptrdiff_t(i), runs.begin() + std::ptrdiff_t(i) + 1,
                    runs.begin() + std::ptrdiff_t(active));
        --active;
      } else {
        ++i;
      }
    }
    if (!idle) {
      if (idle_rounds > kPatience) state->working.fetch_add(1);
      idle_rounds = 0;
    } else if (!run_further(idle_rounds, waiting_since)) {
      return;
    }
  }
  if (idle_rounds <= kPatience) state->working.fetch_sub(1);
}

// All blocks only wait. False: they will do so for ever.
bool Worker::run_further(uint32_t& idle_rounds, Clock::time_point& waiting_since) {
  if (idle_rounds < kPatience) {
    if (++idle_rounds % 16 == 0) std::this_thread::yield();
    return true;
  }
  bool started = false;
  for (size_t more = active; more != 0 && active < state->most_blocks && start_block(); --more) started = true;
  if (started) {
    if (idle_rounds > kPatience) state->working.fetch_add(1);
    idle_rounds = kPatience;
    return true;
  }
  std::this_thread::yield();
  if (idle_rounds == kPatience) {
    ++idle_rounds;
    state->working.fetch_sub(1);
    waiting_since = Clock::now();
    return true;
  }
  // With blocks left to start, no worker but waiting ones, and time gone by, nothing will change.
  if (state->next.load(std::memory_order_relaxed) >= state->blocks || state->working.load() != 0 ||
      Clock::now() - waiting_since < kMostWaiting)
    return true;
  BlockRun& run = *runs[0];
  run.fault_ = {.kind = WarpFault::Kind::kResidency, .detail = uint32_t(state->next.load())};
  report(run);
  return false;
}

void Worker::run() {
  MachineFaultGuard guard(&BlockRun::machine_fault);
  active = prepared = 0;
  failed = full = false;
  if (!add_run()) return;
  state->launch->waits ? run_waiting(guard) : run_alone(guard);
}

// The first fault counts; those that stop because of it are none.
void Worker::report(const BlockRun& run) {
  state->stop = true;
  if (run.fault_.kind == WarpFault::Kind::kStopped) return;
  const std::lock_guard lock(state->mutex);
  if (state->fault.kind != WarpFault::Kind::kNone) return;
  state->fault = run.fault_;
  std::copy_n(run.strands_[run.current_].context.ctaid, 3, state->fault_block);
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
  error.message =
      std::string("illegal address: ") + (fault.write ? "write to " : "read of ") + hexadecimal(fault.address);
  if (launch.memory != nullptr) error.message += ", " + launch.memory->explain(fault.address);
}

static Error fault_error(const GridLaunch& launch, const WarpFault& fault, const uint32_t (&block)[3]) {
  const std::string where = "block " + std::to_string(block[0]) + "," + std::to_string(block[1]) + "," +
                            std::to_string(block[2]) + ", warp " + std::to_string(fault.warp);
  Error error = runtime_error("");
  switch (fault.kind) {
    case WarpFault::Kind::kTrap:
      error.message = "the kernel executed trap or brkpt (" + where + ")";
      error.fix = "Both are the program's own report of a failed check; look at the line";
      break;
    case WarpFault::Kind::kFree:
      error.message = "free of an address that malloc did not give or free already took (" + where + ")";
      error.fix = "Run it with --device sim to see the thread and the address";
      break;
    case WarpFault::Kind::kDeadlock:
      error.message = "deadlock: " + std::to_string(fault.detail) + " warps wait at " +
                      (fault.barrier == BlockRun::kBarriers ? "the cluster's barrier"
                                                            : "barrier " + std::to_string(fault.barrier)) +
                      " for warps that never arrive (block " + std::to_string(block[0]) + "," +
                      std::to_string(block[1]) + "," + std::to_string(block[2]) + ")";
      error.fix = "All warps that a barrier counts must reach it";
      break;
    case WarpFault::Kind::kStack:
      error.message =
          "calls nested too deep: the stack of " + std::to_string(fault.detail) + " KiB is full (" + where + ")";
      error.fix = "Check for recursion that does not end; --device sim names the thread";
      break;
    case WarpFault::Kind::kLaneStack:
      error.message = "alloca of " + std::to_string(fault.detail) + " bytes: a thread has at most " +
                      std::to_string(kLaneStackBytes) + " (" + where + ")";
      error.fix = "Take less, or give it back with stackrestore";
      break;
    case WarpFault::Kind::kAssertion:
      error.message = fault.text;
      error.fix = "The program's own check failed; look at its source";
      break;
    case WarpFault::Kind::kApart:
      error.message = "deadlock: lanes wait for lanes of their warp that never come (" + where + ", member mask " +
                      hexadecimal(fault.detail) + ")";
      error.fix = "All lanes of a member mask must execute the same instruction";
      break;
    case WarpFault::Kind::kHandle:
      error.message = std::string(fault.barrier != 0 ? "surface access with a handle that is no live surface"
                                                     : "texture fetch with a handle that is no live texture") +
                      " (" + where + ")";
      error.fix = "Pass the handle of an image that still exists";
      break;
    case WarpFault::Kind::kTexelType:
      error.message = std::string("texture fetch of the wrong type: the image holds ") +
                      (fault.detail != 0 ? "floats" : "integers") + " (" + where + ")";
      error.fix = "Fetch .f32 from images of floats, .s32 or .u32 from images of integers";
      break;
    case WarpFault::Kind::kSurface:
      error.message = fault.barrier == 0 ? "surface access outside of the image"
                                         : "surface access at byte " + std::to_string(int32_t(fault.detail)) +
                                               " of a row, which is not a multiple of " + std::to_string(fault.barrier);
      error.message += " (" + where + ")";
      error.fix = "Check the coordinates; x counts bytes (of .p: texels)";
      break;
    case WarpFault::Kind::kResidency: {
      const uint64_t x = launch.grid.x, y = launch.grid.y, next = fault.detail;
      error.message = "blocks wait in a loop for others that can't start: " + std::to_string(next) +
                      " have, the next is block " + std::to_string(next % x) + "," + std::to_string(next / x % y) +
                      "," + std::to_string(next / (x * y));
      error.found = std::to_string(uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z) + " blocks";
      error.expected = "at most " + std::to_string(Scheduler::kMostStrands) +
                       (launch.by_lanes ? " threads" : " warps") + " in a grid whose blocks wait for later ones";
      error.fix = "Launch fewer or smaller blocks";
      break;
    }
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
  const uint32_t in_cluster = launch.cluster.x * launch.cluster.y * launch.cluster.z;
  state.blocks = blocks / in_cluster;
  state.threads_in_block = uint32_t(threads);
  state.warps = uint32_t((threads + 31) / 32);
  state.block_strands = launch.by_lanes ? state.threads_in_block : state.warps;
  // Lanes of a warp are strands in a row that begins at a multiple of 32.
  state.stride = in_cluster > 1 && launch.by_lanes ? state.warps * 32 : state.block_strands;
  state.strands = state.stride * in_cluster;
  const uint64_t together = launch.waits ? std::max(1u, kMostStrands / state.strands) : threads_;
  const unsigned workers = unsigned(std::min<uint64_t>({threads_, state.blocks, together}));
  state.most_blocks = uint32_t(std::max<uint64_t>(1, together / workers));
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
  for (unsigned i = 0; i < workers; ++i)
    if (workers_[i]->failed && state.fault.kind == WarpFault::Kind::kNone)
      return runtime_error("no memory for the blocks of a launch", "Launch smaller blocks");
  if (broken != nullptr)
    *broken = state.fault.kind == WarpFault::Kind::kMachine || state.fault.kind == WarpFault::Kind::kStack;
  if (state.fault.kind != WarpFault::Kind::kNone) return fault_error(launch, state.fault, state.fault_block);
  return {};
}

}  // namespace ww::cpu
