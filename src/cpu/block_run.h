// One block, or the blocks of one cluster, while they run: their strands, and what these wait for.
//
// A strand is a flow of control on a stack of its own: a warp, or (where lanes of a warp wait for each other) a single
// lane. Strands of a block take turns on one thread, and change only where they wait or yield.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "cpu/fiber.h"
#include "cpu/machine_fault.h"
#include "cpu/shared_window.h"
#include "cpu/warp_context.h"

namespace ww::cpu {

// What stopped a warp, kept plain: it is written on a fiber that is then abandoned.
struct WarpFault {
  enum class Kind : uint8_t {
    kNone,
    kTrap,
    kDeadlock,
    kBarrierCount,
    kHandle,
    kTexelType,  // a fetch of floats from integers (`detail` 0), or the other way round
    kSurface,
    kFree,
    kMachine,
    kStack,      // the stack of a strand is full
    kLaneStack,  // alloca of `detail` bytes
    kAssertion,  // __assertfail: `text`
    kApart,      // lanes wait for lanes of their warp that never come
    kResidency,  // blocks wait for a block that can't start
    kStopped,    // another block has a fault
  } kind = Kind::kNone;
  uint32_t line = 0;
  uint32_t warp = 0;
  uint32_t barrier = 0;
  uint32_t detail = 0;
  MachineFault machine;
  char text[320] = {};
};

// Reached by runtime functions through WarpContext::block.
class BlockRun {
 public:
  static constexpr unsigned kBarriers = 16;  // of a block; a fault at this one is at the cluster's

  // Arrives for the whole strand and waits until `threads` threads (0: all strands that have not ended) have arrived.
  // Returns the number of threads whose predicate was true, and of those that arrived.
  struct Arrived {
    uint32_t count = 0, threads = 0;
  };
  Arrived wait(WarpContext& context, uint32_t barrier, uint32_t threads, uint32_t set, uint32_t active, uint32_t line);
  void arrive(WarpContext& context, uint32_t barrier, uint32_t threads, uint32_t line);
  // Where strands are lanes: what one brings to an instruction that takes several (MeetFunction).
  struct Meeting {
    uint32_t members = 0;  // of its warp, itself among them; 0: it waits for none
    WarpFunction function = nullptr;
    const void* in = nullptr;
    void* out = nullptr;
    const uint8_t* layout = nullptr;
  };
  // Waits for the members that have not ended.
  void meet(WarpContext& context, const Meeting& meeting);
  // Ends the strand from within a function.
  [[noreturn]] void exit();
  // The strand arrives at the barrier of the cluster; it waits for the phase that it arrived in.
  void arrive_in_cluster();
  void wait_for_cluster(uint32_t line);
  // Lets others run.
  void yield();
  // Ends the launch.
  [[noreturn]] void fault(WarpFault fault);

 private:
  friend class Scheduler;
  friend struct Worker;

  struct Barrier {
    uint32_t strands = 0;   // that have arrived
    uint32_t expected = 0;  // strands; 0: all
    Arrived arrived;
    std::vector<uint32_t> waiting;  // strands
    uint32_t line = 0;
    uint32_t rank = 0;  // of its block in the cluster
  };

  enum class Step : uint8_t { kReady, kWaiting, kEnded };

  struct Strand {
    WarpContext context;
    Fiber fiber;
    Step step = Step::kEnded;
    bool yielded = false;  // came back by itself, and would only look again
    Arrived result;
    Meeting meeting;
    bool at_cluster_barrier = false;  // it arrived in a phase that is not complete
    WarpKernel kernel = nullptr;
    const void* parameters = nullptr;
  };

  enum class Round : uint8_t { kProgress, kIdle, kEnded, kFault };

  Barrier& barrier_at(uint32_t number) { return barriers_[current_ / stride_ * kBarriers + number % kBarriers]; }
  // Starts all strands.
  void start(WarpKernel kernel, const void* parameters);
  // Every ready strand once. Idle: all of them only yielded.
  Round round(MachineFaultGuard& guard);

  void add(Barrier& barrier, WarpContext& context, uint32_t number, uint32_t threads, uint32_t set, uint32_t active,
           uint32_t line);
  bool complete(const Barrier& barrier) const;
  void release(Barrier& barrier);
  void release_warps();
  void exchange(uint32_t first, uint32_t lanes);
  void report_deadlock();
  void resume(MachineFaultGuard& guard, Fiber& fiber, const FiberStack& stack);
  static void strand_entry(void* strand);
  static void machine_fault(void* run, const MachineFault& fault);

  void release_cluster();

  std::vector<Barrier> barriers_;  // kBarriers of each block
  Barrier cluster_;
  std::deque<Strand> strands_;  // at least count_; they stay where they are
  std::vector<std::unique_ptr<FiberStack>> stacks_;
  size_t stack_bytes_ = 0, below_bytes_ = 0;
  SharedWindow shared_;
  uint32_t count_ = 0;          // strands of this launch
  uint32_t block_strands_ = 0;  // of one block
  uint32_t stride_ = 0;         // from a block's first strand to the next block's; those between do not exist
  uint32_t live_ = 0;           // that have not ended
  std::vector<uint32_t> live_of_block_;
  uint32_t current_ = 0;
  bool by_lanes_ = false;
  const std::atomic<bool>* stop_ = nullptr;
  Fiber* running_ = nullptr;
  WarpFault fault_;
};

}  // namespace ww::cpu
