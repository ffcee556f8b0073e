// atom and red. Lanes take their turns one after another, lowest lane first. (PTX ISA, "atom", "red".)
//
// Sums of f32 and f64 are not the same in global as in shared memory; a generic address is in either.
#include "sim/atomics.h"

#include <array>
#include <cstring>
#include <span>

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

template <class T, T (*kOperation)(T, T)>
void combine(uint8_t* place, const uint8_t* operand) {
  const T value = kOperation(load<T>(place), load<T>(operand));
  std::memcpy(place, &value, sizeof value);
}

template <class T, T (*kGlobal)(T, T), T (*kShared)(T, T)>
void float_sum(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  uint32_t shared = op.space == Space::kShared ? mask : 0;
  if (op.space == Space::kGeneric)
    each_lane(mask, [&](unsigned lane) {
      if (base[lane] + uint64_t(op.immediate) - kSharedWindow < kWindowBytes) shared |= 1u << lane;
    });
  // Lanes of one space never meet those of the other.
  if ((mask & ~shared) != 0) atomic<T, kGlobal>(warp, op, mask & ~shared);
  if ((mask & shared) != 0) atomic<T, kShared>(warp, op, mask & shared);
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

// The same on each element of a vector, each of them atomic by itself. extra: elements of d (none of red), then of b.
template <class T, T (*kOperation)(T, T)>
void vector_atomic(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  const std::span<const Ref> refs = std::span(warp.frame->function->extra).subspan(op.first_extra, op.extra_count);
  const uint32_t count = op.flag ? op.extra_count / 2 : op.extra_count;
  each_lane(mask, [&](unsigned lane) {
    uint8_t* place = locate(warp, op, lane, op.space, base[lane] + uint64_t(op.immediate), count * sizeof(T),
                            count * sizeof(T), Access::kAtomic);
    if (!place) return;
    std::array<T, 8> operands;  // read first: an element of d may be one of b, too
    for (uint32_t i = 0; i < count; ++i) operands[i] = as<T>(warp.read(refs[refs.size() - count + i])[lane]);
    for (uint32_t i = 0; i < count; ++i) {
      const T old = load<T>(place + i * sizeof(T));
      const T value = kOperation(old, operands[i]);
      std::memcpy(place + i * sizeof(T), &value, sizeof value);
      if (op.flag) warp.write(refs[i])[lane] = bits_of<T>(old);
    }
  });
}

// exch.b128 and cas.b128. extra: low and high halves of d (none of red), b and, of cas, c.
template <bool kCompare>
void wide_exchange(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& base = warp.read(op.source[0]);
  const Ref* refs = &warp.frame->function->extra[op.first_extra];
  each_lane(mask, [&](unsigned lane) {
    uint8_t* place = locate(warp, op, lane, op.space, base[lane] + uint64_t(op.immediate), 16, 16, Access::kAtomic);
    if (!place) return;
    const uint64_t old[2] = {load<uint64_t>(place), load<uint64_t>(place + 8)};
    const uint64_t b[2] = {warp.read(refs[2])[lane], warp.read(refs[3])[lane]};
    const uint64_t desired[2] = {kCompare ? warp.read(refs[4])[lane] : b[0],
                                 kCompare ? warp.read(refs[5])[lane] : b[1]};
    if (!kCompare || (old[0] == b[0] && old[1] == b[1])) std::memcpy(place, desired, sizeof desired);
    warp.write(refs[0])[lane] = old[0];
    warp.write(refs[1])[lane] = old[1];
  });
}

struct Row {
  Modifier operation;
  Type type;
  Handler handler;
  Combine combine = nullptr;
  Handler on_vector = nullptr;
};
#define WW_HALF(modifier, type, word, function) \
  { Modifier::modifier, Type::type, atomic<word, function>, combine<word, function>, vector_atomic<word, function> }
#define WW_HALVES(modifier, op)                                                                 \
  WW_HALF(modifier, kF16, u16, ww_##op##_f16), WW_HALF(modifier, kF16x2, u32, ww_##op##_f16x2), \
      WW_HALF(modifier, kBF16, u16, ww_##op##_bf16), WW_HALF(modifier, kBF16x2, u32, ww_##op##_bf16x2)
constexpr Row kRows[] = {
    {Modifier::kAddModifier, Type::kU32, atomic<u32, add<u32>>, combine<u32, add<u32>>},
    {Modifier::kAddModifier, Type::kS32, atomic<s32, add<s32>>, combine<s32, add<s32>>},
    {Modifier::kAddModifier, Type::kU64, atomic<u64, add<u64>>, combine<u64, add<u64>>},
    {Modifier::kAddModifier, Type::kS64, atomic<s64, add<s64>>, combine<s64, add<s64>>},
    {Modifier::kAddModifier, Type::kF32, float_sum<f32, ww_sum_in_global_f32, ww_sum_in_shared_f32>,
     combine<f32, ww_add_rn_f32>, vector_atomic<f32, ww_sum_in_global_f32>},
    {Modifier::kAddModifier, Type::kF64, float_sum<f64, ww_sum_in_global_f64, ww_sum_in_shared_f64>,
     combine<f64, ww_sum_in_global_f64>},
    WW_HALVES(kAddModifier, add_rn),
    WW_HALVES(kMinModifier, min),
    WW_HALVES(kMaxModifier, max),
    {Modifier::kMinModifier, Type::kU32, atomic<u32, min<u32>>, combine<u32, min<u32>>},
    {Modifier::kMinModifier, Type::kS32, atomic<s32, min<s32>>, combine<s32, min<s32>>},
    {Modifier::kMinModifier, Type::kU64, atomic<u64, min<u64>>, combine<u64, min<u64>>},
    {Modifier::kMinModifier, Type::kS64, atomic<s64, min<s64>>, combine<s64, min<s64>>},
    {Modifier::kMaxModifier, Type::kU32, atomic<u32, max<u32>>, combine<u32, max<u32>>},
    {Modifier::kMaxModifier, Type::kS32, atomic<s32, max<s32>>, combine<s32, max<s32>>},
    {Modifier::kMaxModifier, Type::kU64, atomic<u64, max<u64>>, combine<u64, max<u64>>},
    {Modifier::kMaxModifier, Type::kS64, atomic<s64, max<s64>>, combine<s64, max<s64>>},
    {Modifier::kInc, Type::kU32, atomic<u32, inc>, combine<u32, inc>},
    {Modifier::kDec, Type::kU32, atomic<u32, dec>, combine<u32, dec>},
    {Modifier::kAnd, Type::kB32, atomic<u32, and_<u32>>, combine<u32, and_<u32>>},
    {Modifier::kAnd, Type::kB64, atomic<u64, and_<u64>>, combine<u64, and_<u64>>},
    {Modifier::kOr, Type::kB32, atomic<u32, or_<u32>>, combine<u32, or_<u32>>},
    {Modifier::kOr, Type::kB64, atomic<u64, or_<u64>>, combine<u64, or_<u64>>},
    {Modifier::kXor, Type::kB32, atomic<u32, xor_<u32>>, combine<u32, xor_<u32>>},
    {Modifier::kXor, Type::kB64, atomic<u64, xor_<u64>>, combine<u64, xor_<u64>>},
    {Modifier::kExch, Type::kB32, atomic<u32, exchange<u32>>},
    {Modifier::kExch, Type::kB64, atomic<u64, exchange<u64>>},
    {Modifier::kCas, Type::kB16, compare_and_swap<u16>},
    {Modifier::kCas, Type::kB32, compare_and_swap<u32>},
    {Modifier::kCas, Type::kB64, compare_and_swap<u64>},
    {Modifier::kExch, Type::kB128, wide_exchange<false>},
    {Modifier::kCas, Type::kB128, wide_exchange<true>},
};
#undef WW_HALVES
#undef WW_HALF

// [a] and the elements of `d` (nothing of red, `_` of atom) and `values` of a vector.
void decode_vector(Decoder& decoder, const ptx::Operand* d, const ptx::Operand& values, Type type, Op& op) {
  std::vector<Ref>& extra = decoder.out().extra;
  const auto elements = decoder.elements(values);
  op.flag = d != nullptr;
  op.first_extra = uint32_t(extra.size());
  for (size_t i = 0; d != nullptr && i < elements.size(); ++i) {
    const bool written = d->kind == ptx::OperandKind::kVector;
    extra.push_back(written ? decoder.destination(decoder.elements(*d)[i]) : Ref{});
  }
  for (const ptx::Operand& element : elements) extra.push_back(decoder.value(element, type));
  op.extra_count = uint32_t(extra.size()) - op.first_extra;
}

// Both halves of d, b and, of cas, c.
void decode_wide(Decoder& decoder, std::span<const ptx::Operand> operands, Op& op) {
  std::vector<Ref>& extra = decoder.out().extra;
  op.first_extra = uint32_t(extra.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i == 1) continue;  // the address
    const Ref low = i == 0 ? decoder.destination(operands[i]) : decoder.value(operands[i], Type::kB128);
    extra.push_back(low);
    extra.push_back(low ? Decoder::high_half(low) : low);
  }
}

}  // namespace

Combine combine_of(const ptx::Instruction& instruction) {
  for (const Row& row : kRows)
    if (row.type == instruction.type() && instruction.has(row.operation)) return row.combine;
  return nullptr;
}

bool decode_atomic(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode != Opcode::kAtom && instruction.opcode != Opcode::kRed) return false;
  if (instruction.has(Modifier::kAsync)) return false;
  const bool returns = instruction.opcode == Opcode::kAtom;
  const Type type = instruction.type();
  for (const Row& row : kRows) {
    if (row.type != type || !instruction.has(row.operation)) continue;
    op.handler = row.handler;
    op.space = space_of(instruction);
    const auto operands = decoder.operands(instruction);
    const ptx::Operand &place = operands[returns ? 1 : 0], &value = operands[returns ? 2 : 1];
    decoder.address(place, op);
    if (value.kind == ptx::OperandKind::kVector) {
      if (row.on_vector == nullptr) return false;
      op.handler = row.on_vector;
      decode_vector(decoder, returns ? &operands[0] : nullptr, value, type, op);
      return true;
    }
    if (type == Type::kB128) {
      decode_wide(decoder, operands, op);
      return true;
    }
    if (returns) op.destination = decoder.destination(operands[0]);
    op.source[1] = decoder.value(value, type);
    if (row.operation == Modifier::kCas) op.source[2] = decoder.value(operands[3], type);
    return true;
  }
  return false;
}

}  // namespace ww::sim
