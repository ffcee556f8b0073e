// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async: done at once, and reported to the mbarrier at once; groups
// and waits have nothing left to do. (PTX ISA, "Data Movement and Conversion Instructions: Bulk copy".)
#include <algorithm>
#include <cstring>
#include <string>

#include "sim/access.h"
#include "sim/atomics.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/mbarrier.h"

namespace ww::sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Space;

constexpr uint32_t kChunk = 16;

void nothing(Warp&, const Op&, uint32_t) {}

// Behind op.first_extra: for each address its base, and the constant added to it.
uint64_t address_of(Warp& warp, const Op& op, uint32_t index, unsigned lane) {
  const Ref* refs = &warp.frame->function->extra[op.first_extra + 2 * index];
  return warp.read(refs[0])[lane] + warp.read(refs[1])[lane];
}
void add_place(Decoder& decoder, const ptx::Operand& operand) {
  Op place;
  decoder.address(operand, place);
  decoder.out().extra.push_back(place.source[0]);
  decoder.out().extra.push_back(decoder.constant(uint64_t(place.immediate)));
}

// extra: destination, source, and (flag) the mbarrier; source[0]: bytes; source[1]: ranks of .multicast.
void copy(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& sizes = warp.read(op.source[0]);
  const ptx::CopySpaces spaces = ptx::copy_spaces(*op.instruction);
  const Combine combine = op.instruction->has(Modifier::kReduce) ? combine_of(*op.instruction) : nullptr;
  const unsigned element = combine ? ptx::bits(op.instruction->type()) / 8 : kChunk;
  each_lane(mask, [&](unsigned lane) {
    const auto bytes = uint32_t(sizes[lane]);
    if (bytes % kChunk != 0)
      return warp.fault(op, lane, "bulk copy of " + std::to_string(bytes) + " bytes, which is no multiple of 16");
    const uint64_t from = address_of(warp, op, 1, lane);
    const auto copy_to = [&](uint64_t to, uint64_t barrier) {
      for (uint32_t at = 0; at < bytes; at += kChunk) {
        const uint8_t* source = locate_checked(warp, op, lane, spaces.from, from + at, kChunk, kChunk, Access::kRead);
        if (!source) return;
        uint8_t data[kChunk];
        std::memcpy(data, source, kChunk);
        uint8_t* place = locate_checked(warp, op, lane, spaces.to, to + at, kChunk, kChunk,
                                        combine ? Access::kAtomic : Access::kWrite);
        if (!place) return;
        if (!combine) std::memcpy(place, data, kChunk);
        for (uint32_t i = 0; combine && i < kChunk; i += element) combine(place + i, data + i);
      }
      if (op.flag) complete_bytes(warp, op, lane, Space::kShared, barrier, bytes);
    };
    const uint64_t to = address_of(warp, op, 0, lane), barrier = op.flag ? address_of(warp, op, 2, lane) : 0;
    if (!op.source[1]) return copy_to(to, barrier);
    const auto ranks = uint32_t(warp.read(op.source[1])[lane] & 0xffff);
    for (uint32_t rank = 0; rank < warp.block.cluster.size() && !warp.block.failed(); ++rank) {
      const auto at_rank = [&](uint64_t address) { return (address & kOffsetMask) | uint64_t{rank + 1} << kRankShift; };
      if (ranks >> rank & 1) copy_to(at_rank(to), at_rank(barrier));
    }
  });
}

// st.async and red.async. extra: destination, mbarrier, then the elements.
void store(Warp& warp, const Op& op, uint32_t mask) {
  const Combine combine = op.instruction->opcode == Opcode::kRed ? combine_of(*op.instruction) : nullptr;
  const auto& extra = warp.frame->function->extra;
  each_lane(mask, [&](unsigned lane) {
    const uint32_t bytes = uint32_t{op.bytes} * op.elements;
    uint8_t* place = locate_checked(warp, op, lane, op.space, address_of(warp, op, 0, lane), bytes, bytes,
                                    combine ? Access::kAtomic : Access::kWrite);
    if (!place) return;
    for (uint32_t i = 0; i < op.elements; ++i) {
      const uint64_t value = warp.read(extra[op.first_extra + 4 + i])[lane];
      uint8_t data[8];
      std::memcpy(data, &value, 8);
      if (combine)
        combine(place + i * op.bytes, data);
      else
        std::memcpy(place + i * op.bytes, data, op.bytes);
    }
    complete_bytes(warp, op, lane, op.space, address_of(warp, op, 1, lane), bytes);
  });
}

bool decode_store(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (!instruction.has(Modifier::kMbarrierCompleteTxBytes)) return false;
  const auto operands = decoder.operands(instruction);
  op.handler = store;
  op.space = space_of(instruction);
  op.bytes = uint8_t(ptx::bits(instruction.type()) / 8);
  op.elements = uint8_t(vector_elements(instruction));
  const auto first = uint32_t(decoder.out().extra.size());
  add_place(decoder, operands[0]);
  add_place(decoder, operands[2]);
  decoder.vector(operands[1], op, false, instruction.type());
  op.first_extra = first;
  return true;
}

}  // namespace

bool decode_bulk_copy(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode == Opcode::kSt || instruction.opcode == Opcode::kRed)
    return decode_store(decoder, instruction, op);
  if (instruction.opcode != Opcode::kCp || instruction.has(Modifier::kTensor)) return false;
  if (instruction.has(Modifier::kCommitGroup) || instruction.has(Modifier::kWaitGroup) ||
      instruction.has(Modifier::kPrefetch)) {
    op.handler = nothing;
    return true;
  }
  const auto operands = decoder.operands(instruction);
  if (operands.size() < 3 || (instruction.has(Modifier::kReduce) && !combine_of(instruction))) return false;
  op.handler = copy;
  op.source[0] = decoder.value(operands[2]);
  op.flag = instruction.has(Modifier::kMbarrierCompleteTxBytes);
  op.first_extra = uint32_t(decoder.out().extra.size());
  add_place(decoder, operands[0]);
  add_place(decoder, operands[1]);
  if (op.flag) add_place(decoder, operands[3]);
  if (instruction.has(Modifier::kMulticastCluster)) op.source[1] = decoder.value(operands[4]);
  return true;
}

}  // namespace ww::sim
