// The approximate functions of PTX: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh, div with .approx or .full.
//
// Computed in f64 with additions, multiplications and divisions alone, so that every host gives the same bits, then
// rounded once: errors are a little over half an ulp of the result, well inside the bounds of the manual ("Floating
// Point Instructions": ex2 2 ulp, lg2 2^-22.6, sin and cos 2^-20.5 in [-pi, pi], rsqrt 2^-22.9, rcp 1 ulp, sqrt 2^-23,
// tanh 2^-11). Special values as in the manual's tables. sin and cos first multiply by 1/(2 pi) in f32, toward zero, as
// the hardware does: for large arguments they are as wrong as it is, in the same way.
#include "devicelib/float_bits.h"

namespace ww::devicelib {
namespace {

f64 nearest_integer(f64 x) {  // |x| < 2^51
  const f64 magic = 0x1.8p52;
  return (x + magic) - magic;
}

// 2^x for |x| <= 1000, x finite.
f64 exp2_of(f64 x) {
  const f64 n = nearest_integer(x);
  const f64 r = (x - n) * 0.693147180559945309417;  // |r| <= 0.3466: Taylor to r^10, rest below 1e-12
  f64 p = 2.75573192239858906526e-7;
  p = p * r + 2.75573192239858906526e-6;
  p = p * r + 2.48015873015873015873e-5;
  p = p * r + 1.98412698412698412698e-4;
  p = p * r + 1.38888888888888888889e-3;
  p = p * r + 8.33333333333333333333e-3;
  p = p * r + 4.16666666666666666667e-2;
  p = p * r + 1.66666666666666666667e-1;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * double_of(u64(s64(n) + 1023) << 52);
}

f64 limit(f64 x, f64 bound) {
  return x > bound ? bound : x < -bound ? -bound : x;
}

f32 ex2(f32 a) {
  const f64 x = is_nan(a) ? 0.0 : limit(f64(a), 300.0);
  return is_nan(a) ? float_of(kNanF32) : f32(exp2_of(x));
}

f32 lg2(f32 a) {
  const bool positive = a > 0.0f && bits_of(a) < 0x7f800000u;
  const u64 bits = bits_of(f64(positive ? a : 1.0f));  // a subnormal f32 is a normal f64
  const u64 root_half = 0x3fe6a09e667f3bcdu;
  const s64 exponent = s64(bits - root_half) >> 52;
  const f64 m = double_of(bits - (u64(exponent) << 52));  // in [sqrt(1/2), sqrt(2))
  // ln m = 2 atanh(s), |s| <= 0.1716: the odd series to s^15, rest below 1e-14.
  const f64 s = (m - 1.0) / (m + 1.0), z = s * s;
  f64 p = 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  const f32 value = f32(f64(exponent) + s * p * 2.88539008177792681472);
  const f32 special = a == 0.0f ? float_of(0xff800000u) : bits_of(a) == 0x7f800000u ? a : float_of(kNanF32);
  return positive ? value : special;
}

// sin (quarter 0) or cos (quarter 1) of 2 pi t for the fraction t of a turn.
f32 circular(f32 a, u32 quarter) {
  const bool finite = (bits_of(a) & 0x7fffffffu) < 0x7f800000u;
  const f32 turns = flush(narrow<Rounding::kTowardZero>(f64(a) * f64(float_of(0x3e22f983u))));
  const f64 t = f64(finite ? turns : 0.0f);
  // |t| < 2^126: beyond 2^51 an f64 may not hold the fraction, but an f32 of 2^24 and more is an integer already.
  const bool has_fraction = magnitude(t) < 0x1p24;
  const f64 small = has_fraction ? t : double_of(bits_of(t) & 0x8000000000000000u);
  const f64 q = nearest_integer(small * 4.0);
  const f64 u = (small - q * 0.25) * 6.28318530717958647693;  // in [-pi/4, pi/4]
  const f64 z = u * u;
  f64 s = 1.60590438368216145994e-10;
  s = s * z - 2.50521083854417187751e-8;
  s = s * z + 2.75573192239858906526e-6;
  s = s * z - 1.98412698412698412698e-4;
  s = s * z + 8.33333333333333333333e-3;
  s = s * z - 1.66666666666666666667e-1;
  s = u * (1.0 + z * s);
  f64 c = 2.08767569878680989792e-9;
  c = c * z - 2.75573192239858906526e-7;
  c = c * z + 2.48015873015873015873e-5;
  c = c * z - 1.38888888888888888889e-3;
  c = c * z + 4.16666666666666666667e-2;
  c = c * z - 0.5;
  c = c * z + 1.0;
  const u32 n = u32(s32(q)) + quarter;
  const f64 value = (n & 1) ? c : s;
  return finite ? f32((n & 2) ? -value : value) : float_of(kNanF32);
}

f64 tanh_of(f64 x) {
  const f64 a = magnitude(x) > 40.0 ? 40.0 : magnitude(x);
  // Below 1/4 the odd Taylor series to x^15 (rest below 1e-11 of the value), above it 1 - 2 / (e^(2a) + 1).
  const f64 z = a * a;
  f64 p = -929569.0 / 638512875.0;
  p = p * z + 21844.0 / 6081075.0;
  p = p * z - 1382.0 / 155925.0;
  p = p * z + 62.0 / 2835.0;
  p = p * z - 17.0 / 315.0;
  p = p * z + 2.0 / 15.0;
  p = p * z - 1.0 / 3.0;
  const f64 small = a + a * z * p;
  const f64 large = 1.0 - 2.0 / (exp2_of(a * 2.88539008177792681472) + 1.0);
  const f64 result = a < 0.25 ? small : large;
  return negative(x) ? -result : result;
}

f32 tanh(f32 a) {
  return is_nan(a) ? float_of(kNanF32) : f32(tanh_of(f64(a)));
}

f32 rcp(f32 a) {
  return canonical(1.0f / a);
}
f32 rsqrt(f32 a) {
  const f64 value = 1.0 / __builtin_sqrt(f64(a));  // -0: 1 / -0 is -infinity, as in the manual's table
  return canonical(f32(value));
}
f32 sqrt(f32 a) {
  return canonical(__builtin_sqrtf(a));
}

// a * (1 / b); where 1 / b is below the normal numbers (|b| > 2^126) it counts as zero.
f32 div_approx(f32 a, f32 b) {
  const u32 b_magnitude = bits_of(b) & 0x7fffffffu;
  const bool vanishing = b_magnitude > 0x7e800000u && b_magnitude < 0x7f800000u;
  const f32 zero = float_of((bits_of(a) ^ bits_of(b)) & 0x80000000u);
  const f32 quotient =
      vanishing && !is_nan(a) ? ((bits_of(a) & 0x7fffffffu) == 0x7f800000u ? float_of(kNanF32) : zero) : a / b;
  return canonical(quotient);
}

// The f64 gross approximations see and give the upper 32 bits only, and flush subnormals.
f64 upper(f64 a) {
  return double_of(bits_of(a) & 0xffffffff00000000u);
}
f64 flush(f64 a) {
  return (bits_of(a) & 0x7ff0000000000000u) == 0 ? double_of(bits_of(a) & 0x8000000000000000u) : a;
}
f64 rounded_upper(f64 a) {
  const f64 nearest = double_of((bits_of(a) + 0x80000000u) & 0xffffffff00000000u);
  const bool special = (bits_of(a) & 0x7ff0000000000000u) == 0x7ff0000000000000u;
  return is_nan(a) ? double_of(0x7fffffff00000000u) : special ? a : flush(nearest);
}

u32 pair(u16 low, u16 high) {
  return u32(low) | u32(high) << 16;
}
u16 narrow_f16_from(f64 x) {
  return u16(convert_format(kFormatF16, kFormatF64, bits_of(x)));
}
u16 flush_bf16(u16 h) {
  return (h & 0x7f80u) == 0 ? u16(h & 0x8000u) : h;
}

}  // namespace

extern "C" {

#define WW_APPROXIMATE(op, function)    \
  f32 ww_##op##_approx_f32(f32 a) {     \
    return function(a);                 \
  }                                     \
  f32 ww_##op##_approx_ftz_f32(f32 a) { \
    return flush(function(flush(a)));   \
  }
WW_APPROXIMATE(rcp, rcp)
WW_APPROXIMATE(rsqrt, rsqrt)
WW_APPROXIMATE(sqrt, sqrt)
WW_APPROXIMATE(ex2, ex2)
WW_APPROXIMATE(lg2, lg2)
f32 ww_sin_approx_f32(f32 a) {
  return circular(a, 0);
}
f32 ww_sin_approx_ftz_f32(f32 a) {
  return flush(circular(flush(a), 0));
}
f32 ww_cos_approx_f32(f32 a) {
  return circular(a, 1);
}
f32 ww_cos_approx_ftz_f32(f32 a) {
  return flush(circular(flush(a), 1));
}
f32 ww_tanh_approx_f32(f32 a) {
  return tanh(a);
}

f32 ww_div_approx_f32(f32 a, f32 b) {
  return div_approx(a, b);
}
f32 ww_div_approx_ftz_f32(f32 a, f32 b) {
  return flush(div_approx(flush(a), flush(b)));
}
f32 ww_div_full_f32(f32 a, f32 b) {
  return canonical(a / b);
}
f32 ww_div_full_ftz_f32(f32 a, f32 b) {
  return flush(canonical(flush(a) / flush(b)));
}

f64 ww_rcp_approx_ftz_f64(f64 a) {
  return rounded_upper(1.0 / flush(upper(a)));
}
f64 ww_rsqrt_approx_ftz_f64(f64 a) {
  return rounded_upper(1.0 / __builtin_sqrt(flush(upper(a))));
}
f64 ww_rsqrt_approx_f64(f64 a) {
  const f64 value = 1.0 / __builtin_sqrt(a);
  return is_nan(value) ? nan_of(a, 0.0) : value;
}

u16 ww_ex2_approx_f16(u16 a) {
  const f32 x = widen_f16(a);
  return is_nan(x) ? kNanF16 : narrow_f16_from(exp2_of(limit(f64(x), 300.0)));
}
u32 ww_ex2_approx_f16x2(u32 a) {
  return pair(ww_ex2_approx_f16(u16(a)), ww_ex2_approx_f16(u16(a >> 16)));
}
u16 ww_ex2_approx_ftz_bf16(u16 a) {
  return flush_bf16(narrow_bf16(ex2(widen_bf16(flush_bf16(a)))));
}
u32 ww_ex2_approx_ftz_bf16x2(u32 a) {
  return pair(ww_ex2_approx_ftz_bf16(u16(a)), ww_ex2_approx_ftz_bf16(u16(a >> 16)));
}
u16 ww_tanh_approx_f16(u16 a) {
  const f32 x = widen_f16(a);
  return is_nan(x) ? kNanF16 : narrow_f16_from(tanh_of(f64(x)));
}
u32 ww_tanh_approx_f16x2(u32 a) {
  return pair(ww_tanh_approx_f16(u16(a)), ww_tanh_approx_f16(u16(a >> 16)));
}
u16 ww_tanh_approx_bf16(u16 a) {
  return narrow_bf16(tanh(widen_bf16(a)));
}
u32 ww_tanh_approx_bf16x2(u32 a) {
  return pair(ww_tanh_approx_bf16(u16(a)), ww_tanh_approx_bf16(u16(a >> 16)));
}

}  // extern "C"
}  // namespace ww::devicelib
