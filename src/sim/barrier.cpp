// bar and barrier: sync, arrive and reductions. (PTX ISA, "bar, barrier".)
//
// Aligned forms wait first until all live lanes of the warp have arrived at the same instruction (Op kind kWarpSync),
// so that a barrier in divergent code is a deadlock that is named; the others count lanes as they come. Exited threads
// count as arrived at barriers without a thread count.
#include "sim/barrier.h"

#include <bit>

#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {
namespace {

void arrive_aligned(Warp& warp, const Op& op, uint32_t mask) {
  warp.block.arrive(warp, op, mask);
}

}  // namespace

bool is_block_barrier(const Op& op) {
  return op.kind == OpKind::kBarrier || (op.kind == OpKind::kWarpSync && op.handler == arrive_aligned);
}

void Block::release_if_complete(Barrier& barrier) {
  if (barrier.arrived == 0) return;
  if (barrier.arrived < (barrier.expected != 0 ? barrier.expected : live_threads)) return;
  // Waiters may belong to several frames: results go in lane by lane.
  for (const Barrier::Waiter& waiter : barrier.waiting) {
    Warp& warp = *waiter.warp;
    Frame* own = warp.frame;
    warp.frame = warp.frames[waiter.lane];
    const uint32_t bit = 1u << waiter.lane;
    switch (static_cast<BarrierKind>(waiter.op->detail)) {
      case BarrierKind::kReducePopc:
        warp.write(waiter.op->destination)[waiter.lane] = barrier.votes;
        break;
      case BarrierKind::kReduceAnd:
        warp.set_predicate(waiter.op->destination, barrier.votes == barrier.arrived ? bit : 0, bit);
        break;
      case BarrierKind::kReduceOr:
        warp.set_predicate(waiter.op->destination, barrier.votes != 0 ? bit : 0, bit);
        break;
      default:
        break;
    }
    warp.trace(*waiter.op, bit);
    warp.frame = own;
    warp.state[waiter.lane] = LaneState::kRunning;
    warp.running |= bit;
  }
  barrier.arrived = barrier.expected = barrier.votes = 0;
  barrier.waiting.clear();
}

void Block::exited() {
  for (Barrier& barrier : barriers_)
    if (barrier.expected == 0) release_if_complete(barrier);
}

void Block::arrive(Warp& warp, const Op& op, uint32_t mask) {
  const auto kind = static_cast<BarrierKind>(op.detail);
  const LaneValues& numbers = warp.read(op.source[0]);
  const LaneValues* counts = op.source[1] ? &warp.read(op.source[1]) : nullptr;
  const uint32_t votes = op.source[2] ? warp.predicate(op.source[2]) : 0;
  each_lane(mask, [&](unsigned lane) {
    const uint32_t number = uint32_t(numbers[lane]);
    if (number > 15) return warp.fault(op, lane, "barrier number " + std::to_string(number) + " (0 to 15 exist)");
    Barrier& barrier = barriers_[number];
    const uint32_t expected = counts ? uint32_t((*counts)[lane]) : 0;
    if (counts && (expected == 0 || expected % kLanes != 0))
      return warp.fault(
          op, lane, "barrier with a thread count of " + std::to_string(expected) + ", which is not a multiple of 32");
    if (barrier.arrived != 0 && barrier.expected != expected)
      return warp.fault(op, lane,
                        "barrier " + std::to_string(number) + " used with a thread count of " +
                            std::to_string(expected) + " while others wait for " +
                            (barrier.expected ? std::to_string(barrier.expected) : "all threads"));
    barrier.expected = expected;
    ++barrier.arrived;
    barrier.votes += votes >> lane & 1;
    if (kind == BarrierKind::kArrive) return;
    barrier.waiting.push_back({&warp, lane, &op});
    warp.state[lane] = LaneState::kAtBarrier;
    warp.running &= ~(1u << lane);
  });
  if (failed() || kind == BarrierKind::kArrive) warp.trace(op, mask);
  if (failed()) return;
  const unsigned first = unsigned(std::countr_zero(mask));
  const uint32_t number = uint32_t(numbers[first]);
  Barrier& barrier = barriers_[number];
  if (barrier.expected != 0 && barrier.arrived > barrier.expected)
    return warp.fault(op, first,
                      "more threads than the barrier's count of " + std::to_string(barrier.expected) +
                          " arrived at barrier " + std::to_string(number));
  for (Barrier& each : barriers_) release_if_complete(each);
}

namespace {

using ptx::Modifier;
using ptx::Opcode;

void nothing(Warp&, const Op&, uint32_t) {}

void arrive_in_cluster(Warp& warp, const Op& op, uint32_t mask) {
  warp.block.cluster.arrive(warp, op, mask);
}
void wait_for_cluster(Warp& warp, const Op& op, uint32_t mask) {
  warp.block.cluster.wait(warp, op, mask);
}

}  // namespace

bool decode_barrier(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode != Opcode::kBar && instruction.opcode != Opcode::kBarrier) return false;
  const auto operands = decoder.operands(instruction);
  if (instruction.has(Modifier::kCluster)) {
    const bool arrives = instruction.has(Modifier::kArrive);
    op.handler = arrives ? arrive_in_cluster : wait_for_cluster;
    op.kind = arrives ? OpKind::kPlain : OpKind::kClusterWait;
    return true;
  }
  if (instruction.has(Modifier::kWarp)) {
    op.kind = OpKind::kWarpSync;
    op.handler = nothing;
    op.members = decoder.value(operands[0]);
    return true;
  }
  const bool aligned = instruction.opcode == Opcode::kBar || instruction.has(Modifier::kAligned);
  op.kind = aligned ? OpKind::kWarpSync : OpKind::kBarrier;
  op.handler = arrive_aligned;
  BarrierKind kind = BarrierKind::kSync;
  size_t next = 0;
  if (instruction.has(Modifier::kArrive)) kind = BarrierKind::kArrive;
  if (instruction.has(Modifier::kRed)) {
    kind = instruction.has(Modifier::kPopc)  ? BarrierKind::kReducePopc
           : instruction.has(Modifier::kAnd) ? BarrierKind::kReduceAnd
                                             : BarrierKind::kReduceOr;
    op.destination = decoder.value(operands[next++]);
    op.source[2] = decoder.predicate(operands.back());
  }
  op.detail = uint32_t(kind);
  const size_t end = operands.size() - (instruction.has(Modifier::kRed) ? 1 : 0);
  op.source[0] = decoder.value(operands[next++]);
  if (next < end) op.source[1] = decoder.value(operands[next]);
  return true;
}

}  // namespace ww::sim
