#include "cpu/block_run.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace ww::cpu {

void BlockRun::resume(MachineFaultGuard& guard, Fiber& fiber, const FiberStack& stack) {
  running_ = &fiber;
  guard.enter(this, stack.end());
  fiber.resume();
  guard.leave();
}

// Called on the fiber in place of the instruction that faulted.
void BlockRun::machine_fault(void* argument, const MachineFault& fault) {
  auto* run = static_cast<BlockRun*>(argument);
  run->fault({WarpFault::Kind::kMachine, 0, run->strands_[run->current_].context.warp, 0, 0, fault});
}

void BlockRun::strand_entry(void* argument) {
  auto* strand = static_cast<Strand*>(argument);
  strand->kernel(&strand->context, strand->parameters);
  strand->fiber.finish();
}

void BlockRun::start(WarpKernel kernel, const void* parameters) {
  for (Barrier& barrier : barriers_) {
    barrier.strands = 0;
    barrier.arrived = {};
    barrier.waiting.clear();
  }
  for (uint32_t i = 0; i < count_; ++i) {
    Strand& strand = strands_[i];
    strand.step = Step::kReady;
    strand.members = 0;
    strand.kernel = kernel;
    strand.parameters = parameters;
    strand.fiber.start(*stacks_[i], &strand_entry, &strand);
  }
  live_ = count_;
}

BlockRun::Round BlockRun::round(MachineFaultGuard& guard) {
  bool any = false, idle = true;
  for (uint32_t i = 0; i < count_; ++i) {
    Strand& strand = strands_[i];
    if (strand.step != Step::kReady) continue;
    any = true;
    current_ = i;
    strand.yielded = false;
    resume(guard, strand.fiber, *stacks_[i]);
    if (fault_.kind != WarpFault::Kind::kNone) return Round::kFault;
    idle = idle && strand.yielded;
    if (!strand.fiber.finished()) continue;
    strand.step = Step::kEnded;
    --live_;
    // Those that wait for all no longer wait for this one.
    for (Barrier& barrier : barriers_)
      if (barrier.strands != 0 && complete(barrier)) release(barrier);
    if (by_lanes_) release_warps();
  }
  if (live_ == 0) return Round::kEnded;
  if (!any) {
    report_deadlock();
    return Round::kFault;
  }
  return idle ? Round::kIdle : Round::kProgress;
}

void BlockRun::report_deadlock() {
  fault_.kind = WarpFault::Kind::kDeadlock;
  for (uint32_t number = 0; number < kBarriers; ++number) {
    const Barrier& barrier = barriers_[number];
    if (barrier.waiting.empty()) continue;
    fault_.barrier = number;
    fault_.line = barrier.line;
    fault_.detail = uint32_t(barrier.waiting.size());
    return;
  }
}

void BlockRun::fault(WarpFault fault) {
  fault_ = fault;
  running_->suspend();  // and is never resumed
  std::abort();
}

void BlockRun::yield() {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) fault({.kind = WarpFault::Kind::kStopped});
  strands_[current_].yielded = true;
  running_->suspend();
}

// --- barriers

bool BlockRun::complete(const Barrier& barrier) const {
  return barrier.strands >= (barrier.expected == 0 ? live_ : barrier.expected);
}

void BlockRun::release(Barrier& barrier) {
  for (const uint32_t waiting : barrier.waiting) {
    strands_[waiting].result = barrier.arrived;
    strands_[waiting].step = Step::kReady;
  }
  barrier.waiting.clear();
  barrier.strands = 0;
  barrier.arrived = {};
}

void BlockRun::add(Barrier& barrier, WarpContext& context, uint32_t number, uint32_t threads, uint32_t set,
                   uint32_t active, uint32_t line) {
  if (threads % 32 != 0 && threads != 0 && threads < context.warps * 32)
    fault({WarpFault::Kind::kBarrierCount, line, context.warp, number, threads});
  const bool all = threads >= context.ntid[0] * context.ntid[1] * context.ntid[2];
  barrier.expected = all ? count_ : by_lanes_ ? threads : threads / 32;
  barrier.line = line;
  ++barrier.strands;
  barrier.arrived.count += uint32_t(std::popcount(set & active));
  barrier.arrived.threads += uint32_t(std::popcount(active));
}

BlockRun::Arrived BlockRun::wait(WarpContext& context, uint32_t number, uint32_t threads, uint32_t set, uint32_t active,
                                 uint32_t line) {
  Barrier& barrier = barriers_[number % kBarriers];
  Strand& strand = strands_[current_];
  add(barrier, context, number, threads, set, active, line);
  barrier.waiting.push_back(current_);
  strand.step = Step::kWaiting;
  if (complete(barrier))
    release(barrier);
  else
    running_->suspend();
  return strand.result;
}

void BlockRun::arrive(WarpContext& context, uint32_t number, uint32_t threads, uint32_t line) {
  Barrier& barrier = barriers_[number % kBarriers];
  add(barrier, context, number, threads, 0, 0, line);
  if (complete(barrier)) release(barrier);
}

// Lanes that wait in their warp go on when all that they wait for have come, or ended.
void BlockRun::release_warps() {
  for (uint32_t first = 0; first < count_; first += 32) {
    const uint32_t lanes = std::min(32u, count_ - first);
    for (uint32_t i = 0; i < lanes; ++i) {
      const uint32_t members = strands_[first + i].members;
      if (members == 0) continue;
      bool all = true;
      for (uint32_t other = 0; other < lanes; ++other)
        all = all && ((members >> other & 1) == 0 || strands_[first + other].step == Step::kEnded ||
                      strands_[first + other].members == members);
      if (!all) continue;
      for (uint32_t other = 0; other < lanes; ++other) {
        Strand& strand = strands_[first + other];
        if (strand.members != members) continue;
        strand.members = 0;
        strand.step = Step::kReady;
      }
    }
  }
}

void BlockRun::wait_warp(uint32_t members) {
  Strand& strand = strands_[current_];
  strand.members = members | 1u << (current_ % 32);
  strand.step = Step::kWaiting;
  release_warps();
  if (strand.step == Step::kWaiting) running_->suspend();
}

}  // namespace ww::cpu
