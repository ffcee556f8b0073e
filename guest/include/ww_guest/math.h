// Float arithmetic and elementary functions.
//
// Three kinds. Correctly rounded: +, -, *, /, sqrt, fma, conversions. Built here from those alone (exp, log, sin, cos,
// pow, tanh): the same bits on every device that rounds correctly. Approximate (approx_*): one PTX instruction whose
// last bits are the hardware's own; the PTX manual gives its bound.
#pragma once
#include "ww_guest/core.h"

namespace ww {
constexpr float kPi = 3.14159265358979f;
constexpr float kInfinity = __builtin_inff();

WW_DEVICE float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
WW_DEVICE double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
WW_DEVICE float sqrt(float x) {
  return __builtin_sqrtf(x);
}
WW_DEVICE float abs(float x) {
  return __builtin_fabsf(x);
}
WW_DEVICE float floor(float x) {
  return __builtin_floorf(x);
}
WW_DEVICE float ceil(float x) {
  return __builtin_ceilf(x);
}
WW_DEVICE float trunc(float x) {
  return __builtin_truncf(x);
}
WW_DEVICE float round_even(float x) {
  return __builtin_rintf(x);
}
WW_DEVICE float copysign(float magnitude, float sign) {
  return __builtin_copysignf(magnitude, sign);
}
WW_DEVICE float fract(float x) {
  return x - floor(x);
}
WW_DEVICE bool is_nan(float x) {
  return x != x;
}
WW_DEVICE bool is_finite(float x) {
  return abs(x) < kInfinity;
}
WW_DEVICE float saturate(float x) {
  return min(max(x, 0.0f), 1.0f);
}
WW_DEVICE float mix(float a, float b, float t) {
  return fma(t, b - a, a);
}

WW_DEVICE float approx_rcp(float x) {
  float d;
  asm("rcp.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  return d;
}
WW_DEVICE float approx_rsqrt(float x) {
  return __nvvm_rsqrt_approx_f(x);
}
WW_DEVICE float approx_sqrt(float x) {
  return __nvvm_sqrt_approx_f(x);
}
WW_DEVICE float approx_div(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
WW_DEVICE float approx_exp2(float x) {
  return __nvvm_ex2_approx_f(x);
}
WW_DEVICE float approx_log2(float x) {
  return __nvvm_lg2_approx_f(x);
}
WW_DEVICE float approx_sin(float x) {
  return __nvvm_sin_approx_f(x);
}
WW_DEVICE float approx_cos(float x) {
  return __nvvm_cos_approx_f(x);
}
WW_DEVICE float approx_tanh(float x) {
  float d;
  asm("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  return d;
}
WW_DEVICE float approx_exp(float x) {
  return approx_exp2(x * 1.44269504f);
}
WW_DEVICE float approx_log(float x) {
  return approx_log2(x) * 0.693147181f;
}
// x > 0.
WW_DEVICE float approx_pow(float x, float y) {
  return approx_exp2(y * approx_log2(x));
}

namespace detail {
// x * 2^n for n in [-252, 254], exact unless the result is subnormal (then rounded once).
WW_DEVICE float scale(float x, s32 n) {
  const s32 half = n >> 1;
  return x * bits<float>((half + 127) << 23) * bits<float>((n - half + 127) << 23);
}

// 2^r on [-0.5, 0.5]: Taylor series of degree 7; the rest is below 2e-9.
WW_DEVICE float exp2_core(float r) {
  float p = 1.52527338e-5f;
  p = fma(p, r, 1.54035304e-4f);
  p = fma(p, r, 1.33335581e-3f);
  p = fma(p, r, 9.61812911e-3f);
  p = fma(p, r, 5.55041087e-2f);
  p = fma(p, r, 2.40226507e-1f);
  p = fma(p, r, 6.93147181e-1f);
  return fma(p, r, 1.0f);
}
}  // namespace detail

// 2^x; 0 below -150, infinity from 128 on. Error at most 2 ulp.
WW_DEVICE float exp2(float x) {
  const float limited = min(max(x, -151.0f), 129.0f);
  const float n = round_even(limited);
  const float y = detail::scale(detail::exp2_core(limited - n), s32(n));
  return is_nan(x) ? x : y;
}

// e^x. Error at most 2 ulp.
WW_DEVICE float exp(float x) {
  const float limited = min(max(x, -105.0f), 90.0f);
  const float n = round_even(limited * 1.44269504f);
  const float r = fma(n, -1.42860677e-6f, fma(n, -6.93145752e-1f, limited));  // ln 2 in two parts
  // e^r on [-0.347, 0.347], Taylor series of degree 7.
  float p = 1.98412698e-4f;
  p = fma(p, r, 1.38888889e-3f);
  p = fma(p, r, 8.33333333e-3f);
  p = fma(p, r, 4.16666667e-2f);
  p = fma(p, r, 1.66666667e-1f);
  p = fma(p, r, 0.5f);
  p = fma(p, r, 1.0f);
  p = fma(p, r, 1.0f);
  const float y = detail::scale(p, s32(n));
  return is_nan(x) ? x : y;
}

namespace detail {
// Splits a positive finite x into m * 2^e with m in [sqrt(1/2), sqrt(2)).
struct Split {
  float m;
  float e;
};
WW_DEVICE Split split(float x) {
  const bool tiny = x < 1.17549435e-38f;
  const s32 b = bits<s32>(tiny ? x * 8388608.0f : x);
  const s32 shifted = b - 0x3f3504f3;
  const s32 e = shifted >> 23;
  return {bits<float>((shifted & 0x7fffff) + 0x3f3504f3), float(e) - (tiny ? 23.0f : 0.0f)};
}
// log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.172: the odd series to s^11.
WW_DEVICE float log_core(float m) {
  const float f = m - 1.0f;
  const float s = f / (m + 1.0f);
  const float z = s * s;
  float p = 0.0909090909f;
  p = fma(p, z, 0.111111111f);
  p = fma(p, z, 0.142857143f);
  p = fma(p, z, 0.2f);
  p = fma(p, z, 0.333333333f);
  // f - s * f + ... keeps f itself exact: 2 s = f - s f.
  return f - s * (f - 2.0f * z * p);
}
// The values that a logarithm has where its argument is not a positive finite number.
WW_DEVICE float log_special(float x, float y) {
  if (x == 0.0f) return -kInfinity;
  if (x < 0.0f) return __builtin_nanf("");
  return x < kInfinity ? y : x;
}
}  // namespace detail

// Natural logarithm. Error at most 3 ulp.
WW_DEVICE float log(float x) {
  const auto [m, e] = detail::split(x);
  const float y = fma(e, 6.93145752e-1f, fma(e, 1.42860677e-6f, detail::log_core(m)));
  return detail::log_special(x, y);
}
WW_DEVICE float log2(float x) {
  const auto [m, e] = detail::split(x);
  return detail::log_special(x, fma(detail::log_core(m), 1.44269504f, e));
}
// x^y for x >= 0, as 2^(y log2 x): the relative error grows with |y log2 x|, about 1e-7 times it.
WW_DEVICE float pow(float x, float y) {
  return y == 0.0f ? 1.0f : exp2(y * log2(x));
}

namespace detail {
// r in [-pi/4, pi/4].
WW_DEVICE float sin_core(float r) {
  const float z = r * r;
  float p = 2.75573192e-6f;
  p = fma(p, z, -1.98412698e-4f);
  p = fma(p, z, 8.33333333e-3f);
  p = fma(p, z, -1.66666667e-1f);
  return fma(p * z, r, r);
}
WW_DEVICE float cos_core(float r) {
  const float z = r * r;
  float p = -2.75573192e-7f;
  p = fma(p, z, 2.48015873e-5f);
  p = fma(p, z, -1.38888889e-3f);
  p = fma(p, z, 4.16666667e-2f);
  p = fma(p, z, -0.5f);
  return fma(p, z, 1.0f);
}
struct Quadrant {
  float r;
  s32 n;
};
// x = n pi/2 + r. Cody and Waite, pi/2 in three parts: good to 1e-7 for |x| < 10,000.
WW_DEVICE Quadrant reduce(float x) {
  const float n = round_even(x * 0.636619772f);
  float r = fma(n, -1.57079601f, x);
  r = fma(n, -3.13916473e-7f, r);
  r = fma(n, -5.39030253e-15f, r);
  return {r, s32(n)};
}
WW_DEVICE float quadrant_value(Quadrant q) {
  const float y = (q.n & 1) ? cos_core(q.r) : sin_core(q.r);
  return (q.n & 2) ? -y : y;
}
}  // namespace detail

// Sine and cosine of radians, |x| < 10,000; absolute error below 2e-7.
WW_DEVICE float sin(float x) {
  return detail::quadrant_value(detail::reduce(x));
}
WW_DEVICE float cos(float x) {
  detail::Quadrant q = detail::reduce(x);
  q.n += 1;
  return detail::quadrant_value(q);
}

// Hyperbolic tangent. Relative error below 1e-6.
WW_DEVICE float tanh(float x) {
  const float a = abs(x);
  if (a < 0.3f) {  // the odd series to x^9
    const float z = x * x;
    float p = 0.0218694885f;
    p = fma(p, z, -0.0539682540f);
    p = fma(p, z, 0.133333333f);
    p = fma(p, z, -0.333333333f);
    return fma(p * z, x, x);
  }
  const float y = 1.0f - 2.0f / (exp(2.0f * min(a, 15.0f)) + 1.0f);
  return is_nan(x) ? x : copysign(y, x);
}
}  // namespace ww
