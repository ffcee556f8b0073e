// cp.async (copies are done at once, waits are nothing) and mbarrier objects. (PTX ISA, "cp.async", "mbarrier".)
#include <cstring>

#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

void nothing(Warp&, const Op&, uint32_t) {}

// source: destination base, source base, bytes to read (rest zero); extra[first_extra] is unused. immediate:
// destination offset; target: index of the source offset's constant.
void copy(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &to_base = warp.read(op.source[0]), &from_base = warp.read(op.source[1]);
  const LaneValues* sizes = op.source[2] ? &warp.read(op.source[2]) : nullptr;
  const uint32_t ignored = op.source[3] ? warp.predicate(op.source[3]) : 0;
  const uint64_t from_offset = warp.read(op.source[4])[0];
  each_lane(mask, [&](unsigned lane) {
    uint32_t size = sizes ? uint32_t((*sizes)[lane]) : op.bytes;
    if (ignored >> lane & 1) size = 0;
    if (size > op.bytes)
      return warp.fault(op, lane,
                        "cp.async reads " + std::to_string(size) + " of " + std::to_string(op.bytes) + " bytes");
    uint8_t data[16] = {};
    if (size != 0) {
      const uint8_t* from =
          locate(warp, op, lane, Space::kGlobal, from_base[lane] + from_offset, size, 1, Access::kRead);
      if (!from) return;
      std::memcpy(data, from, size);
    }
    uint8_t* to = locate_checked(warp, op, lane, Space::kShared, uint32_t(to_base[lane] + uint64_t(op.immediate)),
                                 op.bytes, op.bytes, Access::kWrite);
    if (to) std::memcpy(to, data, op.bytes);
  });
}

// The 64 bits of an mbarrier: counts of arrivals, the phase, and outstanding bytes.
struct MBarrier {
  uint64_t expected : 20, pending : 20, phase : 1, valid : 1;
  int64_t bytes : 22;
};
static_assert(sizeof(MBarrier) == 8);

MBarrier* barrier_at(Warp& warp, const Op& op, unsigned lane, const LaneValues& base) {
  uint64_t address = base[lane] + uint64_t(op.immediate);
  if (op.space == Space::kShared) address = uint32_t(address);
  uint8_t* place = locate_checked(warp, op, lane, op.space, address, 8, 8, Access::kAtomic);
  if (!place) return nullptr;
  auto* barrier = reinterpret_cast<MBarrier*>(place);
  if (!barrier->valid) {
    warp.fault(op, lane, "use of an mbarrier that was not initialised");
    return nullptr;
  }
  return barrier;
}
uint64_t state_of(const MBarrier& barrier) {
  uint64_t state;
  std::memcpy(&state, &barrier, 8);
  return state;
}
void complete_if_done(MBarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  barrier.phase ^= 1;
  barrier.pending = barrier.expected;
}

void init(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &counts = warp.read(op.source[1]);
  each_lane(mask, [&](unsigned lane) {
    uint64_t address = base[lane] + uint64_t(op.immediate);
    if (op.space == Space::kShared) address = uint32_t(address);
    uint8_t* place = locate_checked(warp, op, lane, op.space, address, 8, 8, Access::kWrite);
    if (!place) return;
    const auto count = uint32_t(counts[lane]);
    if (count == 0 || count >= 1u << 20)
      return warp.fault(op, lane, "mbarrier with a count of " + std::to_string(count));
    MBarrier barrier{};
    barrier.expected = barrier.pending = count;
    barrier.valid = 1;
    std::memcpy(place, &barrier, 8);
  });
}
void invalidate(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  each_lane(mask, [&](unsigned lane) {
    if (MBarrier* barrier = barrier_at(warp, op, lane, base)) barrier->valid = 0;
  });
}

// flag: .expect_tx (the last operand is bytes); detail: 1 drops the thread from later phases.
void arrive(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  const LaneValues* operand = op.source[1] ? &warp.read(op.source[1]) : nullptr;
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    MBarrier* barrier = barrier_at(warp, op, lane, base);
    if (!barrier) return;
    const uint64_t state = state_of(*barrier);
    uint32_t count = 1;
    if (op.flag)
      barrier->bytes += int64_t(uint32_t((*operand)[lane]));
    else if (operand)
      count = uint32_t((*operand)[lane]);
    if (count > barrier->pending) return warp.fault(op, lane, "more arrivals at an mbarrier than its count");
    barrier->pending -= count;
    if (op.detail == 1) barrier->expected -= count;
    complete_if_done(*barrier);
    d[lane] = state;
  });
}
void transaction(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &bytes = warp.read(op.source[1]);
  each_lane(mask, [&](unsigned lane) {
    MBarrier* barrier = barrier_at(warp, op, lane, base);
    if (!barrier) return;
    barrier->bytes += op.flag ? int64_t(uint32_t(bytes[lane])) : -int64_t(uint32_t(bytes[lane]));
    complete_if_done(*barrier);
  });
}

// flag: .parity
void test_wait(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &states = warp.read(op.source[1]);
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) {
    MBarrier* barrier = barrier_at(warp, op, lane, base);
    if (!barrier) return;
    const uint64_t waited = op.flag ? states[lane] & 1 : states[lane] >> 40 & 1;
    bits |= uint32_t{barrier->phase != waited} << lane;
  });
  warp.set_predicate(op.destination, bits, mask);
}
void pending_count(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& states = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = states[lane] >> 20 & 0xfffff; });
}

bool decode_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  op.space = space_of(instruction);
  if (instruction.has(Modifier::kPendingCount)) {
    op.handler = pending_count;
    op.destination = decoder.destination(operands[0]);
    op.source[0] = decoder.value(operands[1]);
    return true;
  }
  if (instruction.has(Modifier::kTestWait) || instruction.has(Modifier::kTryWait)) {
    op.handler = test_wait;
    op.flag = instruction.has(Modifier::kParity);
    op.destination = decoder.predicate(operands[0]);
    decoder.address(operands[1], op);
    op.source[1] = decoder.value(operands[2]);
    return true;
  }
  size_t next = 0;
  if (operands[0].kind != OperandKind::kAddress) op.destination = decoder.destination(operands[next++]);
  decoder.address(operands[next++], op);
  if (next < operands.size()) op.source[1] = decoder.value(operands[next]);
  if (instruction.has(Modifier::kInit))
    op.handler = init;
  else if (instruction.has(Modifier::kInval))
    op.handler = invalidate;
  else if (instruction.has(Modifier::kArrive) || instruction.has(Modifier::kArriveDrop))
    op.handler = arrive;
  else if (instruction.has(Modifier::kExpectTx) || instruction.has(Modifier::kCompleteTx))
    op.handler = transaction;
  else
    return false;
  op.flag = instruction.has(Modifier::kExpectTx);
  op.detail = instruction.has(Modifier::kArriveDrop) ? 1 : 0;
  return true;
}

}  // namespace

bool decode_async(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode == Opcode::kMbarrier) return decode_mbarrier(decoder, instruction, op);
  if (instruction.opcode != Opcode::kCp || !instruction.has(Modifier::kAsync) || instruction.has(Modifier::kBulk))
    return false;
  const auto operands = decoder.operands(instruction);
  if (instruction.has(Modifier::kCommitGroup) || instruction.has(Modifier::kWaitGroup) ||
      instruction.has(Modifier::kWaitAll)) {
    op.handler = nothing;
    return true;
  }
  if (instruction.has(Modifier::kMbarrier)) {
    // The copies are complete: the arrival happens now. Without .noinc the pending count was raised first: no net
    // change.
    op.space = space_of(instruction);
    decoder.address(operands[0], op);
    op.handler = instruction.has(Modifier::kNoinc) ? arrive : nothing;
    return true;
  }
  if (operands.size() < 3 || operands[2].kind != OperandKind::kInteger) return false;
  Op from;
  decoder.address(operands[1], from);
  decoder.address(operands[0], op);
  op.handler = copy;
  op.source[1] = from.source[0];
  op.source[4] = decoder.constant(uint64_t(from.immediate));
  op.bytes = uint8_t(operands[2].value);
  if (op.bytes > 16) return false;
  if (operands.size() > 3 && !instruction.has(Modifier::kL2CacheHint)) {
    if (decoder.is_predicate(operands[3]))
      op.source[3] = decoder.predicate(operands[3]);
    else
      op.source[2] = decoder.value(operands[3]);
  }
  return true;
}

}  // namespace ww::sim
