// The state of 32 lanes: frames of called functions, program counters, who waits for what.
//
// Every lane has its own program counter and frame. Lanes with the same frame and program counter run together; of
// several such groups the one in the deepest call with the lowest program counter runs first, which brings lanes back
// together after a branch, and a group that keeps others waiting too long has to stand back, so that every lane makes
// progress.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/program.h"

namespace ww::sim {

class Block;

// Special registers and other per-lane vectors that an operand may name.
enum class SpecialVector : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kZero,
  kOne,
  kDynamicSharedSize,
  kTotalSharedSize,
  kGridid,
  kWorkspaceLow,
  kWorkspaceHigh,
  kClock,
  kClockHi,
  kClock64,
  kTimer,
  kTimerLow,
  kTimerHigh,
  kClusteridX,
  kClusteridY,
  kClusteridZ,
  kNclusteridX,
  kNclusteridY,
  kNclusteridZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterRank,
  kClusterSize,
  kCount,
};

// One activation of a function by a group of lanes that called it together.
struct Frame {
  const DecodedFunction* function = nullptr;
  Frame* parent = nullptr;
  const Op* call = nullptr;  // the call that made it; null for the entry
  uint32_t return_pc = 0;
  uint32_t depth = 0;
  uint32_t lanes = 0;  // lanes that have not returned from it
  uint32_t carry = 0;  // CC.CF, a bit a lane
  std::vector<LaneValues> values;
  std::vector<uint32_t> predicates;  // a bit a lane
  std::vector<uint8_t> parameters;   // kLanes blocks of function->parameter_bytes
  LaneValues local_base{};           // offset of this frame's local variables in each lane's local memory

  uint8_t* parameter(unsigned lane, uint32_t offset) {
    return parameters.data() + size_t{lane} * function->parameter_bytes + offset;
  }
};

enum class LaneState : uint8_t { kRunning, kAtWarpSync, kAtBarrier, kExited };

// A lane's private memory: a stack that grows with calls and alloca.
struct LocalMemory {
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> written;  // if uninitialised reads are checked
  uint64_t top = 0;              // bytes in use
};

class Warp {
 public:
  Warp(Block& block, unsigned index, const DecodedFunction& entry);

  // The 32 values of an operand, as the current group's frame has it.
  const LaneValues& read(const Ref& ref) const {
    if (ref.kind == RefKind::kRegister) return frame->values[ref.index];
    switch (ref.kind) {
      case RefKind::kConstant:
        return frame->function->constants[ref.index];
      case RefKind::kLocalBase:
        return frame->local_base;
      default:
        return special(static_cast<SpecialVector>(ref.index));
    }
  }
  LaneValues& write(const Ref& ref) { return ref.kind == RefKind::kRegister ? frame->values[ref.index] : sink_; }

  // A bit a lane; constants are 0 or not 0.
  uint32_t predicate(const Ref& ref) const {
    uint32_t bits = 0;
    if (ref.kind == RefKind::kPredicate)
      bits = frame->predicates[ref.index];
    else if (ref.kind == RefKind::kConstant)
      bits = frame->function->constants[ref.index][0] != 0 ? kFullMask : 0;
    return ref.negated ? ~bits : bits;
  }
  void set_predicate(const Ref& ref, uint32_t bits, uint32_t mask) {
    if (ref.kind != RefKind::kPredicate) return;
    uint32_t& place = frame->predicates[ref.index];
    place = (place & ~mask) | (bits & mask);
  }

  // For instructions that join lanes of several frames: one lane's view.
  uint64_t value(const Ref& ref, unsigned lane) {
    frame = frames[lane];
    return read(ref)[lane];
  }
  void set_value(const Ref& ref, unsigned lane, uint64_t value) {
    frame = frames[lane];
    write(ref)[lane] = value;
  }

  const LaneValues& special(SpecialVector which) const;

  // Reports an error of the running instruction: kernel, line, block and thread are added.
  void fault(const Op& op, unsigned lane, std::string message, std::string fix = {});

  // An instruction of the present frame's function has run for the lanes in `mask`: to the launch's trace, if they are
  // in it.
  void trace(const Op& op, uint32_t mask);

  // Makes a frame for the lanes in `mask`, whose local memory begins at their present tops.
  Frame* enter(const DecodedFunction& function, Frame* parent, uint32_t mask);
  // A lane leaves its frame; an empty frame is kept for reuse.
  void leave(unsigned lane);

  unsigned thread_of(unsigned lane) const { return index * kLanes + lane; }

  Block& block;
  unsigned index;
  uint32_t live = 0;                // lanes that exist and have not exited
  uint32_t running = 0;             // lanes that may be scheduled
  uint32_t at_cluster_barrier = 0;  // lanes that arrived at the cluster's barrier, whose phase is not complete
  std::array<Frame*, kLanes> frames{};
  std::array<uint32_t, kLanes> pc{};
  std::array<LaneState, kLanes> state{};
  std::array<uint32_t, kLanes> waits_for{};  // member mask or barrier number
  std::array<uint64_t, kLanes> last_run{};
  Frame* frame = nullptr;   // of the group that runs
  bool stand_back = false;  // the running group used up its turn while others waited
  uint64_t turns = 0;
  const uint32_t traced;  // lanes that the launch's trace wants

 private:
  std::vector<std::unique_ptr<Frame>> pool_;
  std::vector<Frame*> free_;
  std::array<LaneValues, size_t(SpecialVector::kCount)> specials_{};
  mutable LaneValues clock_{};
  LaneValues sink_{};
};

}  // namespace ww::sim
