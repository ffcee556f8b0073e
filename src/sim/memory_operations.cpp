// ld, st and what only concerns caches and ordering (prefetch, membar, fence): lanes run one after another, so that all
// memory operations are in order already. (PTX ISA, "Data Movement and Conversion Instructions".)
#include <cstring>

#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

// The bytes of an element widened to a slot.
inline uint64_t load_element(const uint8_t* from, unsigned bytes, bool sign_extend) {
  uint64_t value = 0;
  switch (bytes) {
    case 1:
      value = *from;
      break;
    case 2: {
      uint16_t v;
      std::memcpy(&v, from, 2);
      value = v;
      break;
    }
    case 4: {
      uint32_t v;
      std::memcpy(&v, from, 4);
      value = v;
      break;
    }
    default:
      std::memcpy(&value, from, 8);
      break;
  }
  if (sign_extend) {
    const unsigned shift = 64 - 8 * bytes;
    value = uint64_t(int64_t(value << shift) >> shift);
  }
  return value;
}

// `locate_lane(lane)` gives the bytes of the whole access, or null after a fault.
template <class Locate>
void load_with(Warp& warp, const Op& op, uint32_t mask, Locate locate_lane) {
  const unsigned bytes = op.bytes;
  if (op.extra_count == 1 && bytes <= 8) {
    LaneValues& d = warp.write(warp.frame->function->extra[op.first_extra]);
    each_lane(mask, [&](unsigned lane) {
      if (const uint8_t* from = locate_lane(lane)) d[lane] = load_element(from, bytes, op.sign_extend);
    });
    return;
  }
  // All addresses are read before a destination is written: the base may be among the destinations.
  std::array<const uint8_t*, kLanes> places{};
  each_lane(mask, [&](unsigned lane) { places[lane] = locate_lane(lane); });
  if (warp.block.failed()) return;
  for (uint32_t i = 0; i < op.extra_count; ++i) {
    const Ref& ref = warp.frame->function->extra[op.first_extra + i];
    if (!ref) continue;
    LaneValues& d = warp.write(ref);
    each_lane(mask, [&](unsigned lane) {
      d[lane] = load_element(places[lane] + i * bytes, bytes < 8 ? bytes : 8, op.sign_extend);
    });
    if (bytes == 16) {
      LaneValues& high = warp.write(Decoder::high_half(ref));
      each_lane(mask, [&](unsigned lane) { high[lane] = load_element(places[lane] + i * bytes + 8, 8, false); });
    }
  }
}

template <class Locate>
void store_with(Warp& warp, const Op& op, uint32_t mask, Locate locate_lane) {
  std::array<const LaneValues*, 8> low{}, high{};
  for (uint32_t i = 0; i < op.extra_count; ++i) {
    const Ref& ref = warp.frame->function->extra[op.first_extra + i];
    low[i] = &warp.read(ref);
    if (op.bytes == 16) high[i] = &warp.read(Decoder::high_half(ref));
  }
  each_lane(mask, [&](unsigned lane) {
    uint8_t* to = locate_lane(lane);
    if (!to) return;
    for (uint32_t i = 0; i < op.extra_count; ++i) {
      const uint64_t value = (*low[i])[lane];
      switch (op.bytes) {
        case 1:
          *to = uint8_t(value);
          break;
        case 2:
          std::memcpy(to, &value, 2);
          break;
        case 4:
          std::memcpy(to, &value, 4);
          break;
        case 8:
          std::memcpy(to, &value, 8);
          break;
        default:
          std::memcpy(to, &value, 8);
          std::memcpy(to + 8, &(*high[i])[lane], 8);
      }
      to += op.bytes;
    }
  });
}

// kSpace as a constant lets the checks of one space be inlined.
template <Space kSpace>
void load(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  const uint32_t bytes = op.bytes * op.extra_count;
  load_with(warp, op, mask, [&](unsigned lane) -> const uint8_t* {
    uint64_t address = base[lane] + uint64_t(op.immediate);
    if constexpr (kSpace == Space::kShared || kSpace == Space::kLocal) address = uint32_t(address);
    return locate(warp, op, lane, kSpace, address, bytes, bytes, Access::kRead);
  });
}
template <Space kSpace>
void store(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  const uint32_t bytes = op.bytes * op.extra_count;
  store_with(warp, op, mask, [&](unsigned lane) -> uint8_t* {
    uint64_t address = base[lane] + uint64_t(op.immediate);
    if constexpr (kSpace == Space::kShared || kSpace == Space::kLocal) address = uint32_t(address);
    return locate(warp, op, lane, kSpace, address, bytes, bytes, Access::kWrite);
  });
}

// .param variables of a function call live in the frame.
void load_argument(Warp& warp, const Op& op, uint32_t mask) {
  load_with(warp, op, mask,
            [&](unsigned lane) -> const uint8_t* { return warp.frame->parameter(lane, uint32_t(op.immediate)); });
}
void store_argument(Warp& warp, const Op& op, uint32_t mask) {
  store_with(warp, op, mask, [&](unsigned lane) { return warp.frame->parameter(lane, uint32_t(op.immediate)); });
}

void nothing(Warp&, const Op&, uint32_t) {}

}  // namespace

bool decode_memory(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode == Opcode::kSt && instruction.has(ptx::Modifier::kAsync)) return false;
  const auto operands = decoder.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt: {
      const bool loads = instruction.opcode != Opcode::kSt;
      const Type type = instruction.type();
      op.bytes = uint8_t(ptx::bits(type) / 8);
      op.sign_extend = ptx::is_signed(type);
      op.space = space_of(instruction);
      const ptx::Operand& place = operands[loads ? 1 : 0];
      decoder.vector(operands[loads ? 0 : 1], op, loads, type);
      decoder.address(place, op);
      if (op.space == Space::kParam && place.base == OperandKind::kVariable && decoder.in_local_memory(place.index))
        op.space = Space::kLocal;
      if (op.space == Space::kParam && place.base == OperandKind::kVariable) {
        bool of_entry = false;
        const uint32_t offset = decoder.parameter_offset(place.index, of_entry);
        if (!of_entry) {
          op.handler = loads ? load_argument : store_argument;
          op.immediate = int64_t(offset + place.value);
          if (uint64_t(op.immediate) + op.bytes * op.extra_count > decoder.out().parameter_bytes)
            return decoder.unsupported(op, instruction, "access beyond the end of the parameters");
          return true;
        }
      }
      switch (op.space) {
        case Space::kGlobal:
        case Space::kConst:
          op.handler = loads ? load<Space::kGlobal> : store<Space::kGlobal>;
          break;
        case Space::kShared:
          op.handler = loads ? load<Space::kShared> : store<Space::kShared>;
          break;
        case Space::kLocal:
          op.handler = loads ? load<Space::kLocal> : store<Space::kLocal>;
          break;
        case Space::kParam:
          op.handler = loads ? load<Space::kParam> : store<Space::kParam>;
          break;
        default:
          op.handler = loads ? load<Space::kGeneric> : store<Space::kGeneric>;
          break;
      }
      return true;
    }
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kMembar:
    case Opcode::kFence:
    case Opcode::kApplypriority:
    case Opcode::kDiscard:
    case Opcode::kGriddepcontrol:
    case Opcode::kPmevent:
    case Opcode::kSetmaxnreg:
      op.handler = nothing;
      return true;
    default:
      return false;
  }
}

}  // namespace ww::sim
