// atom and red. Lanes take their turns one after another, lowest lane first. (PTX ISA, "atom", "red".)
//
// f32 additions flush subnormals on global memory and keep them on shared memory, as the manual says of atom.add.f32.
#include <cstring>

#include "devicelib/devicelib.h"
#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using namespace devicelib;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;

template <class T>
T add(T old, T b) {
  return T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(b));
}
template <class T>
T min(T old, T b) {
  return b < old ? b : old;
}
template <class T>
T max(T old, T b) {
  return old < b ? b : old;
}
template <class T>
T and_(T old, T b) {
  return old & b;
}
template <class T>
T or_(T old, T b) {
  return old | b;
}
template <class T>
T xor_(T old, T b) {
  return old ^ b;
}
template <class T>
T exchange(T, T b) {
  return b;
}
u32 inc(u32 old, u32 b) {
  return old >= b ? 0 : old + 1;
}
u32 dec(u32 old, u32 b) {
  return old == 0 || old > b ? b : old - 1;
}

template <class T>
T load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// source: address base, b, c (cas).
template <class T, T (*kOperation)(T, T)>
void atomic(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &b = warp.read(op.source[1]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    const T operand = as<T>(b[lane]);
    uint8_t* place =
        locate(warp, op, lane, op.space, base[lane] + uint64_t(op.immediate), sizeof(T), sizeof(T), Access::kAtomic);
    if (!place) return;
    const T old = load<T>(place);
    const T value = kOperation(old, operand);
    std::memcpy(place, &value, sizeof value);
    d[lane] = bits_of<T>(old);
  });
}

template <class T>
void compare_and_swap(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &base = warp.read(op.source[0]), &b = warp.read(op.source[1]), &c = warp.read(op.source[2]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    const T expected = T(b[lane]), desired = T(c[lane]);
    uint8_t* place =
        locate(warp, op, lane, op.space, base[lane] + uint64_t(op.immediate), sizeof(T), sizeof(T), Access::kAtomic);
    if (!place) return;
    const T old = load<T>(place);
    if (old == expected) std::memcpy(place, &desired, sizeof desired);
    d[lane] = old;
  });
}

struct Row {
  Modifier operation;
  Type type;
  Handler handler;
};
constexpr Row kRows[] = {
    {Modifier::kAddModifier, Type::kU32, atomic<u32, add<u32>>},
    {Modifier::kAddModifier, Type::kS32, atomic<s32, add<s32>>},
    {Modifier::kAddModifier, Type::kU64, atomic<u64, add<u64>>},
    {Modifier::kAddModifier, Type::kS64, atomic<s64, add<s64>>},
    {Modifier::kAddModifier, Type::kF32, atomic<f32, ww_add_rn_f32>},
    {Modifier::kAddModifier, Type::kF64, atomic<f64, ww_add_rn_f64>},
    {Modifier::kAddModifier, Type::kF16, atomic<u16, ww_add_rn_f16>},
    {Modifier::kAddModifier, Type::kF16x2, atomic<u32, ww_add_rn_f16x2>},
    {Modifier::kAddModifier, Type::kBF16, atomic<u16, ww_add_rn_bf16>},
    {Modifier::kAddModifier, Type::kBF16x2, atomic<u32, ww_add_rn_bf16x2>},
    {Modifier::kMinModifier, Type::kU32, atomic<u32, min<u32>>},
    {Modifier::kMinModifier, Type::kS32, atomic<s32, min<s32>>},
    {Modifier::kMinModifier, Type::kU64, atomic<u64, min<u64>>},
    {Modifier::kMinModifier, Type::kS64, atomic<s64, min<s64>>},
    {Modifier::kMaxModifier, Type::kU32, atomic<u32, max<u32>>},
    {Modifier::kMaxModifier, Type::kS32, atomic<s32, max<s32>>},
    {Modifier::kMaxModifier, Type::kU64, atomic<u64, max<u64>>},
    {Modifier::kMaxModifier, Type::kS64, atomic<s64, max<s64>>},
    {Modifier::kInc, Type::kU32, atomic<u32, inc>},
    {Modifier::kDec, Type::kU32, atomic<u32, dec>},
    {Modifier::kAnd, Type::kB32, atomic<u32, and_<u32>>},
    {Modifier::kAnd, Type::kB64, atomic<u64, and_<u64>>},
    {Modifier::kOr, Type::kB32, atomic<u32, or_<u32>>},
    {Modifier::kOr, Type::kB64, atomic<u64, or_<u64>>},
    {Modifier::kXor, Type::kB32, atomic<u32, xor_<u32>>},
    {Modifier::kXor, Type::kB64, atomic<u64, xor_<u64>>},
    {Modifier::kExch, Type::kB32, atomic<u32, exchange<u32>>},
    {Modifier::kExch, Type::kB64, atomic<u64, exchange<u64>>},
    {Modifier::kCas, Type::kB16, compare_and_swap<u16>},
    {Modifier::kCas, Type::kB32, compare_and_swap<u32>},
    {Modifier::kCas, Type::kB64, compare_and_swap<u64>},
};

}  // namespace

bool decode_atomic(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode != Opcode::kAtom && instruction.opcode != Opcode::kRed) return false;
  const bool returns = instruction.opcode == Opcode::kAtom;
  const Type type = instruction.type();
  for (const Row& row : kRows) {
    if (row.type != type || !instruction.has(row.operation)) continue;
    op.handler = row.handler;
    op.space = space_of(instruction);
    if (type == Type::kF32 && op.space == Space::kGlobal) op.handler = atomic<f32, ww_add_rn_ftz_f32>;
    const auto operands = decoder.operands(instruction);
    size_t next = 0;
    if (returns) op.destination = decoder.destination(operands[next++]);
    if (operands[next + 1].kind == ptx::OperandKind::kVector) return false;  // vector atomics
    decoder.address(operands[next++], op);
    op.source[1] = decoder.value(operands[next++], type);
    if (row.operation == Modifier::kCas) op.source[2] = decoder.value(operands[next], type);
    return true;
  }
  return false;
}

}  // namespace ww::sim
