// f32 arithmetic in every rounding, with .ftz and .sat; sign, extremes and class tests. (PTX ISA, "Floating Point
// Instructions".) Every arithmetic NaN is 0x7fffffff. A result is flushed (.ftz) after it was rounded.
#include "devicelib/float_bits.h"

namespace ww::devicelib {
namespace {

template <Rounding kRounding>
f32 add(f32 a, f32 b) {
  if constexpr (kRounding == Rounding::kNearestEven) return canonical(a + b);
  return canonical(narrow_sum<kRounding>(sum_to_odd(f64(a), f64(b)), negative(a) | negative(b)));
}

template <Rounding kRounding>
f32 sub(f32 a, f32 b) {
  return add<kRounding>(a, float_of(bits_of(b) ^ 0x80000000u));
}

template <Rounding kRounding>
f32 mul(f32 a, f32 b) {
  if constexpr (kRounding == Rounding::kNearestEven) return canonical(a * b);
  return canonical(narrow<kRounding>(f64(a) * f64(b)));
}

template <Rounding kRounding>
f32 fma(f32 a, f32 b, f32 c) {
  const f64 product = f64(a) * f64(b);  // exact
  return canonical(narrow_sum<kRounding>(sum_to_odd(product, f64(c)), negative(product) | negative(c)));
}

// `quotient` moved by one ulp if the exact result lies on the side that the mode asks for. `below`/`above`: the exact
// result is smaller/larger than the rounded one.
template <Rounding kRounding>
f32 direct(f32 rounded, bool below, bool above) {
  const u32 bits = bits_of(rounded);
  const bool minus = negative(rounded);
  if constexpr (kRounding == Rounding::kTowardZero) return float_of((minus ? above : below) ? bits - 1 : bits);
  if constexpr (kRounding == Rounding::kDown) return float_of(below ? (minus ? bits + 1 : bits - 1) : bits);
  if constexpr (kRounding == Rounding::kUp) return float_of(above ? (minus ? bits - 1 : bits + 1) : bits);
  return rounded;
}

template <Rounding kRounding>
f32 div(f32 a, f32 b) {
  const f32 quotient = a / b;
  const f64 back = f64(quotient) * f64(b);  // exact: 48 bits
  const bool less = f64(a)<back, more = f64(a)> back;
  return canonical(direct<kRounding>(quotient, negative(b) ? more : less, negative(b) ? less : more));
}

template <Rounding kRounding>
f32 sqrt(f32 a) {
  const f32 root = __builtin_sqrtf(a);
  const f64 back = f64(root) * f64(root);
  return canonical(direct<kRounding>(root, f64(a) < back, f64(a) > back));
}

template <Rounding kRounding>
f32 rcp(f32 a) {
  return div<kRounding>(1.0f, a);
}

// PTX min and max: -0 < +0; a NaN operand gives the other one; two NaNs, or one with .NaN, give the canonical NaN.
template <bool kMax, bool kNan, bool kXorSign>
f32 extreme(f32 a, f32 b) {
  const u32 sign = (bits_of(a) ^ bits_of(b)) & 0x80000000u;
  if constexpr (kXorSign) {
    a = float_of(bits_of(a) & 0x7fffffffu);
    b = float_of(bits_of(b) & 0x7fffffffu);
  }
  const bool a_less = a < b || (a == b && negative(a));
  f32 result = a_less != kMax ? a : b;
  result = is_nan(a) ? b : is_nan(b) ? a : result;
  const bool nan = kNan ? is_nan(a) | is_nan(b) : is_nan(a) & is_nan(b);
  if constexpr (kXorSign) result = float_of(bits_of(result) | sign);
  return nan ? float_of(kNanF32) : result;
}

// .ftz flushes what is below the least normal number once it is rounded to 24 bits, whatever its exponent; in f32's own
// grid such a result may round up to that number. `scaled`: the same operation with operands that make it 2^64 times as
// large. (Seen on an H200.)
f32 flush_tiny(f32 result, f32 scaled) {
  const bool rounded_up = (bits_of(result) & 0x7fffffffu) == 0x00800000u && scaled < 0x1p-62f && scaled > -0x1p-62f;
  return rounded_up ? float_of(bits_of(result) & 0x80000000u) : flush(result);
}
// Scales the smaller of two factors: their product cannot overflow where it matters.
bool scales_first(f32 a, f32 b) {
  return (bits_of(a) & 0x7fffffffu) < (bits_of(b) & 0x7fffffffu);
}

// Sums that small are exact.
template <Rounding kRounding>
f32 add_flushed(f32 a, f32 b) {
  return flush(add<kRounding>(a, b));
}
template <Rounding kRounding>
f32 sub_flushed(f32 a, f32 b) {
  return flush(sub<kRounding>(a, b));
}
template <Rounding kRounding>
f32 mul_flushed(f32 a, f32 b) {
  const bool first = scales_first(a, b);
  return flush_tiny(mul<kRounding>(a, b), mul<kRounding>(first ? a * 0x1p64f : a, first ? b : b * 0x1p64f));
}
template <Rounding kRounding>
f32 fma_flushed(f32 a, f32 b, f32 c) {
  const bool first = scales_first(a, b);
  return flush_tiny(fma<kRounding>(a, b, c),
                    fma<kRounding>(first ? a * 0x1p64f : a, first ? b : b * 0x1p64f, c * 0x1p64f));
}
template <Rounding kRounding>
f32 div_flushed(f32 a, f32 b) {
  return flush_tiny(div<kRounding>(a, b), div<kRounding>(a * 0x1p64f, b));
}
template <Rounding kRounding>
f32 rcp_flushed(f32 a) {
  return div_flushed<kRounding>(1.0f, a);
}
template <Rounding kRounding>
f32 sqrt_flushed(f32 a) {
  return sqrt<kRounding>(a);
}

}  // namespace

extern "C" {

#define WW_ROUNDED(op, rnd, mode)                            \
  f32 ww_##op##_##rnd##_f32(f32 a, f32 b) {                  \
    return op<mode>(a, b);                                   \
  }                                                          \
  f32 ww_##op##_##rnd##_ftz_f32(f32 a, f32 b) {              \
    return op##_flushed<mode>(flush(a), flush(b));           \
  }                                                          \
  f32 ww_##op##_##rnd##_sat_f32(f32 a, f32 b) {              \
    return saturate(op<mode>(a, b));                         \
  }                                                          \
  f32 ww_##op##_##rnd##_ftz_sat_f32(f32 a, f32 b) {          \
    return saturate(op##_flushed<mode>(flush(a), flush(b))); \
  }
#define WW_FMA(op, rnd, mode)                                          \
  f32 ww_##op##_##rnd##_f32(f32 a, f32 b, f32 c) {                     \
    return op<mode>(a, b, c);                                          \
  }                                                                    \
  f32 ww_##op##_##rnd##_ftz_f32(f32 a, f32 b, f32 c) {                 \
    return op##_flushed<mode>(flush(a), flush(b), flush(c));           \
  }                                                                    \
  f32 ww_##op##_##rnd##_sat_f32(f32 a, f32 b, f32 c) {                 \
    return saturate(op<mode>(a, b, c));                                \
  }                                                                    \
  f32 ww_##op##_##rnd##_ftz_sat_f32(f32 a, f32 b, f32 c) {             \
    return saturate(op##_flushed<mode>(flush(a), flush(b), flush(c))); \
  }
#define WW_DIV(op, rnd, mode)                      \
  f32 ww_##op##_##rnd##_f32(f32 a, f32 b) {        \
    return op<mode>(a, b);                         \
  }                                                \
  f32 ww_##op##_##rnd##_ftz_f32(f32 a, f32 b) {    \
    return op##_flushed<mode>(flush(a), flush(b)); \
  }
#define WW_ROOT(op, rnd, mode)           \
  f32 ww_##op##_##rnd##_f32(f32 a) {     \
    return op<mode>(a);                  \
  }                                      \
  f32 ww_##op##_##rnd##_ftz_f32(f32 a) { \
    return op##_flushed<mode>(flush(a)); \
  }
#define WW_ALL_ROUNDINGS(M, op)     \
  M(op, rn, Rounding::kNearestEven) \
  M(op, rz, Rounding::kTowardZero)  \
  M(op, rm, Rounding::kDown)        \
  M(op, rp, Rounding::kUp)
WW_ALL_ROUNDINGS(WW_ROUNDED, add)
WW_ALL_ROUNDINGS(WW_ROUNDED, sub)
WW_ALL_ROUNDINGS(WW_ROUNDED, mul)
WW_ALL_ROUNDINGS(WW_FMA, fma)
WW_ALL_ROUNDINGS(WW_DIV, div)
WW_ALL_ROUNDINGS(WW_ROOT, sqrt)
WW_ALL_ROUNDINGS(WW_ROOT, rcp)

f32 ww_soft_fma_f32(f32 a, f32 b, f32 c) {
  return f32(sum_to_odd(f64(a) * f64(b), f64(c)));
}

f32 ww_ftz_f32(f32 a) {
  return flush(a);
}
f32 ww_canonical_nan_f32(f32 a) {
  return canonical(a);
}
f32 ww_sat_f32(f32 a) {
  return saturate(a);
}

// Plain abs and neg touch the sign alone; with .ftz they are arithmetic, which makes a NaN the canonical one.
// By themselves abs and neg make a NaN canonical on an H200; folded into what uses them, as its compiler does where it
// can, they change the sign alone. The second is what programs see.
f32 ww_abs_f32(f32 a) {
  return float_of(bits_of(a) & 0x7fffffffu);
}
f32 ww_abs_ftz_f32(f32 a) {
  return canonical(ww_abs_f32(flush(a)));
}
f32 ww_neg_f32(f32 a) {
  return float_of(bits_of(a) ^ 0x80000000u);
}
f32 ww_neg_ftz_f32(f32 a) {
  return canonical(ww_neg_f32(flush(a)));
}

#define WW_EXTREME(op, is_max)                                \
  f32 ww_##op##_f32(f32 a, f32 b) {                           \
    return extreme<is_max, false, false>(a, b);               \
  }                                                           \
  f32 ww_##op##_ftz_f32(f32 a, f32 b) {                       \
    return extreme<is_max, false, false>(flush(a), flush(b)); \
  }                                                           \
  f32 ww_##op##_NaN_f32(f32 a, f32 b) {                       \
    return extreme<is_max, true, false>(a, b);                \
  }                                                           \
  f32 ww_##op##_ftz_NaN_f32(f32 a, f32 b) {                   \
    return extreme<is_max, true, false>(flush(a), flush(b));  \
  }                                                           \
  f32 ww_##op##_xorsign_abs_f32(f32 a, f32 b) {               \
    return extreme<is_max, false, true>(a, b);                \
  }                                                           \
  f32 ww_##op##_ftz_xorsign_abs_f32(f32 a, f32 b) {           \
    return extreme<is_max, false, true>(flush(a), flush(b));  \
  }                                                           \
  f32 ww_##op##_NaN_xorsign_abs_f32(f32 a, f32 b) {           \
    return extreme<is_max, true, true>(a, b);                 \
  }                                                           \
  f32 ww_##op##_ftz_NaN_xorsign_abs_f32(f32 a, f32 b) {       \
    return extreme<is_max, true, true>(flush(a), flush(b));   \
  }
WW_EXTREME(min, false)
WW_EXTREME(max, true)

f32 ww_copysign_f32(f32 a, f32 b) {
  return float_of((bits_of(b) & 0x7fffffffu) | (bits_of(a) & 0x80000000u));
}

#define WW_TESTP(test, condition)           \
  bool ww_testp_##test##_f32(f32 a) {       \
    const u32 m = bits_of(a) & 0x7fffffffu; \
    return condition;                       \
  }
WW_TESTP(finite, m < 0x7f800000u)
WW_TESTP(infinite, m == 0x7f800000u)
WW_TESTP(number, m <= 0x7f800000u)
WW_TESTP(notanumber, m > 0x7f800000u)
WW_TESTP(normal, (m >= 0x00800000u && m < 0x7f800000u) || m == 0)  // zeros count as normal
WW_TESTP(subnormal, m < 0x00800000u && m != 0)

f32 ww_sum_in_global_f32(f32 held, f32 added) {
  return ww_add_rn_ftz_f32(held, added);
}
f32 ww_sum_in_shared_f32(f32 held, f32 added) {
  return ww_add_rn_f32(held, added);
}

}  // extern "C"
}  // namespace ww::devicelib
