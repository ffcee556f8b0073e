// f16 and bf16 arithmetic, scalar and packed. (PTX ISA, "Half Precision Floating Point Instructions".)
//
// Sums go through f32: rounding to 24 bits and then to 11 or 8 gives what one rounding would (24 >= 2 * 11 + 2;
// Figueroa, "When is double rounding innocuous?", 1995). Products and fused operations go through f64, rounded to odd.
#include "devicelib/float_bits.h"

namespace ww::devicelib {
namespace {

// What differs between the two formats.
struct F16 {
  static constexpr FloatFormat kFormat = kFormatF16;
  static constexpr u16 kInfinity = 0x7c00;
  static f32 widen(u16 h) { return f16_to_f32(h); }
  static u16 narrow(f32 x) { return narrow_f16(x); }
};
struct Bf16 {
  static constexpr FloatFormat kFormat = kFormatBf16;
  static constexpr u16 kInfinity = 0x7f80;
  static f32 widen(u16 h) { return widen_bf16(h); }
  static u16 narrow(f32 x) { return narrow_bf16(x); }
};

template <class T>
bool nan(u16 h) {
  return (h & 0x7fffu) > T::kInfinity;
}
template <class T>
u16 narrow_exact(f64 x) {
  return u16(convert_format(T::kFormat, kFormatF64, bits_of(x)));
}
template <class T>
u16 add(u16 a, u16 b) {
  return T::narrow(T::widen(a) + T::widen(b));
}
template <class T>
u16 sub(u16 a, u16 b) {
  return T::narrow(T::widen(a) - T::widen(b));
}
template <class T>
u16 mul(u16 a, u16 b) {
  return narrow_exact<T>(f64(T::widen(a)) * f64(T::widen(b)));
}
template <class T>
u16 fma(u16 a, u16 b, u16 c) {
  return narrow_exact<T>(sum_to_odd(f64(T::widen(a)) * f64(T::widen(b)), f64(T::widen(c))));
}

// The NaN that stands for what lies outside a tensor, of either sign and in both formats: an H200 takes these two codes
// of all 65,536 for it.
bool is_oob(u16 h) {
  return (h & 0x7fffu) == 0x7ff7u;
}

u16 flush(u16 h) {
  return (h & 0x7c00u) == 0 ? u16(h & 0x8000u) : h;
}  // f16 only
u16 sat(u16 h) {
  return (h & 0x8000u) || nan<F16>(h) ? 0 : h > 0x3c00u ? 0x3c00u : h;
}
template <class T>
u16 relu(u16 h) {
  return nan<T>(h) ? 0x7fff : (h & 0x8000u) ? 0 : h;
}

template <class T, bool kMax, bool kNan, bool kXorSign>
u16 extreme(u16 a, u16 b) {
  const u16 sign = (a ^ b) & 0x8000u;
  if constexpr (kXorSign) {
    a &= 0x7fffu;
    b &= 0x7fffu;
  }
  const f32 x = T::widen(a), y = T::widen(b);
  const bool a_less = x < y || (x == y && (a & 0x8000u) != 0);
  u16 result = a_less != kMax ? a : b;
  result = nan<T>(a) ? b : nan<T>(b) ? a : result;
  if constexpr (kXorSign) result |= sign;
  const bool invalid = kNan ? nan<T>(a) | nan<T>(b) : nan<T>(a) & nan<T>(b);
  return invalid ? 0x7fff : result;
}

// .ftz flushes what is below the least normal half once it is rounded to 11 bits, whatever its exponent: `exact` (or
// rounded to odd) is rounded 2^10 times as large, where that is a normal half.
u16 flush_tiny(u16 result, f64 exact) {
  const bool tiny = (narrow_exact<F16>(exact * 0x1p10) & 0x7fffu) < 0x2c00u;
  return tiny ? u16(result & 0x8000u) : result;
}
u16 mul_flushed(u16 a, u16 b) {
  const u16 x = flush(a), y = flush(b);
  return flush_tiny(mul<F16>(x, y), f64(F16::widen(x)) * f64(F16::widen(y)));
}
u16 fma_flushed(u16 a, u16 b, u16 c) {
  const u16 x = flush(a), y = flush(b), z = flush(c);
  return flush_tiny(fma<F16>(x, y, z), sum_to_odd(f64(F16::widen(x)) * f64(F16::widen(y)), f64(F16::widen(z))));
}

// abs and neg make every NaN the canonical one.
template <class T>
u16 absolute(u16 a) {
  return nan<T>(a) ? 0x7fff : u16(a & 0x7fffu);
}
template <class T>
u16 negated(u16 a) {
  return nan<T>(a) ? 0x7fff : u16(a ^ 0x8000u);
}

template <class F>
u32 both(F f, u32 a) {
  return u32(f(u16(a))) | u32(f(u16(a >> 16))) << 16;
}
template <class F>
u32 both(F f, u32 a, u32 b) {
  return u32(f(u16(a), u16(b))) | u32(f(u16(a >> 16), u16(b >> 16))) << 16;
}
template <class F>
u32 both(F f, u32 a, u32 b, u32 c) {
  return u32(f(u16(a), u16(b), u16(c))) | u32(f(u16(a >> 16), u16(b >> 16), u16(c >> 16))) << 16;
}

}  // namespace

extern "C" {

#define WW_BINARY(name, format, expression)    \
  u16 ww_##name##_##format(u16 a, u16 b) {     \
    return expression;                         \
  }                                            \
  u32 ww_##name##_##format##x2(u32 a, u32 b) { \
    return both(ww_##name##_##format, a, b);   \
  }
#define WW_TERNARY(name, format, expression)          \
  u16 ww_##name##_##format(u16 a, u16 b, u16 c) {     \
    return expression;                                \
  }                                                   \
  u32 ww_##name##_##format##x2(u32 a, u32 b, u32 c) { \
    return both(ww_##name##_##format, a, b, c);       \
  }

#define WW_ARITHMETIC(op)                                                  \
  WW_BINARY(op##_rn, f16, op<F16>(a, b))                                   \
  WW_BINARY(op##_rn_ftz, f16, flush(op<F16>(flush(a), flush(b))))          \
  WW_BINARY(op##_rn_sat, f16, sat(op<F16>(a, b)))                          \
  WW_BINARY(op##_rn_ftz_sat, f16, sat(flush(op<F16>(flush(a), flush(b))))) \
  WW_BINARY(op##_rn, bf16, op<Bf16>(a, b))
WW_ARITHMETIC(add)
WW_ARITHMETIC(sub)
WW_BINARY(mul_rn, f16, mul<F16>(a, b))
WW_BINARY(mul_rn_ftz, f16, mul_flushed(a, b))
WW_BINARY(mul_rn_sat, f16, sat(mul<F16>(a, b)))
WW_BINARY(mul_rn_ftz_sat, f16, sat(mul_flushed(a, b)))
WW_BINARY(mul_rn, bf16, mul<Bf16>(a, b))
WW_TERNARY(fma_rn, f16, fma<F16>(a, b, c))
WW_TERNARY(fma_rn_ftz, f16, fma_flushed(a, b, c))
WW_TERNARY(fma_rn_sat, f16, sat(fma<F16>(a, b, c)))
WW_TERNARY(fma_rn_ftz_sat, f16, sat(fma_flushed(a, b, c)))
WW_TERNARY(fma_rn_relu, f16, relu<F16>(fma<F16>(a, b, c)))
WW_TERNARY(fma_rn_ftz_relu, f16, relu<F16>(fma_flushed(a, b, c)))
WW_TERNARY(fma_rn_oob, f16, is_oob(a) || is_oob(b) ? u16(0) : fma<F16>(a, b, c))
WW_TERNARY(fma_rn_oob_relu, f16, relu<F16>(ww_fma_rn_oob_f16(a, b, c)))
WW_TERNARY(fma_rn_oob, bf16, is_oob(a) || is_oob(b) ? u16(0) : fma<Bf16>(a, b, c))
WW_TERNARY(fma_rn_oob_relu, bf16, relu<Bf16>(ww_fma_rn_oob_bf16(a, b, c)))
WW_TERNARY(fma_rn, bf16, fma<Bf16>(a, b, c))
WW_TERNARY(fma_rn_relu, bf16, relu<Bf16>(fma<Bf16>(a, b, c)))

#define WW_EXTREME(op, is_max)                                                                     \
  WW_BINARY(op, f16, (extreme<F16, is_max, false, false>(a, b)))                                   \
  WW_BINARY(op##_ftz, f16, (extreme<F16, is_max, false, false>(flush(a), flush(b))))               \
  WW_BINARY(op##_NaN, f16, (extreme<F16, is_max, true, false>(a, b)))                              \
  WW_BINARY(op##_ftz_NaN, f16, (extreme<F16, is_max, true, false>(flush(a), flush(b))))            \
  WW_BINARY(op##_xorsign_abs, f16, (extreme<F16, is_max, false, true>(a, b)))                      \
  WW_BINARY(op##_ftz_xorsign_abs, f16, (extreme<F16, is_max, false, true>(flush(a), flush(b))))    \
  WW_BINARY(op##_NaN_xorsign_abs, f16, (extreme<F16, is_max, true, true>(a, b)))                   \
  WW_BINARY(op##_ftz_NaN_xorsign_abs, f16, (extreme<F16, is_max, true, true>(flush(a), flush(b)))) \
  WW_BINARY(op, bf16, (extreme<Bf16, is_max, false, false>(a, b)))                                 \
  WW_BINARY(op##_NaN, bf16, (extreme<Bf16, is_max, true, false>(a, b)))                            \
  WW_BINARY(op##_xorsign_abs, bf16, (extreme<Bf16, is_max, false, true>(a, b)))                    \
  WW_BINARY(op##_NaN_xorsign_abs, bf16, (extreme<Bf16, is_max, true, true>(a, b)))
WW_EXTREME(min, false)
WW_EXTREME(max, true)

// Sign operations pass NaNs through.
#define WW_SIGN(op, function)          \
  u16 ww_##op##_f16(u16 a) {           \
    return function<F16>(a);           \
  }                                    \
  u16 ww_##op##_ftz_f16(u16 a) {       \
    return function<F16>(flush(a));    \
  }                                    \
  u16 ww_##op##_bf16(u16 a) {          \
    return function<Bf16>(a);          \
  }                                    \
  u32 ww_##op##_f16x2(u32 a) {         \
    return both(ww_##op##_f16, a);     \
  }                                    \
  u32 ww_##op##_ftz_f16x2(u32 a) {     \
    return both(ww_##op##_ftz_f16, a); \
  }                                    \
  u32 ww_##op##_bf16x2(u32 a) {        \
    return both(ww_##op##_bf16, a);    \
  }
WW_SIGN(abs, absolute)
WW_SIGN(neg, negated)

u16 ww_canonical_nan_f16(u16 a) {
  return nan<F16>(a) ? kNanF16 : a;
}
u16 ww_canonical_nan_bf16(u16 a) {
  return nan<Bf16>(a) ? kNanBf16 : a;
}
u16 ww_sat_f16(u16 a) {
  return sat(a);
}

}  // extern "C"
}  // namespace ww::devicelib
