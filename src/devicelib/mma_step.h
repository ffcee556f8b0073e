// The arithmetic of mma_model.h for a row of results at once: one row of A against eight columns of B.
//
// Compiled once for each instruction set (mma.cpp). A function here is internal to that file, and nothing here calls an
// inline function of another header with values that are known only at run time: the linker would keep one copy, of any
// instruction set. Vectors are those of g++ and clang: comparisons give -1 and 0.
#pragma once

#include <cstring>

#include "devicelib/mma_model.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ww::devicelib::WW_LEVEL {
namespace {

typedef s32 Row __attribute__((vector_size(32)));
typedef u32 RowBits __attribute__((vector_size(32)));
typedef f32 RowFloats __attribute__((vector_size(32)));

inline Row larger(Row a, Row b) {
  return a > b ? a : b;
}
inline Row smaller(Row a, Row b) {
  return a < b ? a : b;
}
inline RowBits select(Row mask, RowBits yes, RowBits no) {
  return (RowBits(mask) & yes) | (~RowBits(mask) & no);
}
// Magnitudes with signs of -1 or 0.
inline Row with_sign(RowBits magnitude, Row sign) {
  return Row((magnitude ^ RowBits(sign)) - RowBits(sign));
}
// Shifts by 0 and more; by 32 and more gives 0.
inline RowBits shift_right(RowBits value, Row count) {
#if defined(__AVX2__)
  return RowBits(_mm256_srlv_epi32(__m256i(value), __m256i(count)));
#else
  RowBits result;
  for (int i = 0; i < 8; ++i) result[i] = count[i] > 31 ? 0 : value[i] >> count[i];
  return result;
#endif
}
inline RowBits shift_left(RowBits value, Row count) {
#if defined(__AVX2__)
  return RowBits(_mm256_sllv_epi32(__m256i(value), __m256i(count)));
#else
  RowBits result;
  for (int i = 0; i < 8; ++i) result[i] = count[i] > 31 ? 0 : value[i] << count[i];
  return result;
#endif
}
// 32 of 0.
inline Row leading_zeros(RowBits value) {
#if defined(__AVX512CD__) && defined(__AVX512VL__)
  return Row(_mm256_lzcnt_epi32(__m256i(value)));
#else
  Row result;
  for (int i = 0; i < 8; ++i) result[i] = value[i] == 0 ? 32 : __builtin_clz(value[i]);
  return result;
#endif
}
inline bool any(Row mask) {
  u64 words[4];
  std::memcpy(words, &mask, sizeof words);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

// --- Numbers taken apart: value = significand / 2^m * 2^exponent, m the format's mantissa bits.
// What a number is, if it is not finite.
constexpr s32 kInfinity = 1, kNan = 2;

constexpr s32 kZeroExponent = -8000;  // of zeros: never the largest

// Of one k: an element for each column. `special`: kInfinity, kNan, or 0 of what is finite.
struct Terms {
  Row significand, exponent, special;
};
// A row of A; its columns' elements one after the other.
struct RowTerms {
  alignas(32) s32 significand[64], exponent[64], special[64];
};

// What a decoder has to know about a format.
struct Decoding {
  int mantissa_bits = 0, bias = 0;
  u32 sign_bit = 0, mantissa_mask = 0;
  u32 infinity = 0;   // of magnitudes; ~0 if there is none
  u32 least_nan = 0;  // the least magnitude that is a NaN
};
constexpr Decoding decoding_of(FloatFormat format) {
  return {format.mantissa_bits,
          format.bias(),
          u32(format.sign_bit()),
          u32(format.mantissa_mask()),
          format.has_infinity ? u32(format.infinity()) : ~0u,
          format.has_infinity ? u32(format.infinity()) + 1 : u32(format.nan())};
}
constexpr Decoding kDecodeF16 = decoding_of(kFormatF16), kDecodeBf16 = decoding_of(kFormatBf16),
                   kDecodeTf32 = decoding_of(kFormatTf32), kDecodeE4M3 = decoding_of(kFormatE4M3),
                   kDecodeE5M2 = decoding_of(kFormatE5M2), kDecodeF32 = decoding_of(kFormatF32);

inline Terms take_apart(const Decoding& format, RowBits code) {
  const RowBits magnitude = code & (format.sign_bit - 1);
  const Row field = Row(magnitude >> u32(format.mantissa_bits)), normal = field != 0;
  const RowBits significand = (magnitude & format.mantissa_mask) | (RowBits(normal) & (format.mantissa_mask + 1));
  Terms terms;
  terms.significand = with_sign(significand, (code & format.sign_bit) != 0u);
  const Row zero = significand == 0u;
  terms.exponent = Row(select(zero, RowBits{} + u32(kZeroExponent), RowBits(field + normal + (1 - format.bias))));
  terms.special = (Row(magnitude == format.infinity) & kInfinity) | (Row(magnitude >= format.least_nan) & kNan);
  return terms;
}

// Small formats widened to f32 and f16. Subnormals become normal numbers where the wider format has them as such; NaNs
// stay NaNs.
inline RowBits f32_of_f16(RowBits half) {
  const RowBits magnitude = half & 0x7fffu;
  const RowBits subnormal = RowBits(__builtin_convertvector(Row(magnitude), RowFloats)) - (24u << 23);
  const RowBits normal = (magnitude << 13) + (112u << 23);
  const RowBits finite = select(magnitude < 0x400u, select(magnitude == 0u, RowBits{}, subnormal), normal);
  return select(magnitude >= 0x7c00u, (magnitude << 13) | 0x7f800000u, finite) | (half & 0x8000u) << 16;
}
inline RowBits f16_of_e4m3(RowBits code) {
  const RowBits magnitude = code & 0x7fu;
  const RowBits subnormal = RowBits(__builtin_convertvector(Row(magnitude), RowFloats)) - ((9u + 112u) << 23);
  const RowBits normal = (magnitude << 20) + (8u << 23);
  const RowBits finite = select(magnitude < 8u, select(magnitude == 0u, RowBits{}, subnormal), normal) >> 13;
  return select(magnitude == 0x7fu, RowBits{} + 0x7fffu, finite) | (code & 0x80u) << 8;
}

// --- Rounding sums of value (-1)^sign * size * 2^unit, not zero.
inline RowBits round_to_f32(RowBits size, Row sign, Row unit) {
  const Row zeros = leading_zeros(size), exponent = unit + 31 - zeros;
  const Row surplus = larger(8 - zeros, -149 - unit);  // bits that f32 has no room for
  const RowBits kept = shift_left(shift_right(size, larger(surplus, Row{})), larger(-surplus, Row{}));
  const RowBits finite = (RowBits(larger(exponent, Row{} - 126) + 126) << 23) + kept;
  const RowBits magnitude = select(exponent > 127, RowBits{} + 0x7f800000u, finite);
  return magnitude | (RowBits(sign & (magnitude != 0u)) & 0x80000000u);
}
inline RowBits round_to_f16(RowBits size, Row sign, Row unit) {
  const Row zeros = leading_zeros(size), exponent = unit + 31 - zeros;
  const Row surplus = larger(21 - zeros, -24 - unit);
  // With one bit more than f16 has, and whether there is anything below it.
  const Row cut = larger(surplus - 1, Row{});
  const RowBits fine = shift_left(shift_right(size, cut), larger(1 - surplus, Row{}));
  const Row inexact = shift_left(shift_right(size, cut), cut) != size;
  const RowBits kept = fine >> 1, up = fine & (kept | RowBits(inexact)) & 1u;
  const RowBits finite = (RowBits(larger(exponent, Row{} - 14) + 14) << 10) + kept + up;
  const RowBits magnitude = select((exponent > 15) | (finite > 0x7c00u), RowBits{} + 0x7c00u, finite);
  return magnitude | (RowBits(sign & (magnitude != 0u)) & 0x8000u);
}

// --- Steps
struct Sum {
  const MmaModel& model;
  int fraction_bits;  // kept below the largest exponent
  u32 result_mask;    // bits of f32 results that may be set
  const RowTerms& a;
  const Terms* const* b;  // for each column of A, the terms of B that it meets
  int fraction;           // of products: fraction bits of their significands
  bool special;           // there may be infinities or NaNs among a and b
  bool half;              // f16 results
  bool half_c;            // a c of f16, to be taken as it is
};

// What infinities and NaNs among the terms first .. first + count - 1 and c make of `result`.
inline RowBits with_specials(const Sum& sum, const int* order, int count, const Terms& c, RowBits result) {
  Row nan = c.special == kNan, minus = (c.special == kInfinity) & (c.significand < 0),
      plus = (c.special == kInfinity) & (c.significand > 0);
  for (int i = 0; i < count; ++i) {
    const int k = order[i];
    const Terms& b = *sum.b[k];
    const Row a_special = Row{} + sum.a.special[k], a_significand = Row{} + sum.a.significand[k];
    const Row either = (a_special | b.special) != 0;
    const Row invalid = either & ((a_special == kNan) | (b.special == kNan) | (a_significand == 0) |
                                  (b.significand == 0));  // a zero's significand is 0, an infinity's is not
    const Row negative = (a_significand ^ b.significand) < 0, infinite = either & ~invalid;
    nan |= invalid;
    minus |= infinite & negative;
    plus |= infinite & ~negative;
  }
  nan |= plus & minus;
  const u32 infinity = sum.half ? 0x7c00u : 0x7f800000u, sign = sum.half ? 0x8000u : 0x80000000u,
            no_number = sum.half ? 0x7fffu : 0x7fffffffu;
  result = select(plus, RowBits{} + infinity, result);
  result = select(minus, RowBits{} + (infinity | sign), result);
  return select(nan, RowBits{} + no_number, result);
}

// One step: c and the products of the columns of A that `order` names, at most 16. f32 or f16 bits.
inline RowBits step(const Sum& sum, const Decoding& c_format, const int* order, int count, RowBits c_bits) {
  const Terms c = take_apart(c_format, c_bits);
  Row largest = larger(c.exponent, Row{} + sum.model.least_exponent);
  for (int i = 0; i < count; ++i) largest = larger(largest, sum.b[order[i]]->exponent + sum.a.exponent[order[i]]);
  // Cut, the products have fraction_bits + 2 bits at most, so that 16 of them sum to 31.
  const u32 lift = u32(sum.fraction_bits - sum.fraction);
  RowBits products = {};
  for (int i = 0; i < count; ++i) {
    const Terms& b = *sum.b[order[i]];
    const Row product = b.significand * sum.a.significand[order[i]], sign = product >> 31;
    const Row distance = largest - (b.exponent + sum.a.exponent[order[i]]);
    products += RowBits(with_sign(shift_right(RowBits(with_sign(RowBits(product), sign)) << lift, distance), sign));
  }
  const Row c_sign = c.significand >> 31;
  const int c_lift = sum.fraction_bits - c_format.mantissa_bits;
  const RowBits c_size = RowBits(with_sign(RowBits(c.significand), c_sign)) << u32(c_lift > 0 ? c_lift : 0);
  const Row c_distance = largest - c.exponent + (c_lift < 0 ? -c_lift : 0);
  const RowBits addend = RowBits(with_sign(shift_right(c_size, c_distance), c_sign));
  // The whole may need 32 bits and a sign.
  const RowBits total = products + addend;
  const Row overflow = Row((products ^ total) & (addend ^ total)) < 0;
  const Row sign = (Row(total) >> 31) ^ overflow;
  const RowBits size = RowBits(with_sign(total, sign));
  const Row unit = largest - sum.fraction_bits;
  const RowBits rounded = sum.half ? round_to_f16(size, sign, unit) : round_to_f32(size, sign, unit) & sum.result_mask;
  const RowBits result = select(size == 0u, RowBits{}, rounded);
  return sum.special || any(c.special) ? with_specials(sum, order, count, c, result) : result;
}

// All steps of one sum, `block` products each; each but the last is rounded as the last is.
inline RowBits steps(const Sum& sum, int block, const int* order, int count, RowBits c) {
  const bool half_between = sum.half && !sum.model.widens_c;
  RowBits value = c;
  for (int j = 0; j < count; j += block) {
    if (j > 0 && sum.half && !half_between) value = f32_of_f16(value);
    const bool half_c = j == 0 ? sum.half_c : half_between;
    value = step(sum, half_c ? kDecodeF16 : kDecodeF32, order + j, count - j < block ? count - j : block, value);
  }
  return value;
}

inline RowBits f16_of_f32(RowBits bits) {
  const Terms terms = take_apart(kDecodeF32, bits);
  const Row sign = Row(bits) >> 31;
  const RowBits size = RowBits(with_sign(RowBits(terms.significand), terms.significand >> 31));
  RowBits result = round_to_f16(size, sign, terms.exponent - 23);
  result = select(size == 0u, RowBits{}, result);
  result = select(terms.special == kInfinity, RowBits{} + 0x7c00u, result) | (RowBits(sign) & 0x8000u);
  return select(terms.special == kNan, RowBits{} + 0x7fffu, result);
}
inline RowBits canonical_nan(RowFloats value) {
  return select(value != value, RowBits{} + 0x7fffffffu, RowBits(value));
}

// Not the tensor core's sum but what NVIDIA's compiler makes of e4m3 and e5m2 for sm_90, which has no such step for
// mma.sync: the inputs are widened to f16, the first two of each four in steps that begin at zero, the last two in
// steps that go on from there; then the accumulator is added.
inline RowBits widened_f8(const Sum& sum, int count, RowBits c) {
  RowBits value = {};
  for (int high = 0; high < 2; ++high) {
    int order[64], used = 0;
    for (int j = 0; j < count; ++j)
      if ((j >> 1 & 1) == high) order[used++] = j;
    value = steps(sum, sum.model.block_f16, order, used, value);
  }
  const RowBits whole = canonical_nan(RowFloats(sum.half ? f32_of_f16(value) : value) + RowFloats(c));
  return sum.half ? f16_of_f32(whole) : whole;
}

}  // namespace
}  // namespace ww::devicelib::WW_LEVEL
