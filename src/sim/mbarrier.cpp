// mbarrier. What an operation makes of an object is devicelib's; here stand the checks. (PTX ISA, "mbarrier".)
#include "sim/mbarrier.h"

#include <cstring>
#include <string>

#include "devicelib/devicelib.h"
#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using namespace devicelib;
using ptx::Modifier;
using ptx::OperandKind;
using ptx::Space;

uint64_t load(const uint8_t* place) {
  uint64_t object;
  std::memcpy(&object, place, 8);
  return object;
}
void store(uint8_t* place, uint64_t object) {
  std::memcpy(place, &object, 8);
}

uint64_t address_of(const Op& op, uint64_t base) {
  const uint64_t address = base + uint64_t(op.immediate);
  return op.space == Space::kShared ? uint32_t(address) : address;
}

void init(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &counts = warp.read(op.source[1]);
  each_lane(mask, [&](unsigned lane) {
    uint8_t* place = locate_checked(warp, op, lane, op.space, address_of(op, base[lane]), 8, 8, Access::kWrite);
    if (!place) return;
    const auto count = uint32_t(counts[lane]);
    if (count == 0 || count >= 1u << 20)
      return warp.fault(op, lane, "mbarrier with a count of " + std::to_string(count));
    store(place, ww_mbarrier_object(count));
  });
}
void invalidate(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  each_lane(mask, [&](unsigned lane) {
    if (uint8_t* place = mbarrier_at(warp, op, lane, op.space, address_of(op, base[lane]))) store(place, 0);
  });
}

// flag: .expect_tx (the last operand is bytes); detail: 1 drops the arrivals from later phases.
void arrive(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  const LaneValues* operand = op.source[1] ? &warp.read(op.source[1]) : nullptr;
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    uint8_t* place = mbarrier_at(warp, op, lane, op.space, address_of(op, base[lane]));
    if (!place) return;
    const uint64_t state = load(place);
    const uint32_t value = operand ? uint32_t((*operand)[lane]) : 1;
    if ((op.flag ? 1 : value) > ww_mbarrier_pending(state))
      return warp.fault(op, lane, "more arrivals at an mbarrier than its count");
    const auto after = op.flag ? (op.detail == 1 ? ww_mbarrier_after_expect_drop : ww_mbarrier_after_expect_arrival)
                               : (op.detail == 1 ? ww_mbarrier_after_drop : ww_mbarrier_after_arrival);
    store(place, after(state, value));
    d[lane] = state;
  });
}
// flag: .expect_tx, else .complete_tx
void transaction(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &bytes = warp.read(op.source[1]);
  each_lane(mask, [&](unsigned lane) {
    uint8_t* place = mbarrier_at(warp, op, lane, op.space, address_of(op, base[lane]));
    if (!place) return;
    const auto after = op.flag ? ww_mbarrier_after_expect : ww_mbarrier_after_complete;
    store(place, after(load(place), uint32_t(bytes[lane])));
  });
}

// flag: .parity
void test_wait(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &states = warp.read(op.source[1]);
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) {
    const uint8_t* place = mbarrier_at(warp, op, lane, op.space, address_of(op, base[lane]));
    if (!place) return;
    const bool over = op.flag ? ww_mbarrier_has_left_parity(load(place), uint32_t(states[lane]))
                              : ww_mbarrier_has_left_phase(load(place), states[lane]);
    bits |= uint32_t{over} << lane;
  });
  warp.set_predicate(op.destination, bits, mask);
}

}  // namespace

uint8_t* mbarrier_at(Warp& warp, const Op& op, unsigned lane, Space space, uint64_t address) {
  uint8_t* place = locate_checked(warp, op, lane, space, address, 8, 8, Access::kAtomic);
  if (!place || ww_mbarrier_is_valid(load(place))) return place;
  warp.fault(op, lane, "use of an mbarrier that was not initialised");
  return nullptr;
}

bool complete_bytes(Warp& warp, const Op& op, unsigned lane, Space space, uint64_t address, uint32_t bytes) {
  uint8_t* place = mbarrier_at(warp, op, lane, space, address);
  if (place) store(place, ww_mbarrier_after_complete(load(place), bytes));
  return place != nullptr;
}

void decode_plain_arrival(Decoder& decoder, const ptx::Instruction& instruction, const ptx::Operand& address, Op& op) {
  op.space = space_of(instruction);
  decoder.address(address, op);
  op.handler = arrive;
}

bool decode_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  op.space = space_of(instruction);
  if (instruction.has(Modifier::kPendingCount)) {
    op.handler = kLaneHandler<&ww_mbarrier_pending>;
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

}  // namespace ww::sim
