// cp.async: copies are done at once, waits are nothing. (PTX ISA, "cp.async".)
#include <cstring>

#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/mbarrier.h"

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

}  // namespace

bool decode_async(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode == Opcode::kMbarrier) return decode_mbarrier(decoder, instruction, op);
  if (instruction.has(Modifier::kAsync) && (instruction.opcode != Opcode::kCp || instruction.has(Modifier::kBulk)))
    return decode_bulk_copy(decoder, instruction, op);
  if (instruction.opcode != Opcode::kCp) return false;
  const auto operands = decoder.operands(instruction);
  if (instruction.has(Modifier::kCommitGroup) || instruction.has(Modifier::kWaitGroup) ||
      instruction.has(Modifier::kWaitAll)) {
    op.handler = nothing;
    return true;
  }
  if (instruction.has(Modifier::kMbarrier)) {
    // The copies are complete: the arrival happens now. Without .noinc the pending count was raised first: no net
    // change.
    op.handler = nothing;
    if (instruction.has(Modifier::kNoinc)) decode_plain_arrival(decoder, instruction, operands[0], op);
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
