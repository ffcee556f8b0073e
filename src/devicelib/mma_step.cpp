// The arithmetic of one element of a matrix: one step after another.
#include "devicelib/float_bits.h"
#include "devicelib/mma.h"

namespace ww::devicelib {
namespace {

FloatFormat format_of(MmaType type) {
  switch (type) {
    case MmaType::kF16:
      return kFormatF16;
    case MmaType::kBf16:
      return kFormatBf16;
    case MmaType::kTf32:
      return kFormatTf32;
    case MmaType::kE4M3:
      return kFormatE4M3;
    default:
      return kFormatE5M2;
  }
}

// value * 2^shift, cut toward zero.
inline s64 cut(s64 value, int shift) {
  const u64 magnitude = value < 0 ? u64(0) - u64(value) : u64(value);
  const u64 moved = shift >= 0 ? magnitude << (shift & 63) : shift < -63 ? 0 : magnitude >> -shift;
  return value < 0 ? -s64(moved) : s64(moved);
}

// Rounds sum * 2^(exponent - fraction), not zero, to f32 or f16 bits.
u32 round_sum(s64 sum, int exponent, int fraction, bool to_f16) {
  UnpackedFloat value;
  const bool minus = sum < 0;
  const u64 magnitude = minus ? u64(0) - u64(sum) : u64(sum);
  const int zeros = __builtin_clzll(magnitude | 1);
  value.significand = magnitude << zeros;
  value.exponent = exponent - fraction + 63 - zeros;
  value.negative = minus;
  // Sums that underflow lose their sign as well.
  if (to_f16) {
    const u32 bits = u32(round_to_format(kFormatF16, value, Rounding::kNearestEven));
    return bits == 0x8000 ? 0 : bits;
  }
  if (value.exponent >= 128) return 0x7f800000u | (minus ? 0x80000000u : 0);
  const u32 bits = u32(round_to_format(kFormatF32, value, Rounding::kTowardZero));
  return bits == 0x80000000u ? 0 : bits;
}

// The result of a step with an infinity or a NaN among its terms; 0 if there is none.
u32 special_result(const MmaTerm* a, const MmaTerm* b, int count, const MmaTerm& c, bool to_f16) {
  bool nan = c.special == 2, plus = c.special == 1 && c.significand > 0, minus = c.special == 1 && c.significand < 0;
  for (int i = 0; i < count; ++i) {
    if ((a[i].special | b[i].special) == 0) continue;
    const bool a_zero = a[i].special == 0 && a[i].significand == 0, b_zero = b[i].special == 0 && b[i].significand == 0;
    if (a[i].special == 2 || b[i].special == 2 || a_zero || b_zero)
      nan = true;
    else if ((a[i].significand < 0) != (b[i].significand < 0))
      minus = true;
    else
      plus = true;
  }
  if (nan || (plus && minus)) return to_f16 ? 0x7fffu : 0x7fffffffu;
  if (plus) return to_f16 ? 0x7c00u : 0x7f800000u;
  if (minus) return to_f16 ? 0xfc00u : 0xff800000u;
  return 0;
}

int block_of(const MmaModel& model, MmaType type) {
  const int width = mma_bits(type);
  return width == 32 ? model.block_tf32 : width == 8 ? model.block_f8 : model.block_f16;
}

// All steps of one sum; each but the last is rounded as the last is. `c`: f32 bits.
u32 steps(const MmaModel& model, int block, const MmaTerm* a, const MmaTerm* b, int count, int fraction_a,
          int fraction_b, u32 c, bool half) {
  u32 value = c;
  for (int j = 0; j < count; j += block) {
    value = mma_step(model, a + j, b + j, count - j < block ? count - j : block, fraction_a, fraction_b, value, half);
    if (half && j + block < count) value = bits_of(widen_f16(u16(value)));
  }
  return value;
}

// Not the tensor core's sum but what NVIDIA's compiler makes of e4m3 and e5m2 for sm_90, which has no such step for
// mma.sync: the inputs are widened to f16, the first two of each four in steps that begin at zero, the last two in
// steps that go on from there; then the accumulator is added.
u32 widened_f8(const MmaModel& model, bool half, const MmaTerm* a, const MmaTerm* b, int count, u32 c) {
  constexpr int kFraction = kFormatF16.mantissa_bits;
  u32 value = 0;
  for (int high = 0; high < 2; ++high) {
    MmaTerm x[32], y[32];
    int used = 0;
    for (int j = 0; j < count; ++j)
      if ((j >> 1 & 1) == high) {
        x[used] = a[j];
        y[used++] = b[j];
      }
    value = steps(model, model.block_f16, x, y, used, kFraction, kFraction, value, half);
    if (half) value = bits_of(widen_f16(u16(value)));
  }
  const f32 sum = canonical(float_of(value) + float_of(c));
  return half ? narrow_f16(sum) : bits_of(sum);
}

u32 integer_dot(const MmaShape& shape, const u32* a, const u32* b, int count, u32 c) {
  s64 sum = s32(c);
  if (shape.a == MmaType::kB1) {
    for (int j = 0; j < count; ++j) sum += __builtin_popcount(shape.bit_and ? a[j] & b[j] : a[j] ^ b[j]);
    return u32(sum);
  }
  const auto extended = [](MmaType type, u32 code) {
    const int unused = 32 - mma_bits(type);
    return type == MmaType::kS8 || type == MmaType::kS4 ? s32(code << unused) >> unused : s32(code << unused >> unused);
  };
  for (int j = 0; j < count; ++j) sum += extended(shape.a, a[j]) * extended(shape.b, b[j]);
  const s64 most = 0x7fffffff, least = -most - 1;
  if (shape.saturate) sum = sum > most ? most : sum < least ? least : sum;
  return u32(sum);
}

}  // namespace

u32 mma_step(const MmaModel& model, const MmaTerm* a, const MmaTerm* b, int count, int fraction_a, int fraction_b,
             u32 c, bool to_f16) {
  const MmaTerm accumulator = mma_term(kFormatF32, c);
  s32 products[32], exponents[32];
  u32 special = accumulator.special;
  s32 largest = accumulator.exponent > model.least_exponent ? accumulator.exponent : model.least_exponent;
  for (int i = 0; i < count; ++i) {
    products[i] = a[i].significand * b[i].significand;
    exponents[i] = a[i].exponent + b[i].exponent;
    largest = exponents[i] > largest ? exponents[i] : largest;
    special |= u32(a[i].special | b[i].special);
  }
  if (special != 0)
    if (const u32 result = special_result(a, b, count, accumulator, to_f16)) return result;
  const int fraction = model.fraction_bits;
  s64 sum = cut(accumulator.significand, fraction - 23 + accumulator.exponent - largest);
  for (int i = 0; i < count; ++i) sum += cut(products[i], fraction - fraction_a - fraction_b + exponents[i] - largest);
  return sum == 0 ? 0 : round_sum(sum, largest, fraction, to_f16);
}

u32 mma_dot(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, int count, u32 c) {
  if (shape.accumulator == MmaAccumulator::kS32) return integer_dot(shape, a, b, count, c);
  MmaTerm x[64], y[64];
  for (int j = 0; j < count; ++j) {
    x[j] = mma_input(model, shape.a, a[j]);
    y[j] = mma_input(model, shape.b, b[j]);
  }
  return mma_chain(model, shape, x, y, count, c);
}

MmaTerm mma_input(const MmaModel& model, MmaType type, u32 code) {
  if (model.widen_f8 && mma_bits(type) == 8)  // subnormals become normal numbers
    return mma_term(kFormatF16, u32(convert_format(kFormatF16, format_of(type), code)));
  return mma_term(format_of(type), type == MmaType::kTf32 ? code >> 13 : code);
}

u32 mma_chain(const MmaModel& model, const MmaShape& shape, const MmaTerm* a, const MmaTerm* b, int count, u32 c) {
  const bool half = shape.accumulator == MmaAccumulator::kF16;
  const u32 value = shape.c == MmaAccumulator::kF16 ? bits_of(widen_f16(u16(c))) : c;
  if (model.widen_f8 && mma_bits(shape.a) == 8) return widened_f8(model, half, a, b, count, value);
  return steps(model, block_of(model, shape.a), a, b, count, format_of(shape.a).mantissa_bits,
               format_of(shape.b).mantissa_bits, value, half);
}

u32 mma_dot_quad_pairs(const MmaShape& shape, const u16* a, const u16* b, u32 c) {
  const f32 sum = shape.c == MmaAccumulator::kF16 ? widen_f16(u16(c)) : float_of(c);
  const auto fma = [&](int i, f32 addend) { return ww_fma_rn_f32(widen_f16(a[i]), widen_f16(b[i]), addend); };
  if (shape.accumulator == MmaAccumulator::kF32) return bits_of(canonical(fma(3, fma(2, fma(1, fma(0, 0.0f)))) + sum));
  const f32 low = fma(1, widen_f16(a[0]) * widen_f16(b[0])), high = fma(3, widen_f16(a[2]) * widen_f16(b[2]));
  return narrow_f16((sum + low) + high);
}

u64 mma_dot_f64(const MmaShape& shape, const u64* a, const u64* b, int count, u64 c) {
  f64 sum = double_of(c);
  for (int j = 0; j < count; ++j) {
    const f64 x = double_of(a[j]), y = double_of(b[j]);
    sum = shape.rounding == Rounding::kNearestEven ? ww_fma_rn_f64(x, y, sum) : fma_f64(x, y, sum, shape.rounding);
  }
  return bits_of(sum);
}

}  // namespace ww::devicelib
