#include "cpu/block_run.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

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
  const WarpContext& context = run->strands_[run->current_].context;
  // The closed pages below the stack; all stacks of a block are laid out alike.
  const FiberStack& any = *run->stacks_[0];
  const uint64_t limit = reinterpret_cast<uint64_t>(context.stack_begin + (any.limit() - any.begin()));
  const bool is_stack = fault.kind == MachineFault::Kind::kAddress && fault.address_known &&
                        fault.address + FiberStack::kGuard >= limit && fault.address < limit;
  const auto kind = is_stack ? WarpFault::Kind::kStack : WarpFault::Kind::kMachine;
  run->fault({kind, 0, context.warp, 0, uint32_t(any.size() >> 10), fault});
}

void BlockRun::strand_entry(void* argument) {
  auto* strand = static_cast<Strand*>(argument);
  strand->kernel(&strand->context, strand->parameters);
  strand->fiber.finish();
}

void BlockRun::start(WarpKernel kernel, const void* parameters) {
  const uint32_t blocks = count_ / stride_;
  barriers_.assign(size_t{blocks} * kBarriers, {});
  for (size_t i = 0; i < barriers_.size(); ++i) barriers_[i].rank = uint32_t(i / kBarriers);
  cluster_ = {};
  live_of_block_.assign(blocks, block_strands_);
  for (uint32_t i = 0; i < count_; ++i) {
    Strand& strand = strands_[i];
    strand.step = Step::kEnded;
    strand.meeting = {};
    strand.at_cluster_barrier = false;
    if (i % stride_ >= block_strands_) continue;
    strand.step = Step::kReady;
    strand.kernel = kernel;
    strand.parameters = parameters;
    strand.fiber.start(*stacks_[i], &strand_entry, &strand);
  }
  live_ = blocks * block_strands_;
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
    --live_of_block_[i / stride_];
    if (strand.at_cluster_barrier) --cluster_.strands;
    release_cluster();
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
  if (!cluster_.waiting.empty()) {
    fault_.barrier = kBarriers;
    fault_.line = cluster_.line;
    current_ = cluster_.waiting[0];
    fault_.detail = uint32_t(cluster_.waiting.size());
  }
  for (uint32_t number = 0; number < barriers_.size(); ++number) {
    const Barrier& barrier = barriers_[number];
    if (barrier.waiting.empty()) continue;
    fault_.barrier = number % kBarriers;
    fault_.line = barrier.line;
    current_ = barrier.waiting[0];
    fault_.detail = uint32_t(barrier.waiting.size());
    return;
  }
  for (uint32_t i = 0; i < count_; ++i) {
    if (strands_[i].meeting.members == 0) continue;
    current_ = i;
    const WarpContext& context = strands_[i].context;
    fault_ = {WarpFault::Kind::kApart, context.line, context.warp, 0, strands_[i].meeting.members};
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
  return barrier.strands >= (barrier.expected == 0 ? live_of_block_[barrier.rank] : barrier.expected);
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
  barrier.expected = all ? block_strands_ : by_lanes_ ? threads : threads / 32;
  barrier.line = line;
  ++barrier.strands;
  barrier.arrived.count += uint32_t(std::popcount(set & active));
  barrier.arrived.threads += uint32_t(std::popcount(active));
}

BlockRun::Arrived BlockRun::wait(WarpContext& context, uint32_t number, uint32_t threads, uint32_t set, uint32_t active,
                                 uint32_t line) {
  Barrier& barrier = barrier_at(number);
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
  Barrier& barrier = barrier_at(number);
  add(barrier, context, number, threads, 0, 0, line);
  if (complete(barrier)) release(barrier);
}

// Runs the function at which strands `first` + each of `lanes` have met, and gives them their results.
void BlockRun::exchange(uint32_t first, uint32_t lanes) {
  Meeting& any = strands_[first + uint32_t(std::countr_zero(lanes))].meeting;
  if (any.function == nullptr) return;
  alignas(64) std::byte in[kMostMeetingBytes] = {}, out[kMostMeetingBytes] = {};
  // Each lane's elements, from where `copy(place, element, bytes)` is told that they are.
  const auto each_element = [](const uint8_t* layout, uint32_t lane, auto&& copy) {
    size_t array = 0;
    for (; *layout != 0; ++layout) {
      copy(array + size_t(lane) * *layout, size_t(*layout));
      array += warp_array_bytes(*layout);
    }
    return layout + 1;
  };
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = uint32_t(std::countr_zero(left));
    const Meeting& meeting = strands_[first + lane].meeting;
    each_element(meeting.layout, lane, [&](size_t place, size_t bytes) {
      std::memcpy(in + place, static_cast<const std::byte*>(meeting.in) + place, bytes);
    });
  }
  any.function(&strands_[current_].context, lanes, in, out);
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = uint32_t(std::countr_zero(left));
    const Meeting& meeting = strands_[first + lane].meeting;
    const uint8_t* results = each_element(meeting.layout, lane, [](size_t, size_t) {});
    each_element(results, lane, [&](size_t place, size_t bytes) {
      std::memcpy(static_cast<std::byte*>(meeting.out) + place, out + place, bytes);
    });
  }
}

// --- the barrier of the cluster

void BlockRun::release_cluster() {
  if (cluster_.strands == 0 || cluster_.strands < live_) return;
  for (Strand& strand : strands_) strand.at_cluster_barrier = false;
  release(cluster_);
}

void BlockRun::arrive_in_cluster() {
  Strand& strand = strands_[current_];
  if (strand.at_cluster_barrier) return;
  strand.at_cluster_barrier = true;
  ++cluster_.strands;
  release_cluster();
}

void BlockRun::wait_for_cluster(uint32_t line) {
  Strand& strand = strands_[current_];
  if (!strand.at_cluster_barrier) return;  // the phase is complete
  cluster_.line = line;
  cluster_.waiting.push_back(current_);
  strand.step = Step::kWaiting;
  running_->suspend();
}

// --- warps

// Lanes that wait in their warp go on when all that they wait for have come, or ended.
void BlockRun::release_warps() {
  for (uint32_t first = 0; first < count_; first += 32) {
    const uint32_t lanes = std::min(32u, count_ - first);
    for (uint32_t i = 0; i < lanes; ++i) {
      const Meeting wanted = strands_[first + i].meeting;
      if (wanted.members == 0) continue;
      uint32_t here = 0, gone = 0;
      for (uint32_t other = 0; other < lanes; ++other) {
        const Strand& strand = strands_[first + other];
        const bool same = strand.meeting.members == wanted.members && strand.meeting.function == wanted.function;
        here |= uint32_t(same) << other;
        gone |= uint32_t(strand.step == Step::kEnded) << other;
      }
      if (lanes < 32) gone |= ~0u << lanes;
      if ((wanted.members & ~(here | gone)) != 0) continue;
      exchange(first, here);
      for (uint32_t left = here; left != 0; left &= left - 1) {
        Strand& strand = strands_[first + uint32_t(std::countr_zero(left))];
        strand.meeting = {};
        strand.step = Step::kReady;
      }
    }
  }
}

void BlockRun::meet(WarpContext&, const Meeting& meeting) {
  Strand& strand = strands_[current_];
  strand.meeting = meeting;
  strand.step = Step::kWaiting;
  release_warps();
  if (strand.step == Step::kWaiting) running_->suspend();
}

void BlockRun::exit() {
  running_->finish();
}

}  // namespace ww::cpu
