// cvt between integers and scalar floats. Packed, tf32 and 8-bit forms are devicelib's own. (PTX ISA, "cvt".)
#include <limits>

#include "devicelib/devicelib.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using namespace devicelib;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct Row {
  Type destination, source;
  Modifier rounding;  // kWeak: none
  Handler handler;
};
constexpr Modifier kNoRounding = Modifier::kWeak;

// Sources that devicelib takes widened: f16 and bf16 as f32, narrow integers as 32-bit ones.
template <auto kFunction>
auto of_f16(u16 a) {
  return kFunction(ww_cvt_f32_f16(a));
}
template <auto kFunction>
auto of_bf16(u16 a) {
  return kFunction(ww_cvt_f32_bf16(a));
}
template <auto kFunction>
auto of_s8(s8 a) {
  return kFunction(s32(a));
}
template <auto kFunction>
auto of_s16(s16 a) {
  return kFunction(s32(a));
}
template <auto kFunction>
auto of_u8(u8 a) {
  return kFunction(u32(a));
}
template <auto kFunction>
auto of_u16(u16 a) {
  return kFunction(u32(a));
}
// Integral rounding of a half: exact in f32, and the result is a half again.
template <auto kFunction>
u16 half_integral(u16 a) {
  return ww_cvt_rn_f16_f32(kFunction(ww_cvt_f32_f16(a)));
}
template <auto kFunction>
u16 bf16_integral(u16 a) {
  return ww_cvt_rn_bf16_f32(kFunction(ww_cvt_f32_bf16(a)));
}

template <class T>
T same(T a) {
  return a;
}

#define WW_TO_INTEGER(rnd, mod, type, TYPE)                                                           \
  {Type::TYPE, Type::kF32, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_##type##_f32>},                \
      {Type::TYPE, Type::kF64, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_##type##_f64>},            \
      {Type::TYPE, Type::kF16, Modifier::mod, kLaneHandler<&of_f16<&ww_cvt_##rnd##_##type##_f32>>}, { \
    Type::TYPE, Type::kBF16, Modifier::mod, kLaneHandler<&of_bf16<&ww_cvt_##rnd##_##type##_f32>>      \
  }
#define WW_TO_INTEGERS(rnd, mod)                                                                                  \
  WW_TO_INTEGER(rnd, mod, s8, kS8), WW_TO_INTEGER(rnd, mod, u8, kU8), WW_TO_INTEGER(rnd, mod, s16, kS16),         \
      WW_TO_INTEGER(rnd, mod, u16, kU16), WW_TO_INTEGER(rnd, mod, s32, kS32), WW_TO_INTEGER(rnd, mod, u32, kU32), \
      WW_TO_INTEGER(rnd, mod, s64, kS64), WW_TO_INTEGER(rnd, mod, u64, kU64),                                     \
      {Type::kF32, Type::kF32, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_f32_f32>},                             \
      {Type::kF64, Type::kF64, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_f64_f64>},                             \
      {Type::kF16, Type::kF16, Modifier::mod, kLaneHandler<&half_integral<&ww_cvt_##rnd##_f32_f32>>}, {           \
    Type::kBF16, Type::kBF16, Modifier::mod, kLaneHandler<&bf16_integral<&ww_cvt_##rnd##_f32_f32>>                \
  }
#define WW_FROM_INTEGER(rnd, mod, type, TYPE)                                                         \
  {Type::TYPE, Type::kS32, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_##type##_s32>},                \
      {Type::TYPE, Type::kU32, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_##type##_u32>},            \
      {Type::TYPE, Type::kS64, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_##type##_s64>},            \
      {Type::TYPE, Type::kU64, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_##type##_u64>},            \
      {Type::TYPE, Type::kS8, Modifier::mod, kLaneHandler<&of_s8<&ww_cvt_##rnd##_##type##_s32>>},     \
      {Type::TYPE, Type::kU8, Modifier::mod, kLaneHandler<&of_u8<&ww_cvt_##rnd##_##type##_u32>>},     \
      {Type::TYPE, Type::kS16, Modifier::mod, kLaneHandler<&of_s16<&ww_cvt_##rnd##_##type##_s32>>}, { \
    Type::TYPE, Type::kU16, Modifier::mod, kLaneHandler<&of_u16<&ww_cvt_##rnd##_##type##_u32>>        \
  }
#define WW_ROUNDED(rnd, mod)                                                                                          \
  WW_FROM_INTEGER(rnd, mod, f16, kF16), WW_FROM_INTEGER(rnd, mod, bf16, kBF16), WW_FROM_INTEGER(rnd, mod, f32, kF32), \
      WW_FROM_INTEGER(rnd, mod, f64, kF64),                                                                           \
      {Type::kF16, Type::kF32, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_f16_f32>},                                 \
      {Type::kF16, Type::kF64, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_f16_f64>},                                 \
      {Type::kBF16, Type::kF32, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_bf16_f32>},                               \
      {Type::kBF16, Type::kF64, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_bf16_f64>},                               \
      {Type::kBF16, Type::kF16, Modifier::mod, kLaneHandler<&of_f16<&ww_cvt_##rnd##_bf16_f32>>},                      \
      {Type::kF16, Type::kBF16, Modifier::mod, kLaneHandler<&of_bf16<&ww_cvt_##rnd##_f16_f32>>}, {                    \
    Type::kF32, Type::kF64, Modifier::mod, kLaneHandler<&ww_cvt_##rnd##_f32_f64>                                      \
  }

constexpr Row kRows[] = {
    WW_TO_INTEGERS(rni, kRni),
    WW_TO_INTEGERS(rzi, kRzi),
    WW_TO_INTEGERS(rmi, kRmi),
    WW_TO_INTEGERS(rpi, kRpi),
    WW_ROUNDED(rn, kRn),
    WW_ROUNDED(rz, kRz),
    WW_ROUNDED(rm, kRm),
    WW_ROUNDED(rp, kRp),
    {Type::kF32, Type::kF16, kNoRounding, kLaneHandler<&ww_cvt_f32_f16>},
    {Type::kF32, Type::kBF16, kNoRounding, kLaneHandler<&ww_cvt_f32_bf16>},
    {Type::kF64, Type::kF16, kNoRounding, kLaneHandler<&ww_cvt_f64_f16>},
    {Type::kF64, Type::kBF16, kNoRounding, kLaneHandler<&ww_cvt_f64_bf16>},
    {Type::kF64, Type::kF32, kNoRounding, kLaneHandler<&ww_cvt_f64_f32>},
    {Type::kF16, Type::kF16, kNoRounding, kLaneHandler<&ww_canonical_nan_f16>},
    {Type::kBF16, Type::kBF16, kNoRounding, kLaneHandler<&ww_canonical_nan_bf16>},
    {Type::kF32, Type::kF32, kNoRounding, kLaneHandler<&same<f32>>},
    {Type::kF64, Type::kF64, kNoRounding, kLaneHandler<&same<f64>>},
};

// Between integers: truncated, or clamped with .sat.
template <class D, class S>
D truncate(S a) {
  return D(a);
}
template <class D, class S>
D clamp(S a) {
  using L = std::numeric_limits<D>;
  if constexpr (std::is_signed_v<S>) {
    if constexpr (!std::is_signed_v<D>) {
      if (a < 0) return 0;
      return uint64_t(a) > uint64_t(L::max()) ? L::max() : D(a);
    }
    return int64_t(a) < int64_t(L::min()) ? L::min() : int64_t(a) > int64_t(L::max()) ? L::max() : D(a);
  } else {
    return uint64_t(a) > uint64_t(L::max()) ? L::max() : D(a);
  }
}
struct IntegerRow {
  Type destination, source;
  Handler truncating, clamping;
};
#define WW_PAIR(D, DT, S, ST) \
  { Type::DT, Type::ST, kLaneHandler<&truncate<D, S>>, kLaneHandler<&clamp<D, S>> }
#define WW_PAIRS(D, DT)                                                                                   \
  WW_PAIR(D, DT, s8, kS8), WW_PAIR(D, DT, u8, kU8), WW_PAIR(D, DT, s16, kS16), WW_PAIR(D, DT, u16, kU16), \
      WW_PAIR(D, DT, s32, kS32), WW_PAIR(D, DT, u32, kU32), WW_PAIR(D, DT, s64, kS64), WW_PAIR(D, DT, u64, kU64)
constexpr IntegerRow kIntegerRows[] = {WW_PAIRS(s8, kS8),   WW_PAIRS(u8, kU8),   WW_PAIRS(s16, kS16),
                                       WW_PAIRS(u16, kU16), WW_PAIRS(s32, kS32), WW_PAIRS(u32, kU32),
                                       WW_PAIRS(s64, kS64), WW_PAIRS(u64, kU64)};

// Flushes an f32 source (flag) before the conversion, and flushes (elements & 1), clamps (elements & 2) and makes NaNs
// canonical (elements & 4) after it. A flushed NaN is the canonical one, f64's alone keep their payload (an H200's).
void adjusted(Warp& warp, const Op& op, uint32_t mask) {
  Op plain = op;
  LaneValues flushed;
  const LaneValues& a = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  if (op.flag) {
    // The flushed source goes through the destination's slots.
    each_lane(mask,
              [&](unsigned lane) { flushed[lane] = bits_of(ww_canonical_nan_f32(ww_ftz_f32(as<f32>(a[lane])))); });
    each_lane(mask, [&](unsigned lane) { d[lane] = flushed[lane]; });
    plain.source[0] = op.destination;
  }
  op.inner(warp, plain, mask);
  const Type type = op.instruction->type(0);
  each_lane(mask, [&](unsigned lane) {
    if (op.elements & 1) d[lane] = bits_of(ww_ftz_f32(as<f32>(d[lane])));
    if (op.elements & 4) d[lane] = bits_of(ww_canonical_nan_f32(as<f32>(d[lane])));
    if ((op.elements & 2) == 0) return;
    if (type == Type::kF32) d[lane] = bits_of(ww_sat_f32(as<f32>(d[lane])));
    if (type == Type::kF64) d[lane] = bits_of(ww_sat_f64(as<f64>(d[lane])));
    if (type == Type::kF16) d[lane] = ww_sat_f16(u16(d[lane]));
    if (type == Type::kBF16) d[lane] = ww_cvt_rn_bf16_f32(ww_sat_f32(ww_cvt_f32_bf16(u16(d[lane]))));
  });
}

bool is_integer(Type type) {
  return ptx::is_signed(type) || ptx::is_unsigned(type);
}

}  // namespace

bool decode_convert(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode != Opcode::kCvt || instruction.has(Modifier::kRelu) || instruction.has(Modifier::kSatfinite))
    return false;
  const auto operands = decoder.operands(instruction);
  if (operands.size() != 2) return false;
  const Type destination = instruction.type(0), source = instruction.type(1);
  Handler handler = nullptr;
  const bool sat = instruction.has(Modifier::kSat), ftz = instruction.has(Modifier::kFtz);
  if (is_integer(destination) && is_integer(source)) {
    for (const IntegerRow& row : kIntegerRows)
      if (row.destination == destination && row.source == source) handler = sat ? row.clamping : row.truncating;
  } else {
    Modifier rounding = kNoRounding;
    for (const Modifier m : {Modifier::kRn, Modifier::kRz, Modifier::kRm, Modifier::kRp, Modifier::kRni, Modifier::kRzi,
                             Modifier::kRmi, Modifier::kRpi})
      if (instruction.has(m)) rounding = m;
    // Widening is exact, whatever rounding is written; narrowing between halves without one rounds to nearest.
    for (const Modifier wanted : {rounding, kNoRounding, Modifier::kRn})
      for (const Row& row : kRows)
        if (!handler && row.destination == destination && row.source == source && row.rounding == wanted)
          handler = row.handler;
  }
  if (!handler) return false;
  op.handler = handler;
  op.destination = decoder.destination(operands[0]);
  op.source[0] = decoder.value(operands[1], source);
  // To f16 nothing is flushed: rounded up or down, a subnormal gives the least f16 (an H200's; other roundings give 0).
  const bool flush_source = ftz && source == Type::kF32 && destination != Type::kF16;
  const bool flush_result = ftz && destination == Type::kF32;
  const bool clamp_result = sat && !is_integer(destination);
  if (flush_source || flush_result || clamp_result) {
    op.inner = handler;
    op.handler = adjusted;
    op.flag = flush_source;
    op.elements = uint8_t((flush_result ? 1 : 0) | (clamp_result ? 2 : 0) | (ftz && source == Type::kBF16 ? 4 : 0));
  }
  return true;
}

}  // namespace ww::sim
