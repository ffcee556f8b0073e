// Bits of floats, sums with their rounding error, and one directed rounding: the tools of devicelib's arithmetic.
#pragma once

#include "base/float_formats.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {

inline u32 bits_of(f32 x) {
  return __builtin_bit_cast(u32, x);
}
inline u64 bits_of(f64 x) {
  return __builtin_bit_cast(u64, x);
}
inline f32 float_of(u32 x) {
  return __builtin_bit_cast(f32, x);
}
inline f64 double_of(u64 x) {
  return __builtin_bit_cast(f64, x);
}

inline constexpr u32 kNanF32 = 0x7fffffffu;  // what NVIDIA's f32 arithmetic returns for every NaN
inline constexpr u16 kNanF16 = 0x7fffu, kNanBf16 = 0x7fffu;
inline constexpr u64 kDefaultNanF64 = 0xfff8000000000000u;  // of an invalid operation; see nan_of

inline bool is_nan(f32 x) {
  return (bits_of(x) & 0x7fffffffu) > 0x7f800000u;
}
inline bool is_nan(f64 x) {
  return (bits_of(x) & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}
inline f32 canonical(f32 x) {
  return is_nan(x) ? float_of(kNanF32) : x;
}
inline f32 flush(f32 x) {
  return (bits_of(x) & 0x7f800000u) == 0 ? float_of(bits_of(x) & 0x80000000u) : x;
}
inline f32 saturate(f32 x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
inline bool negative(f32 x) {
  return (bits_of(x) >> 31) != 0;
}
inline bool negative(f64 x) {
  return (bits_of(x) >> 63) != 0;
}
inline f64 magnitude(f64 x) {
  return double_of(bits_of(x) & 0x7fffffffffffffffu);
}

// f64 arithmetic hands on a NaN operand, made quiet: of a * b + c the first NaN among b, c, a, and of a + b and a * b
// the second operand's before the first's (seen on an H200). Callers pass operands in that order.
inline f64 quiet(f64 x) {
  return double_of(bits_of(x) | 0x0008000000000000u);
}
inline f64 nan_of(f64 a, f64 b, f64 c = 0.0) {
  return is_nan(a) ? quiet(a) : is_nan(b) ? quiet(b) : is_nan(c) ? quiet(c) : double_of(kDefaultNanF64);
}

// The sum a + b rounded to odd: exact, or the neighbour with an odd last bit. Any later rounding to at most 51 bits is
// then the rounding of the exact sum. (Knuth's TwoSum gives the error; Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", 2008.) Right for operands whose sum does not overflow f64.
inline f64 sum_to_odd(f64 a, f64 b) {
  const f64 sum = a + b;
  const f64 b_part = sum - a;
  const f64 error = (a - (sum - b_part)) + (b - b_part);
  const bool inexact = error < 0.0 || error > 0.0;
  const bool even = (bits_of(sum) & 1) == 0;
  const u64 step = negative(sum) == negative(error) ? u64{1} : ~u64{0};
  return double_of(bits_of(sum) + (inexact && even ? step : 0));
}

// An exact (or rounded-to-odd) f64 to f32.
template <Rounding kRounding>
inline f32 narrow(f64 exact) {
  const f32 nearest = f32(exact);
  if constexpr (kRounding == Rounding::kNearestEven) return nearest;
  const f64 back = f64(nearest);
  const u32 bits = bits_of(nearest);
  if constexpr (kRounding == Rounding::kTowardZero)
    return float_of(magnitude(back) > magnitude(exact) ? bits - 1 : bits);
  if constexpr (kRounding == Rounding::kDown)
    return float_of(back > exact ? (negative(nearest) ? bits + 1 : bits - 1) : bits);
  return float_of(back < exact ? (negative(nearest) ? bits - 1 : bits + 1) : bits);
}

// An exact (or rounded-to-odd) sum to f32. A sum that is exactly zero, of operands with different signs, is -0 when
// rounding down.
template <Rounding kRounding>
inline f32 narrow_sum(f64 exact, bool any_negative) {
  const f32 result = narrow<kRounding>(exact);
  if constexpr (kRounding == Rounding::kDown) return exact == 0.0 && any_negative ? -0.0f : result;
  return result;
}

// f64 fused multiply-add in integers, any rounding.
f64 fma_f64(f64 a, f64 b, f64 c, Rounding rounding);

// f32 rounded to nearest even as half-precision bits.
inline u16 narrow_f16(f32 x) {
  const u32 sign = (bits_of(x) >> 16) & 0x8000u;
  const u32 magnitude = bits_of(x) & 0x7fffffffu;
  // Subnormal halves are multiples of 2^-24, which is the last bit of a float in [0.5, 1).
  const u32 small = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
  const u32 normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
  const u32 finite = magnitude < 0x38800000u ? small : normal;
  const u32 large = magnitude > 0x7f800000u ? 0x7fffu : 0x7c00u | sign;
  return u16(magnitude >= 0x47800000u ? large : finite | sign);
}
inline f32 widen_bf16(u16 h) {
  return float_of(u32(h) << 16);
}
inline u16 narrow_bf16(f32 x) {
  const u32 bits = bits_of(x);
  return is_nan(x) ? kNanBf16 : u16((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

}  // namespace ww::devicelib
