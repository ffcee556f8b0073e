#include "sim/warp.h"

#include <algorithm>
#include <bit>

#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {

Warp::Warp(Block& owner, unsigned number, const DecodedFunction& entry)
    : block(owner), index(number), traced(owner.launch.trace ? owner.launch.trace->lanes_of(*this) : 0) {
  const Dim3 size = owner.launch.block, grid = owner.launch.grid, at = owner.position;
  const auto fill = [this](SpecialVector which, uint64_t value) { specials_[size_t(which)].fill(value); };
  fill(SpecialVector::kNtidX, size.x);
  fill(SpecialVector::kNtidY, size.y);
  fill(SpecialVector::kNtidZ, size.z);
  fill(SpecialVector::kCtaidX, at.x);
  fill(SpecialVector::kCtaidY, at.y);
  fill(SpecialVector::kCtaidZ, at.z);
  fill(SpecialVector::kNctaidX, grid.x);
  fill(SpecialVector::kNctaidY, grid.y);
  fill(SpecialVector::kNctaidZ, grid.z);
  fill(SpecialVector::kWarpid, number);
  fill(SpecialVector::kNwarpid, (owner.threads + kLanes - 1) / kLanes);
  fill(SpecialVector::kOne, 1);
  fill(SpecialVector::kDynamicSharedSize, owner.launch.dynamic_shared_bytes);
  fill(SpecialVector::kTotalSharedSize, owner.shared.size());
  fill(SpecialVector::kGridid, 1);
  const auto fill3 = [&](SpecialVector first, const Dim3& value) {
    fill(first, value.x);
    fill(SpecialVector(unsigned(first) + 1), value.y);
    fill(SpecialVector(unsigned(first) + 2), value.z);
  };
  const Dim3 blocks = owner.cluster.shape();
  fill3(SpecialVector::kClusteridX, owner.cluster.number());
  fill3(SpecialVector::kNclusteridX, {grid.x / blocks.x, grid.y / blocks.y, grid.z / blocks.z});
  fill3(SpecialVector::kClusterCtaidX, {at.x % blocks.x, at.y % blocks.y, at.z % blocks.z});
  fill3(SpecialVector::kClusterNctaidX, blocks);
  fill(SpecialVector::kClusterRank, owner.rank);
  fill(SpecialVector::kClusterSize, owner.cluster.size());
  fill(SpecialVector::kWorkspaceLow, uint32_t(owner.launch.workspace));
  fill(SpecialVector::kWorkspaceHigh, owner.launch.workspace >> 32);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint32_t thread = number * kLanes + lane, bit = 1u << lane;
    const auto set = [this, lane](SpecialVector which, uint64_t value) { specials_[size_t(which)][lane] = value; };
    set(SpecialVector::kTidX, thread % size.x);
    set(SpecialVector::kTidY, thread / size.x % size.y);
    set(SpecialVector::kTidZ, thread / size.x / size.y);
    set(SpecialVector::kLaneid, lane);
    set(SpecialVector::kLanemaskEq, bit);
    set(SpecialVector::kLanemaskLt, bit - 1);
    set(SpecialVector::kLanemaskLe, bit | (bit - 1));
    set(SpecialVector::kLanemaskGt, ~(bit | (bit - 1)));
    set(SpecialVector::kLanemaskGe, ~(bit - 1));
    if (thread < owner.threads) live |= bit;
    state[lane] = thread < owner.threads ? LaneState::kRunning : LaneState::kExited;
  }
  running = live;
  Frame* first = enter(entry, nullptr, live);
  frames.fill(first);
  frame = first;
}

const LaneValues& Warp::special(SpecialVector which) const {
  // Clocks count executed instructions: deterministic, and they grow.
  const uint64_t now = block.launch.instructions;
  switch (which) {
    case SpecialVector::kClock:
      clock_.fill(uint32_t(now));
      return clock_;
    case SpecialVector::kClockHi:
      clock_.fill(now >> 32);
      return clock_;
    case SpecialVector::kClock64:
    case SpecialVector::kTimer:
      clock_.fill(now);
      return clock_;
    case SpecialVector::kTimerLow:
      clock_.fill(uint32_t(now));
      return clock_;
    case SpecialVector::kTimerHigh:
      clock_.fill(now >> 32);
      return clock_;
    default:
      return specials_[size_t(which)];
  }
}

Frame* Warp::enter(const DecodedFunction& function, Frame* parent, uint32_t mask) {
  Frame* made = nullptr;
  // A frame of the same function has the right sizes already.
  for (size_t i = free_.size(); i-- > 0;)
    if (free_[i]->function == &function) {
      made = free_[i];
      free_.erase(free_.begin() + ptrdiff_t(i));
      break;
    }
  if (!made) {
    pool_.push_back(std::make_unique<Frame>());
    made = pool_.back().get();
    made->function = &function;
    made->values.resize(function.slots);
    made->predicates.resize(function.predicates);
    made->parameters.resize(size_t{kLanes} * function.parameter_bytes);
  }
  made->parent = parent;
  made->depth = parent ? parent->depth + 1 : 0;
  made->lanes = mask;
  made->carry = 0;
  if (function.local_bytes != 0) {
    each_lane(mask, [&](unsigned lane) {
      LocalMemory& local = block.locals[thread_of(lane)];
      const uint64_t base =
          (local.top + function.local_alignment - 1) / function.local_alignment * function.local_alignment;
      made->local_base[lane] = base;
      local.top = base + function.local_bytes;
      if (local.bytes.size() < local.top) local.bytes.resize(local.top, 0xcd);
      if (block.launch.check_uninitialized) {
        local.written.resize(local.bytes.size());
        std::fill(local.written.begin() + ptrdiff_t(base), local.written.begin() + ptrdiff_t(local.top), 0);
      }
    });
  } else {
    each_lane(mask, [&](unsigned lane) { made->local_base[lane] = block.locals[thread_of(lane)].top; });
  }
  return made;
}

void Warp::leave(unsigned lane) {
  Frame* left = frames[lane];
  block.locals[thread_of(lane)].top = left->local_base[lane];
  left->lanes &= ~(1u << lane);
  if (left->lanes == 0) free_.push_back(left);
  frames[lane] = left->parent;
}

void Warp::trace(const Op& op, uint32_t mask) {
  if ((mask & traced) != 0) block.launch.trace->record(*this, *frame->function, op, mask & traced);
}

void Warp::fault(const Op& op, unsigned lane, std::string message, std::string fix) {
  if (block.failed()) return;
  Error error = runtime_error(std::move(message) + " by " + block.describe_thread(*this, lane), std::move(fix));
  const DecodedFunction& function = *frame->function;
  error.file = function.module->name;
  error.kernel = std::string(block.launch.entry.function->name);
  if (op.instruction) {
    error.line = op.instruction->location.line;
    error.column = op.instruction->location.column;
  }
  block.fail(std::move(error));
}

}  // namespace ww::sim
