// mov in all its forms, address conversions (cvta, isspacep, mapa). (PTX ISA, "Data Movement and Conversion
// Instructions".)
#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/memory.h"

namespace ww::sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void move(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& a = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = a[lane]; });
}
void move_plus(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& a = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = a[lane] + uint64_t(op.immediate); });
}
void move_128(Warp& warp, const Op& op, uint32_t mask) {
  move(warp, op, mask);
  const LaneValues& a = warp.read(Decoder::high_half(op.source[0]));
  LaneValues& d = warp.write(Decoder::high_half(op.destination));
  each_lane(mask, [&](unsigned lane) { d[lane] = a[lane]; });
}
void move_predicate(Warp& warp, const Op& op, uint32_t mask) {
  warp.set_predicate(op.destination, warp.predicate(op.source[0]), mask);
}

// {a, b, ...} to one register: `bytes` is the width of an element in bits.
void pack(Warp& warp, const Op& op, uint32_t mask) {
  const auto& extra = warp.frame->function->extra;
  const uint64_t element_mask = op.bytes == 64 ? ~uint64_t{0} : (uint64_t{1} << op.bytes) - 1;
  LaneValues low{}, high{};
  for (uint32_t i = 0; i < op.extra_count; ++i) {
    const LaneValues& a = warp.read(extra[op.first_extra + i]);
    const uint32_t shift = i * op.bytes;
    each_lane(mask,
              [&](unsigned lane) { (shift < 64 ? low : high)[lane] |= (a[lane] & element_mask) << (shift & 63); });
  }
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = low[lane]; });
  if (op.flag) {
    LaneValues& upper = warp.write(Decoder::high_half(op.destination));
    each_lane(mask, [&](unsigned lane) { upper[lane] = high[lane]; });
  }
}
void unpack(Warp& warp, const Op& op, uint32_t mask) {
  const auto& extra = warp.frame->function->extra;
  const uint64_t element_mask = op.bytes == 64 ? ~uint64_t{0} : (uint64_t{1} << op.bytes) - 1;
  // Copies: an element may be the source itself.
  const LaneValues low = warp.read(op.source[0]);
  const LaneValues high = op.flag ? warp.read(Decoder::high_half(op.source[0])) : LaneValues{};
  for (uint32_t i = 0; i < op.extra_count; ++i) {
    if (!extra[op.first_extra + i]) continue;
    LaneValues& d = warp.write(extra[op.first_extra + i]);
    const uint32_t shift = i * op.bytes;
    each_lane(mask, [&](unsigned lane) { d[lane] = ((shift < 64 ? low : high)[lane] >> (shift & 63)) & element_mask; });
  }
}

bool decode_mov(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  const Type type = instruction.type();
  const unsigned width = ptx::bits(type);
  if (operands[0].kind == OperandKind::kVector || operands[1].kind == OperandKind::kVector) {
    const bool packs = operands[1].kind == OperandKind::kVector;
    const ptx::Operand& vector = operands[packs ? 1 : 0];
    op.handler = packs ? pack : unpack;
    op.bytes = uint8_t(width / vector.count);
    op.flag = width == 128;
    decoder.vector(vector, op, !packs, Type::kNone);
    if (packs)
      op.destination = decoder.destination(operands[0]);
    else
      op.source[0] = decoder.value(operands[1], type);
    return true;
  }
  if (type == Type::kPred) {
    op.handler = move_predicate;
    op.destination = decoder.predicate(operands[0]);
    op.source[0] = decoder.predicate(operands[1]);
    return true;
  }
  op.handler = width == 128 ? move_128 : move;
  op.destination = decoder.destination(operands[0]);
  op.source[0] = decoder.value(operands[1], type);
  if (operands[1].kind == OperandKind::kVariable && decoder.in_local_memory(operands[1].index)) {
    op.handler = move_plus;
    op.immediate = int64_t(decoder.local_offset(operands[1].index) + operands[1].value);
  }
  return true;
}

// Where a space's window begins in the generic space.
uint64_t window(Space space) {
  return space == Space::kShared  ? kSharedWindow
         : space == Space::kLocal ? kLocalWindow
         : space == Space::kParam ? kParameterWindow
                                  : 0;
}

// A null pointer of a windowed space stays distinguishable in neither direction: shared address 0 is a valid place.
void generic_to_space(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& a = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = a[lane] - window(op.space); });
}
void space_to_generic(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& a = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = a[lane] + window(op.space) + uint64_t(op.immediate); });
}
void is_space(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& a = warp.read(op.source[0]);
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) {
    const uint64_t address = a[lane];
    const uint64_t base = window(op.space);
    bool inside = base != 0 && address >= base && address < base + kWindowBytes;
    if (op.space == Space::kShared && !op.flag) {  // of the block alone
      const uint64_t field = (address - base) >> kRankShift;
      inside = inside && (field == 0 || field == warp.block.rank + 1);
    }
    if (base == 0) {
      const Allocation* allocation = warp.block.launch.memory.find(address, 1);
      const bool constant = allocation && allocation->read_only;
      // Parameters of a kernel are global, too (seen on an H200).
      const bool windowed = address >= kSharedWindow && address < kLocalWindow + kWindowBytes;
      inside = op.space == Space::kConst ? constant : !windowed && !constant;
    }
    bits |= uint32_t{inside} << lane;
  });
  warp.set_predicate(op.destination, bits, mask);
}
// mapa: the same place in the shared memory of another block of the cluster.
void map_to_rank(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &a = warp.read(op.source[0]), &ranks = warp.read(op.source[1]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    const auto rank = uint32_t(ranks[lane]);
    if (rank >= warp.block.cluster.size())
      return warp.fault(op, lane,
                        "mapa to rank " + std::to_string(rank) + " of a cluster of " +
                            std::to_string(warp.block.cluster.size()) + " blocks");
    d[lane] = (a[lane] & ~(uint64_t{0xff} << kRankShift)) | uint64_t{rank + 1} << kRankShift;
  });
}
void rank_of(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& a = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    const uint32_t field = a[lane] >> kRankShift & 0xff;
    d[lane] = field == 0 ? warp.block.rank : field - 1;
  });
}
void constant_result(Warp& warp, const Op& op, uint32_t mask) {
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = uint64_t(op.immediate); });
}

}  // namespace

bool decode_move(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::kMov:
      return decode_mov(decoder, instruction, op);
    case Opcode::kCvta: {
      op.space = space_of(instruction);
      op.handler = instruction.has(Modifier::kTo) ? generic_to_space : space_to_generic;
      op.destination = decoder.destination(operands[0]);
      op.source[0] = decoder.value(operands[1], instruction.type());
      if (operands[1].kind == OperandKind::kVariable && decoder.in_local_memory(operands[1].index))
        op.immediate = int64_t(decoder.local_offset(operands[1].index) + operands[1].value);
      return true;
    }
    case Opcode::kIsspacep:
      op.space = space_of(instruction);
      op.handler = is_space;
      op.flag = instruction.has(Modifier::kSharedCluster);
      op.destination = decoder.predicate(operands[0]);
      op.source[0] = decoder.value(operands[1]);
      return true;
    case Opcode::kMapa:
      op.handler = map_to_rank;
      op.destination = decoder.destination(operands[0]);
      op.source[0] = decoder.value(operands[1], instruction.type());
      op.source[1] = decoder.value(operands[2]);
      return true;
    case Opcode::kGetctarank:
      op.handler = rank_of;
      op.destination = decoder.destination(operands[0]);
      op.source[0] = decoder.value(operands[1], instruction.type());
      return true;
    case Opcode::kCreatepolicy:  // cache policies change no value
      op.handler = constant_result;
      op.destination = decoder.destination(operands[0]);
      return true;
    default:
      return false;
  }
}

}  // namespace ww::sim
