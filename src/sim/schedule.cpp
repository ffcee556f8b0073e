// The loop that runs a warp: which lanes go next, branches, calls, returns and waits.
#include <algorithm>
#include <bit>

#include "sim/barrier.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {
namespace {

constexpr uint32_t kTurn = 2048;  // instructions a group may run while other lanes of its warp wait for it

// Lanes that run together, and where they have to stop to let others catch up.
struct Group {
  Frame* frame = nullptr;
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t limit = kNone;  // the lowest program counter at which other lanes of this frame wait
  bool others = false;     // other lanes could run, too
};

Group choose(Warp& warp) {
  // Normally the deepest frame and the lowest pc; after a turn, whoever waited longest.
  Group group;
  unsigned leader = kLanes;
  each_lane(warp.running, [&](unsigned lane) {
    if (leader == kLanes) {
      leader = lane;
      return;
    }
    const Frame *a = warp.frames[lane], *b = warp.frames[leader];
    const bool better = warp.stand_back        ? warp.last_run[lane] < warp.last_run[leader]
                        : a->depth != b->depth ? a->depth > b->depth
                        : a != b               ? warp.last_run[lane] < warp.last_run[leader]
                                               : warp.pc[lane] < warp.pc[leader];
    if (better) leader = lane;
  });
  group.frame = warp.frames[leader];
  group.pc = warp.pc[leader];
  ++warp.turns;
  each_lane(warp.running, [&](unsigned lane) {
    if (warp.frames[lane] == group.frame && warp.pc[lane] == group.pc) {
      group.mask |= 1u << lane;
      warp.last_run[lane] = warp.turns;
    } else {
      group.others = true;
      if (!warp.stand_back && warp.frames[lane] == group.frame && warp.pc[lane] > group.pc)
        group.limit = std::min(group.limit, warp.pc[lane]);
    }
  });
  warp.stand_back = false;
  return group;
}

void set_pc(Warp& warp, uint32_t mask, uint32_t pc) {
  each_lane(mask, [&](unsigned lane) { warp.pc[lane] = pc; });
}

// Copies arguments of a call into the callee's frame.
void pass_arguments(Warp& warp, const CallSite& site, Frame& caller, Frame& callee, uint32_t mask) {
  const DecodedFunction& function = *callee.function;
  for (size_t i = 0; i < site.arguments.size() && i < function.formal_offsets.size(); ++i) {
    const CallSite::Argument& argument = site.arguments[i];
    const Ref& formal = function.formal_registers[i];
    each_lane(mask, [&](unsigned lane) {
      const uint32_t bytes = std::min(argument.bytes, function.formal_bytes[i]);
      uint64_t value = 0;
      if (argument.offset == kNone)
        value = warp.read(argument.value)[lane];
      else if (formal)
        std::memcpy(&value, caller.parameter(lane, argument.offset), std::min(bytes, 8u));
      if (formal)
        callee.values[formal.index][lane] = value;
      else if (argument.offset == kNone)
        std::memcpy(callee.parameter(lane, function.formal_offsets[i]), &value, std::min(function.formal_bytes[i], 8u));
      else
        std::memcpy(callee.parameter(lane, function.formal_offsets[i]), caller.parameter(lane, argument.offset), bytes);
      if (!formal && function.formal_locals[i] != kNone) {
        LocalMemory& local = warp.block.locals[warp.thread_of(lane)];
        const uint64_t at = callee.local_base[lane] + function.formal_locals[i];
        std::memcpy(local.bytes.data() + at, callee.parameter(lane, function.formal_offsets[i]),
                    function.formal_bytes[i]);
        if (!local.written.empty())
          std::fill_n(local.written.begin() + ptrdiff_t(at), function.formal_bytes[i], uint8_t{1});
      }
    });
  }
}

// Copies the results of lanes that return into the caller's frame.
void pass_results(const CallSite& site, Frame& caller, Frame& callee, uint32_t mask) {
  const DecodedFunction& function = *callee.function;
  for (size_t i = 0; i < site.results.size() && i < function.return_offsets.size(); ++i) {
    const CallSite::Argument& result = site.results[i];
    const Ref& formal = function.return_registers[i];
    each_lane(mask, [&](unsigned lane) {
      const uint32_t bytes = std::min(result.bytes, function.return_bytes[i]);
      if (result.offset != kNone && !formal) {
        std::memcpy(caller.parameter(lane, result.offset), callee.parameter(lane, function.return_offsets[i]), bytes);
        return;
      }
      uint64_t value = 0;
      if (formal)
        value = callee.values[formal.index][lane];
      else
        std::memcpy(&value, callee.parameter(lane, function.return_offsets[i]), std::min(bytes, 8u));
      if (result.offset != kNone)
        std::memcpy(caller.parameter(lane, result.offset), &value, std::min(result.bytes, 8u));
      else if (result.value.kind == RefKind::kRegister)
        caller.values[result.value.index][lane] = value;
    });
  }
}

void call(Warp& warp, const Op& op, uint32_t mask, uint32_t return_pc) {
  Frame& caller = *warp.frame;
  const CallSite& site = caller.function->calls[op.detail];
  // An indirect call may go to several functions: each gets its own group.
  while (mask != 0 && !warp.block.failed()) {
    const unsigned first = unsigned(std::countr_zero(mask));
    const DecodedFunction* callee = site.callee;
    uint32_t group = mask;
    if (!callee) {
      const LaneValues& targets = warp.read(site.target);
      group = 0;
      each_lane(mask, [&](unsigned lane) { group |= uint32_t{targets[lane] == targets[first]} << lane; });
      callee = warp.block.launch.program.function_at(targets[first]);
      if (!callee) return warp.fault(op, first, "indirect call to an address that is no function");
    }
    if (callee->function->is_declaration)
      return warp.fault(op, first,
                        "call of '" + std::string(callee->function->name) + "', which has no body in this module");
    if (caller.depth > 4000)
      return warp.fault(op, first, "calls nested too deeply (4000)", "Check for recursion that does not end");
    Frame* made = warp.enter(*callee, &caller, group);
    made->call = &op;
    made->return_pc = return_pc;
    pass_arguments(warp, site, caller, *made, group);
    each_lane(group, [&](unsigned lane) {
      warp.frames[lane] = made;
      warp.pc[lane] = 0;
    });
    mask &= ~group;
  }
}

bool is_warp_barrier(const Op& op) {
  return op.instruction != nullptr && op.instruction->has(ptx::Modifier::kWarp);
}

// Whether two lanes wait at the same instruction; barriers of the warp and what exchanges values are the same ones
// wherever they stand.
bool same_instruction(const Warp& warp, unsigned a, unsigned b) {
  const DecodedFunction *in_a = warp.frames[a]->function, *in_b = warp.frames[b]->function;
  if (in_a == in_b && warp.pc[a] == warp.pc[b]) return true;
  const Op &at_a = in_a->ops[warp.pc[a]], &at_b = in_b->ops[warp.pc[b]];
  return meets(at_a, at_b) || (is_warp_barrier(at_a) && is_warp_barrier(at_b));
}

// Runs the warp-wide instruction that `first` waits at, if all lanes of its mask have arrived. Their state after it is
// running (a barrier's handler may change that). True if it ran.
bool complete_sync(Warp& warp, unsigned first) {
  const uint32_t pc = warp.pc[first];
  const DecodedFunction* function = warp.frames[first]->function;
  const uint32_t members = warp.waits_for[first] & warp.live;
  uint32_t here = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((members >> lane & 1) != 0 && warp.state[lane] == LaneState::kAtWarpSync &&
        (warp.waits_for[lane] & warp.live) == members && same_instruction(warp, lane, first))
      here |= 1u << lane;
  if (here != members) return false;
  each_lane(members, [&](unsigned lane) {
    warp.state[lane] = LaneState::kRunning;
    ++warp.pc[lane];
  });
  warp.running |= members;
  Frame* own = warp.frame;
  warp.frame = warp.frames[first];
  const Op& op = function->ops[pc];
  op.handler(warp, op, members);
  if (!is_block_barrier(op)) warp.trace(op, members);
  warp.frame = own;
  return true;
}

// Exited lanes are missed by nobody: what waited for them alone can go on.
void complete_waiting(Warp& warp) {
  for (unsigned lane = 0; lane < kLanes && !warp.block.failed(); ++lane)
    if (warp.state[lane] == LaneState::kAtWarpSync) complete_sync(warp, lane);
}

// Lanes arrive at an instruction that needs all lanes of a mask.
void arrive_at_sync(Warp& warp, const Op& op, uint32_t mask, uint32_t pc) {
  const LaneValues* masks = op.members ? &warp.read(op.members) : nullptr;
  each_lane(mask, [&](unsigned lane) {
    const uint32_t members = masks ? uint32_t((*masks)[lane]) : kFullMask;
    if ((members >> lane & 1) == 0)
      warp.fault(op, lane, "instruction executed by a lane that is not in its member mask");
    warp.state[lane] = LaneState::kAtWarpSync;
    warp.waits_for[lane] = members;
    warp.pc[lane] = pc;
  });
  warp.running &= ~mask;
  if (warp.block.failed()) return warp.trace(op, mask);
  // Several disjoint masks may be complete.
  each_lane(mask, [&](unsigned lane) {
    if (warp.state[lane] == LaneState::kAtWarpSync && warp.pc[lane] == pc && !warp.block.failed())
      complete_sync(warp, lane);
  });
}

void exit_lanes(Warp& warp, uint32_t mask) {
  warp.live &= ~mask;
  warp.running &= ~mask;
  each_lane(mask, [&](unsigned lane) { warp.state[lane] = LaneState::kExited; });
  warp.block.live_threads -= unsigned(std::popcount(mask));
  warp.block.exited();
  warp.block.cluster.exited(warp, mask);
  complete_waiting(warp);
}

void return_lanes(Warp& warp, uint32_t mask) {
  Frame& callee = *warp.frame;
  if (!callee.parent) return exit_lanes(warp, mask);
  pass_results(callee.parent->function->calls[callee.call->detail], *callee.parent, callee, mask);
  each_lane(mask, [&](unsigned lane) {
    warp.pc[lane] = callee.return_pc;
    warp.leave(lane);
  });
}

}  // namespace

bool run_warp(Block& block, Warp& warp, uint32_t quantum) {
  LaunchContext& launch = block.launch;
  bool progress = false;
  while (warp.running != 0 && quantum != 0) {
    const Group group = choose(warp);
    warp.frame = group.frame;
    const Op* ops = group.frame->function->ops.data();
    uint32_t pc = group.pc, mask = group.mask;
    const unsigned lanes = unsigned(std::popcount(mask));
    uint32_t turn = group.others ? std::min(quantum, kTurn) : quantum;
    const uint32_t given = turn;
    bool reschedule = false;
    progress = true;
    while (turn != 0 && !reschedule) {
      --turn;
      const Op& op = ops[pc];
      uint32_t active = mask;
      if (op.guard != kNone) {
        const uint32_t bits = warp.frame->predicates[op.guard];
        active &= op.guard_negated ? ~bits : bits;
      }
      launch.lane_instructions += active == mask ? lanes : unsigned(std::popcount(active));
      ++launch.instructions;
      switch (op.kind) {
        case OpKind::kPlain:
          if (active != 0) op.handler(warp, op, active);
          ++pc;
          break;
        case OpKind::kBranch:
          if (active == mask) {
            pc = op.target;
          } else if (active == 0) {
            ++pc;
          } else {
            set_pc(warp, active, op.target);
            set_pc(warp, mask & ~active, pc + 1);
            reschedule = true;
          }
          break;
        case OpKind::kBranchTable: {
          const LaneValues& index = warp.read(op.source[0]);
          set_pc(warp, mask, pc + 1);
          each_lane(active, [&](unsigned lane) {
            if (index[lane] >= op.extra_count)
              warp.fault(op, lane,
                         "brx.idx with index " + std::to_string(index[lane]) + " of " + std::to_string(op.extra_count) +
                             " targets");
            else
              warp.pc[lane] = warp.frame->function->extra[op.first_extra + uint32_t(index[lane])].index;
          });
          reschedule = true;
          break;
        }
        case OpKind::kCall:
          set_pc(warp, mask, pc + 1);
          if (active != 0) call(warp, op, active, pc + 1);
          reschedule = active != 0;
          if (active == 0) ++pc;
          break;
        case OpKind::kReturn:
          set_pc(warp, mask & ~active, pc + 1);
          if (active != 0) return_lanes(warp, active);
          reschedule = active != 0;
          if (active == 0) ++pc;
          break;
        case OpKind::kExit:
          set_pc(warp, mask & ~active, pc + 1);
          if (active != 0) exit_lanes(warp, active);
          reschedule = active != 0;
          if (active == 0) ++pc;
          break;
        case OpKind::kWarpSync:
          if (active == 0) {
            ++pc;
          } else {
            set_pc(warp, mask & ~active, pc + 1);
            arrive_at_sync(warp, op, active, pc);
            // All of the group ran and nobody joined: go straight on.
            if (active == mask && warp.running == mask && !group.others)
              ++pc;
            else
              reschedule = true;
          }
          break;
        case OpKind::kBarrier:
          set_pc(warp, mask, pc + 1);
          if (active != 0) block.arrive(warp, op, active);
          reschedule = active != 0;
          if (active == 0) ++pc;
          break;
        case OpKind::kClusterWait:
          set_pc(warp, mask, pc + 1);
          if (active != 0) op.handler(warp, op, active);
          reschedule = true;
          break;
        case OpKind::kYield:
          ++pc;
          turn = 0;
          break;
        case OpKind::kUnsupported:
          if (active != 0) {
            warp.fault(op, unsigned(std::countr_zero(active)), warp.frame->function->messages[op.detail]);
          }
          ++pc;
          break;
      }
      // Who waits for others is traced when it is done.
      if (warp.traced != 0 && op.kind != OpKind::kWarpSync && op.kind != OpKind::kBarrier &&
          op.kind != OpKind::kClusterWait)
        warp.trace(op, active);
      if (block.failed()) return true;
      // Other lanes wait at `limit`: let them join, or catch up if this group jumped past them.
      if (!reschedule && pc >= group.limit) break;
    }
    if (!reschedule) set_pc(warp, mask & warp.running, pc);
    if (turn == 0 && group.others) warp.stand_back = true;
    quantum -= std::min(quantum, std::max(given - turn, 1u));
  }
  return progress;
}

}  // namespace ww::sim
