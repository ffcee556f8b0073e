// What lanes of a warp do together: shfl, vote, match, redux, elect, activemask. (PTX ISA, "Warp-level instructions".)
//
// The .sync forms run once all lanes of their mask have arrived (schedule.cpp); the old forms without .sync run for the
// lanes that happen to be together.
#include <algorithm>
#include <bit>
#include <iterator>

#include "sim/barrier.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

// Lanes of several frames and places may be here: operands are those of each lane's own instruction.
const Op& own(const Warp& warp, const Op& op, unsigned lane) {
  return op.kind == OpKind::kWarpSync ? warp.frames[lane]->function->ops[warp.pc[lane] - 1] : op;
}
LaneValues gather(Warp& warp, const Op& op, unsigned source, uint32_t mask) {
  LaneValues values{};
  each_lane(mask, [&](unsigned lane) { values[lane] = warp.value(own(warp, op, lane).source[source], lane); });
  return values;
}
uint32_t gather_predicate(Warp& warp, const Op& op, unsigned source, uint32_t mask) {
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) {
    warp.frame = warp.frames[lane];
    bits |= warp.predicate(own(warp, op, lane).source[source]) & (1u << lane);
  });
  return bits;
}
void put(Warp& warp, const Op& op, unsigned lane, uint64_t value) {
  warp.set_value(own(warp, op, lane).destination, lane, value);
}
void put_predicate(Warp& warp, const Op& op, Ref Op::*place, unsigned lane, bool value) {
  const Ref& ref = own(warp, op, lane).*place;
  warp.frame = warp.frames[lane];
  warp.set_predicate(ref, value ? 1u << lane : 0, 1u << lane);
}

enum ShuffleMode : uint32_t { kUp, kDown, kButterfly, kIndex };

// PTX ISA, "shfl.sync". Reading a lane that does not take part is undefined there; here it is an error.
void shuffle(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues a = gather(warp, op, 0, mask), b = gather(warp, op, 1, mask), c = gather(warp, op, 2, mask);
  each_lane(mask, [&](unsigned lane) {
    const uint32_t bval = b[lane] & 31, cval = c[lane] & 31, segment = (c[lane] >> 8) & 31;
    const uint32_t most = (lane & segment) | (cval & ~segment), least = lane & segment;
    uint32_t from = lane;
    bool inside = false;
    switch (op.detail) {
      case kUp:
        from = lane - bval;
        inside = int32_t(from) >= int32_t(most);
        break;
      case kDown:
        from = lane + bval;
        inside = from <= most;
        break;
      case kButterfly:
        from = lane ^ bval;
        inside = from <= most;
        break;
      default:
        from = least | (bval & ~segment);
        inside = from <= most;
        break;
    }
    if (!inside) from = lane;
    if ((mask >> from & 1) == 0) {
      warp.frame = warp.frames[lane];
      // Without .sync a missing lane gives an undefined value: the lane keeps its own.
      if (op.members)
        return warp.fault(op, lane, "shfl reads lane " + std::to_string(from) + ", which does not take part");
      from = lane;
    }
    put(warp, op, lane, a[from]);
    put_predicate(warp, op, &Op::second, lane, inside);
  });
}

enum VoteMode : uint32_t { kAll, kAny, kUniform, kBallot };

void vote(Warp& warp, const Op& op, uint32_t mask) {
  const uint32_t bits = gather_predicate(warp, op, 0, mask);
  const bool results[] = {bits == mask, bits != 0, bits == mask || bits == 0};
  each_lane(mask, [&](unsigned lane) {
    if (op.detail == kBallot)
      put(warp, op, lane, bits);
    else
      put_predicate(warp, op, &Op::destination, lane, results[op.detail]);
  });
}

void active_mask(Warp& warp, const Op& op, uint32_t mask) {
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = mask; });
}

// bytes: width in bits; flag: .all
void match(Warp& warp, const Op& op, uint32_t mask) {
  LaneValues a = gather(warp, op, 0, mask);
  if (op.bytes == 32)
    for (uint64_t& value : a) value = uint32_t(value);
  const unsigned first = unsigned(std::countr_zero(mask));
  bool all = true;
  each_lane(mask, [&](unsigned lane) { all &= a[lane] == a[first]; });
  each_lane(mask, [&](unsigned lane) {
    uint32_t same = 0;
    each_lane(mask, [&](unsigned other) { same |= uint32_t{a[other] == a[lane]} << other; });
    put(warp, op, lane, op.flag ? (all ? mask : 0) : same);
    put_predicate(warp, op, &Op::second, lane, all);
  });
}

enum ReduceMode : uint32_t { kAdd, kMinUnsigned, kMaxUnsigned, kMinSigned, kMaxSigned, kAnd, kOr, kXor };

void reduce(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues a = gather(warp, op, 0, mask);
  uint32_t result = uint32_t(a[unsigned(std::countr_zero(mask))]);
  each_lane(mask & (mask - 1), [&](unsigned lane) {
    const uint32_t b = uint32_t(a[lane]);
    switch (op.detail) {
      case kAdd:
        result += b;
        break;
      case kMinUnsigned:
        result = std::min(result, b);
        break;
      case kMaxUnsigned:
        result = std::max(result, b);
        break;
      case kMinSigned:
        result = uint32_t(std::min(int32_t(result), int32_t(b)));
        break;
      case kMaxSigned:
        result = uint32_t(std::max(int32_t(result), int32_t(b)));
        break;
      case kAnd:
        result &= b;
        break;
      case kOr:
        result |= b;
        break;
      default:
        result ^= b;
        break;
    }
  });
  each_lane(mask, [&](unsigned lane) { put(warp, op, lane, result); });
}

// The lowest lane of the mask is elected.
void elect(Warp& warp, const Op& op, uint32_t mask) {
  const unsigned leader = unsigned(std::countr_zero(mask));
  each_lane(mask, [&](unsigned lane) {
    put(warp, op, lane, leader);
    put_predicate(warp, op, &Op::second, lane, lane == leader);
  });
}

template <size_t N>
uint32_t mode_of(const ptx::Instruction& instruction, const std::pair<Modifier, uint32_t> (&modes)[N]) {
  for (const auto& [modifier, mode] : modes)
    if (instruction.has(modifier)) return mode;
  return 0;
}

}  // namespace

bool meets(const Op& a, const Op& b) {
  if (a.handler != b.handler || a.detail != b.detail || a.flag != b.flag || a.bytes != b.bytes) return false;
  static constexpr Handler kAnywhere[] = {shuffle, vote, match, reduce, elect};
  return std::find(std::begin(kAnywhere), std::end(kAnywhere), a.handler) != std::end(kAnywhere);
}

bool decode_warp(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  const Type type = instruction.type();
  const bool sync = instruction.has(Modifier::kSync);
  const auto destination = [&](const ptx::Operand& operand, bool predicate_only) {
    const bool pair = operand.kind == OperandKind::kPair;
    op.destination = pair ? decoder.destination(decoder.elements(operand)[0]) : decoder.destination(operand);
    if (predicate_only) op.destination = decoder.predicate(operand);
    if (pair) op.second = decoder.predicate(decoder.elements(operand)[1]);
  };
  switch (instruction.opcode) {
    case Opcode::kShfl: {
      static constexpr std::pair<Modifier, uint32_t> kModes[] = {
          {Modifier::kUp, kUp}, {Modifier::kDown, kDown}, {Modifier::kBfly, kButterfly}, {Modifier::kIdx, kIndex}};
      op.handler = shuffle;
      op.detail = mode_of(instruction, kModes);
      destination(operands[0], false);
      for (unsigned i = 0; i < 3; ++i) op.source[i] = decoder.value(operands[i + 1], type);
      break;
    }
    case Opcode::kVote: {
      static constexpr std::pair<Modifier, uint32_t> kModes[] = {
          {Modifier::kAll, kAll}, {Modifier::kAny, kAny}, {Modifier::kUni, kUniform}, {Modifier::kBallot, kBallot}};
      op.handler = vote;
      op.detail = mode_of(instruction, kModes);
      destination(operands[0], op.detail != kBallot);
      op.source[0] = decoder.predicate(operands[1]);
      if (op.source[0].kind == RefKind::kConstant) op.source[0] = decoder.constant(operands[1].value);
      break;
    }
    case Opcode::kActivemask:
      op.handler = active_mask;
      op.destination = decoder.destination(operands[0]);
      return true;
    case Opcode::kMatch:
      op.handler = match;
      op.flag = instruction.has(Modifier::kAll);
      op.bytes = uint8_t(ptx::bits(type));
      destination(operands[0], false);
      op.source[0] = decoder.value(operands[1], type);
      break;
    case Opcode::kRedux: {
      static constexpr std::pair<Modifier, uint32_t> kModes[] = {
          {Modifier::kAddModifier, kAdd}, {Modifier::kAnd, kAnd}, {Modifier::kOr, kOr}, {Modifier::kXor, kXor}};
      op.handler = reduce;
      op.detail = mode_of(instruction, kModes);
      if (instruction.has(Modifier::kMinModifier)) op.detail = ptx::is_signed(type) ? kMinSigned : kMinUnsigned;
      if (instruction.has(Modifier::kMaxModifier)) op.detail = ptx::is_signed(type) ? kMaxSigned : kMaxUnsigned;
      if (ptx::is_float(type)) return decoder.unsupported(op, instruction);
      destination(operands[0], false);
      op.source[0] = decoder.value(operands[1], type);
      break;
    }
    case Opcode::kElect:
      op.handler = elect;
      destination(operands[0], false);
      break;
    default:
      return false;
  }
  if (sync) {
    op.kind = OpKind::kWarpSync;
    op.members = decoder.value(operands.back());
  }
  return true;
}

}  // namespace ww::sim
