// The approximate instructions of PTX: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh, div with .approx or .full.
//
// What an H200 gives, bit by bit: the special-function unit (function_unit.h) with the few operations that ptxas puts
// around it on sm_90, which scale subnormals into its range, since the unit reads them as zeros and writes none.
// tests/coverage compares every form with the hardware over all inputs. Fast numerics has the same code, but for
// approximate_fast.cpp.
#include "devicelib/function_unit.h"
#include "devicelib/function_unit_tables.h"

namespace ww::devicelib {
namespace {

constexpr u32 kOneUlp = 0x800000;  // the 24-bit integer 1.0: also the exponent's unit, and the smallest normal's bits
constexpr u32 kInfinity = 0x7f800000;

u32 fraction_of(f32 x) {
  return bits_of(x) & 0x7fffff;
}
s32 exponent_of(f32 x) {  // biased
  return s32(bits_of(x) >> 23 & 0xff);
}
u32 sign_of(f32 x) {
  return bits_of(x) & 0x80000000u;
}
u32 magnitude_of(f32 x) {
  return bits_of(x) & 0x7fffffff;
}

// --- the unit: 24-bit results of fractions

// 2^24 / (1 + fraction * 2^-23), 2^23 to 2^24.
s64 reciprocal(u32 fraction) {
  const Coefficients c = coefficients(kReciprocal[fraction >> 16]);
  const u32 x = fraction & 0xffff;
  return ((c.c0 << 13) - c.c1 * s64(x) + c.c2 * s64(cut_square(x << 1)) + 0x47e7) >> 15;
}

// 2^24 / sqrt(y), y in [1, 4): 24 bits of fraction, the highest chooses [2, 4).
s64 reciprocal_root(u32 fraction) {
  const Coefficients c = coefficients(kReciprocalRoot[fraction >> 17]);
  const u32 x = fraction & 0x1ffff;
  const s64 v = ((c.c0 << 14) - c.c1 * s64(x) + (c.c2 * s64(cut_square(x)) << 2) + 0x7fff) >> 16;
  return fraction == 0 ? s64{1} << 24 : v;
}

// 2^23 * sqrt(y), likewise.
s64 root(u32 fraction) {
  const Coefficients c = coefficients(kRoot[fraction >> 17]);
  const u32 x = fraction & 0x1ffff;
  return ((c.c0 << 15) + c.c1 * s64(x) - (c.c2 * s64(cut_square(x)) << 1) + 0x7fff) >> 17;
}

// 2^23 * 2^(fraction * 2^-23).
s64 power(u32 fraction) {
  const Coefficients c = coefficients(kPower[fraction >> 17]);
  const u32 x = fraction & 0x1ffff;
  return ((c.c0 << 13) + c.c1 * s64(x) + c.c2 * s64(cut_square(x)) + 0x77e2) >> 15;
}

// 2^36 * log2(1 + fraction * 2^-23).
s64 logarithm(u32 fraction) {
  const Coefficients c = coefficients(kLogarithm[fraction >> 17]);
  const u32 x = fraction & 0x1ffff;
  return ((c.c0 << 12) + c.c1 * s64(x) - (c.c2 * s64(cut_square(x)) << 1) + 0x3345) >> 2;
}

// 2^37 * sin(fraction * 2^-23 of a quarter of a turn).
s64 sine(u32 fraction) {
  const Coefficients c = coefficients(kSine[fraction >> 17]);
  const u32 x = fraction & 0x1ffff;
  return (c.c0 << 11) + c.c1 * s64(x) - c.c2 * s64(cut_square(x));
}

// --- the unit: floats, subnormals as zeros

// A 24-bit result, 2^23 to 2^24, with a biased exponent: 0 below the normal numbers, infinity above them. Exponents of
// 256 and more, which callers replace, give anything.
u32 float_bits(s64 value, s32 exponent) {
  const u32 bits = u32(exponent - 1) * kOneUlp + u32(value);
  return s32(bits) < s32(kOneUlp) ? 0 : bits;
}

f32 unit_rcp(f32 a) {
  const s32 exponent = exponent_of(a);
  const u32 finite = float_bits(reciprocal(fraction_of(a)), 253 - exponent);
  const u32 result = exponent == 0 ? kInfinity : exponent == 255 ? 0 : finite;
  return float_of(is_nan(a) ? kNanF32 : result | sign_of(a));
}

// The fraction of [1, 4) and half of the exponent: a = y * 4^half.
struct Quartered {
  u32 fraction;
  s32 half;
};
Quartered quartered(f32 a) {
  const s32 exponent = exponent_of(a) - 127;
  return {fraction_of(a) | (u32(exponent) & 1) << 23, exponent >> 1};
}

f32 unit_rsqrt(f32 a) {
  const Quartered q = quartered(a);
  const u32 finite = float_bits(reciprocal_root(q.fraction), 126 - q.half);
  const u32 result = exponent_of(a) == 0 ? kInfinity | sign_of(a) : magnitude_of(a) == kInfinity ? 0 : finite;
  return float_of(is_nan(a) || (sign_of(a) != 0 && exponent_of(a) != 0) ? kNanF32 : result);
}

f32 unit_sqrt(f32 a) {
  const Quartered q = quartered(a);
  const u32 finite = float_bits(root(q.fraction), 127 + q.half);
  const u32 result = exponent_of(a) == 0 ? sign_of(a) : magnitude_of(a) == kInfinity ? kInfinity : finite;
  return float_of(is_nan(a) || (sign_of(a) != 0 && exponent_of(a) != 0) ? kNanF32 : result);
}

// The argument is cut to 2^-23; that of a negative one's fraction is the ones' complement.
f32 unit_ex2(f32 a) {
  const u32 units = fixed_point(a, 23);
  const bool whole = (units & 0x7fffff) == 0;
  const u32 position = !negative(a) ? units : whole ? 0 - units : ~units;
  const u32 finite = float_bits(power(position & 0x7fffff), (s32(position) >> 23) + 127);
  const u32 extreme = negative(a) ? 0 : kInfinity;
  return float_of(is_nan(a) ? kNanF32 : exponent_of(a) >= 134 ? extreme : finite);
}

f32 unit_lg2(f32 a) {
  const s64 sum = logarithm(fraction_of(a)) + (s64(exponent_of(a) - 127) << 36);
  const f32 cut = cut_to_float(sum < 0 ? ~sum : sum, 36);
  const u32 finite = bits_of(cut) | (sum < 0 ? 0x80000000u : 0);
  const u32 result = exponent_of(a) == 0             ? 0xff800000u
                     : magnitude_of(a) == kInfinity  ? kInfinity
                     : magnitude_of(a) == 0x3f800000 ? 0
                                                     : finite;
  return float_of(is_nan(a) || (sign_of(a) != 0 && exponent_of(a) != 0) ? kNanF32 : result);
}

f32 circular(f32 angle, bool cosine) {
  const CircularPhase phase = circular_phase(angle, cosine);
  const f32 cut = cut_to_float(sine(phase.fraction), 37);
  return float_of(exponent_of(angle) == 255 ? kNanF32 : bits_of(cut) | (phase.negative ? 0x80000000u : 0));
}

f32 unit_tanh(f32 a) {
  const s32 exponent = exponent_of(a) - 127;
  const s32 within = exponent < kTanhFirstExponent  ? kTanhFirstExponent
                     : exponent > kTanhLastExponent ? kTanhLastExponent
                                                    : exponent;
  const TanhOctave octave = tanh_octave(within);
  const u32 argument = fraction_of(a) >> (6 - octave.slice_bits);
  const Coefficients c = coefficients(kTanh[octave.first_slice + (argument >> 17)]);
  const u32 x = argument & 0x1ffff;
  const s64 v = (c.c0 << octave.constant_shift) + c.c1 * s64(x) - c.c2 * s64(cut_square(x));
  const u32 middle = bits_of(cut_to_float(v, octave.point));
  const u32 result = exponent < kTanhFirstExponent  ? magnitude_of(a)
                     : exponent > kTanhLastExponent ? 0x3f800000u
                                                    : middle;
  return float_of(is_nan(a) ? kNanF32 : result | sign_of(a));
}

// --- what ptxas adds

bool is_tiny(f32 x) {  // below the normal numbers
  return magnitude_of(x) < kOneUlp;
}
bool is_huge(f32 x) {  // the reciprocal is below the normal numbers
  return magnitude_of(x) > 0x7e800000u && !is_nan(x);
}
f32 times(f32 a, f32 b) {
  return canonical(a * b);
}

f32 rcp(f32 a) {
  const f32 scale = is_huge(a) ? 0x1p-2f : is_tiny(a) ? 0x1p24f : 1.0f;
  return times(unit_rcp(a * scale), scale);
}
f32 rsqrt(f32 a) {
  return times(unit_rsqrt(is_tiny(a) ? a * 0x1p24f : a), is_tiny(a) ? 0x1p12f : 1.0f);
}
f32 sqrt(f32 a) {
  return times(unit_sqrt(is_tiny(a) ? a * 0x1p24f : a), is_tiny(a) ? 0x1p-12f : 1.0f);
}
f32 ex2(f32 a) {
  const bool small = a < -126.0f;
  const f32 power = unit_ex2(small ? a * 0.5f : a);
  return small ? power * power : power;
}
f32 lg2(f32 a) {
  const f32 logarithm = unit_lg2(is_tiny(a) ? a * 0x1p24f : a);
  return canonical(is_tiny(a) ? logarithm - 24.0f : logarithm);
}
f32 div(f32 a, f32 b, f32 scale) {
  return times(a * scale, unit_rcp(b * scale));
}

// --- f64 forms of the unit: the upper word of operand and result, whose fraction has 20 bits

struct UpperWord {
  s32 exponent;  // biased
  u32 fraction;  // 23 bits
  bool negative, nan;
};
UpperWord upper_word(f64 a) {
  const u32 word = u32(bits_of(a) >> 32);
  const s32 exponent = s32(word >> 20 & 0x7ff);
  return {exponent, (word & 0xfffff) << 3, word >> 31 != 0, exponent == 0x7ff && (word & 0xfffff) != 0};
}
f64 of_upper_word(u32 word) {
  return double_of(u64(word) << 32);
}
// A 24-bit result with a biased exponent, cut to 20 bits.
u32 upper_bits(s64 value, s32 exponent) {
  const s32 bits = exponent * 0x100000 + (s32(value - s64(kOneUlp)) >> 3);
  return bits < 0x100000 ? 0 : u32(bits);
}

f64 unit_rcp64h(f64 a) {
  const UpperWord w = upper_word(a);
  const u32 finite = upper_bits(reciprocal(w.fraction), 2045 - w.exponent);
  const u32 result = w.exponent == 0 ? 0x7ff00000 : w.exponent == 0x7ff ? 0 : finite;
  return of_upper_word(w.nan ? kNanF32 : result | (w.negative ? 0x80000000u : 0));
}
f64 unit_rsq64h(f64 a) {
  const UpperWord w = upper_word(a);
  const s32 exponent = w.exponent - 1023;
  const u32 finite = upper_bits(reciprocal_root(w.fraction | (u32(exponent) & 1) << 23), 1022 - (exponent >> 1));
  const u32 sign = w.negative ? 0x80000000u : 0;
  const u32 result = w.exponent == 0 ? 0x7ff00000 | sign : w.exponent == 0x7ff ? 0 : finite;
  return of_upper_word(w.nan || (w.negative && w.exponent != 0) ? kNanF32 : result);
}

// a + b + c rounded once; |a| > |b|, and c is below half of b's last place.
f64 rounded_sum(f64 a, f64 b, f64 c) {
  const f64 sum = a + b;
  return sum + sum_to_odd(b - (sum - a), c);
}

// The error of the rounded product of two numbers whose product neither overflows nor loses bits below (Dekker, "A
// Floating-Point Technique for Extending the Available Precision", 1971; halves are cut, not rounded: 26 and 27 bits).
f64 product_error(f64 a, f64 b, f64 product) {
  const f64 a_high = double_of(bits_of(a) & ~u64{0x7ffffff}), b_high = double_of(bits_of(b) & ~u64{0x7ffffff});
  const f64 a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

// One step from the unit's value: y + (e * 3/8 + 1/2) * (y * e), e = 1 - a * y^2, each of the three a fused operation.
// y^2 has 42 bits and e is below 2^-18, so that the products' errors are exact and 1 - a * y^2 is rounded once.
f64 refined_rsqrt(f64 a) {
  const f64 y = unit_rsq64h(a), square = y * y;
  const f64 near_one = a * square;
  const f64 e = (1.0 - near_one) - product_error(a, square, near_one);
  const f64 three_eighths = e * 0.375;
  const f64 factor = rounded_sum(0.5, three_eighths, product_error(e, 0.375, three_eighths));
  const f64 rest = y * e, step = factor * rest;
  return rounded_sum(y, step, product_error(factor, rest, step));
}

// --- halves: the unit's f32 result cut to the bits of the format

u16 cut_to_f16(f32 x) {
  const u32 magnitude = magnitude_of(x);
  const u32 subnormal = fixed_point(x, 24);  // in units of 2^-24
  const u32 finite = magnitude < 0x38800000 ? subnormal : (magnitude - 0x38000000) >> 13;
  const u32 bits = is_nan(x) ? u32(kNanF16) : magnitude >= 0x47800000 ? 0x7c00u : finite;
  return u16(bits | (is_nan(x) ? 0 : sign_of(x) >> 16));
}
u16 cut_to_bf16(f32 x) {
  return is_nan(x) ? kNanBf16 : u16(bits_of(x) >> 16);
}
u32 pair(u16 low, u16 high) {
  return u32(low) | u32(high) << 16;
}

}  // namespace

extern "C" {

#define WW_APPROXIMATE(op)              \
  f32 ww_##op##_approx_f32(f32 a) {     \
    return op(a);                       \
  }                                     \
  f32 ww_##op##_approx_ftz_f32(f32 a) { \
    return unit_##op(a);                \
  }
WW_APPROXIMATE(rcp)
WW_APPROXIMATE(rsqrt)
WW_APPROXIMATE(sqrt)
WW_APPROXIMATE(ex2)
WW_APPROXIMATE(lg2)
f32 ww_sin_approx_f32(f32 a) {
  return circular(a, false);
}
f32 ww_sin_approx_ftz_f32(f32 a) {
  return circular(a, false);
}
f32 ww_cos_approx_f32(f32 a) {
  return circular(a, true);
}
f32 ww_cos_approx_ftz_f32(f32 a) {
  return circular(a, true);
}
f32 ww_tanh_approx_f32(f32 a) {
  return unit_tanh(a);
}

f32 ww_div_approx_f32(f32 a, f32 b) {
  return div(a, b, is_tiny(b) ? 0x1p24f : 1.0f);
}
f32 ww_div_approx_ftz_f32(f32 a, f32 b) {
  return ww_mul_rn_ftz_f32(a, unit_rcp(b));
}
f32 ww_div_full_f32(f32 a, f32 b) {
  return div(a, b, is_huge(b) ? 0x1p-2f : is_tiny(b) ? 0x1p24f : 1.0f);
}
f32 ww_div_full_ftz_f32(f32 a, f32 b) {
  const f32 scale = is_huge(b) ? 0x1p-2f : 1.0f;
  return ww_mul_rn_ftz_f32(ww_mul_rn_ftz_f32(a, scale), unit_rcp(b * scale));
}

f64 ww_rcp_approx_ftz_f64(f64 a) {
  return unit_rcp64h(a);
}
f64 ww_rsqrt_approx_ftz_f64(f64 a) {
  return unit_rsq64h(a);
}
f64 ww_rsqrt_approx_f64(f64 a) {
  const bool subnormal = (bits_of(a) & 0x7ff0000000000000u) == 0;
  const f64 value = refined_rsqrt(subnormal ? a * 0x1p54 : a) * (subnormal ? 0x1p27 : 1.0);
  const f64 infinity = double_of(0x7ff0000000000000u | (bits_of(a) & 0x8000000000000000u));
  const f64 special = a == 0.0 ? infinity : negative(a) ? double_of(kDefaultNanF64) : 0.0;
  if (is_nan(a)) return quiet(a);
  return a > 0.0 && bits_of(a) < 0x7ff0000000000000u ? value : special;
}

u16 ww_ex2_approx_f16(u16 a) {
  return cut_to_f16(ex2(f16_to_f32(a)));
}
u32 ww_ex2_approx_f16x2(u32 a) {
  return pair(ww_ex2_approx_f16(u16(a)), ww_ex2_approx_f16(u16(a >> 16)));
}
u16 ww_ex2_approx_ftz_bf16(u16 a) {
  return cut_to_bf16(unit_ex2(widen_bf16(a)));
}
u32 ww_ex2_approx_ftz_bf16x2(u32 a) {
  return pair(ww_ex2_approx_ftz_bf16(u16(a)), ww_ex2_approx_ftz_bf16(u16(a >> 16)));
}
u16 ww_tanh_approx_f16(u16 a) {
  return cut_to_f16(unit_tanh(f16_to_f32(a)));
}
u32 ww_tanh_approx_f16x2(u32 a) {
  return pair(ww_tanh_approx_f16(u16(a)), ww_tanh_approx_f16(u16(a >> 16)));
}
u16 ww_tanh_approx_bf16(u16 a) {
  return cut_to_bf16(unit_tanh(widen_bf16(a)));
}
u32 ww_tanh_approx_bf16x2(u32 a) {
  return pair(ww_tanh_approx_bf16(u16(a)), ww_tanh_approx_bf16(u16(a >> 16)));
}

}  // extern "C"
}  // namespace ww::devicelib
