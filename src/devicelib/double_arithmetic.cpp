// f64 arithmetic in every rounding. Rounding to nearest is the host's; the other modes and the fused multiply-add work
// on 128-bit integers. NaN operands are handed on, made quiet (see float_bits.h).
#include "devicelib/float_bits.h"

namespace ww::devicelib {

__extension__ using u128 = unsigned __int128;

// The product of two 53-bit significands has 106 bits; it and the addend are aligned in 128 bits with their top bits at
// 125 or below. What an alignment shifts out is kept as a sticky last bit: it is shifted out only where the other
// operand is so much larger that at most one bit can cancel.
f64 fma_f64(f64 a, f64 b, f64 c, Rounding rounding) {
  const UnpackedFloat x = unpack(kFormatF64, bits_of(a)), y = unpack(kFormatF64, bits_of(b)),
                      z = unpack(kFormatF64, bits_of(c));
  const bool product_negative = x.negative != y.negative;
  const u128 product = u128(x.significand >> 11) * (y.significand >> 11) << 20;  // top bit: 124 or 125
  const u128 addend = u128(z.significand >> 11) << 72;                           // top bit: 124
  const s32 product_exponent = product == 0 ? -0x10000 : x.exponent + y.exponent;
  const s32 addend_exponent = addend == 0 ? -0x10000 : z.exponent;
  const s32 exponent = product_exponent > addend_exponent ? product_exponent : addend_exponent;  // of bit 124

  const auto align = [exponent](u128 value, s32 own) {
    const s32 distance = exponent - own > 127 ? 127 : exponent - own;
    const u128 shifted = value >> distance;
    return shifted | u128((shifted << distance) != value);
  };
  const u128 p = align(product, product_exponent), q = align(addend, addend_exponent);
  const bool same = product_negative == z.negative;
  const bool product_larger = p >= q;
  const u128 sum = same ? p + q : product_larger ? p - q : q - p;

  const u64 high = u64(sum >> 64), low = u64(sum);
  const int zeros = high != 0 ? __builtin_clzll(high | 1) : 64 + __builtin_clzll(low | 1);
  const u128 normal = sum << zeros;
  UnpackedFloat value;
  value.significand = sum == 0 ? 0 : u64(normal >> 64);
  value.exponent = exponent + 3 - zeros;
  value.negative = product_larger ? product_negative : z.negative;
  // An exact zero: +0, or -0 when rounding down, unless both operands agree on a sign.
  value.negative = sum == 0 && !same ? rounding == Rounding::kDown : value.negative;
  const bool product_infinite = x.infinite || y.infinite;
  value.infinite = product_infinite || z.infinite;
  value.negative = product_infinite ? product_negative : z.infinite ? z.negative : value.negative;
  const f64 result = double_of(round_to_format(kFormatF64, value, rounding, false, u64(normal) != 0));

  const bool zero_times_infinity =
      (x.infinite && y.significand == 0 && !y.infinite) || (y.infinite && x.significand == 0 && !x.infinite);
  const bool difference_of_infinities = product_infinite && z.infinite && !same;
  const bool nan = x.nan || y.nan || z.nan || zero_times_infinity || difference_of_infinities;
  return nan ? nan_of(b, c, a) : result;
}

namespace {

f64 checked(f64 result, f64 a, f64 b) {
  return is_nan(result) ? nan_of(a, b) : result;
}

template <Rounding kRounding>
f64 add(f64 a, f64 b) {
  if constexpr (kRounding == Rounding::kNearestEven) return checked(a + b, b, a);
  return checked(fma_f64(a, 1.0, b, kRounding), b, a);
}
template <Rounding kRounding>
f64 sub(f64 a, f64 b) {
  if constexpr (kRounding == Rounding::kNearestEven) return checked(a - b, b, a);
  return checked(fma_f64(b, -1.0, a, kRounding), b, a);
}
template <Rounding kRounding>
f64 mul(f64 a, f64 b) {
  if constexpr (kRounding == Rounding::kNearestEven) return checked(a * b, b, a);
  const f64 zero = negative(a) != negative(b) ? -0.0 : 0.0;  // keeps the sign of a zero product
  return checked(fma_f64(a, b, zero, kRounding), b, a);
}
template <Rounding kRounding>
f64 fma(f64 a, f64 b, f64 c) {
  return fma_f64(a, b, c, kRounding);
}

// `residual` has the sign of the exact result minus the rounded one.
template <Rounding kRounding>
f64 direct(f64 rounded, bool below, bool above) {
  const u64 bits = bits_of(rounded);
  const bool minus = negative(rounded);
  if constexpr (kRounding == Rounding::kTowardZero) return double_of((minus ? above : below) ? bits - 1 : bits);
  if constexpr (kRounding == Rounding::kDown) return double_of(below ? (minus ? bits + 1 : bits - 1) : bits);
  if constexpr (kRounding == Rounding::kUp) return double_of(above ? (minus ? bits - 1 : bits + 1) : bits);
  return rounded;
}
template <Rounding kRounding>
f64 div(f64 a, f64 b) {
  const f64 quotient = a / b;
  if constexpr (kRounding == Rounding::kNearestEven) return checked(quotient, a, b);
  const f64 residual = fma_f64(-quotient, b, a, Rounding::kOdd);  // sign of a - quotient * b, never rounded to zero
  const bool less = residual<0.0, more = residual> 0.0;
  return checked(direct<kRounding>(quotient, negative(b) ? more : less, negative(b) ? less : more), a, b);
}
template <Rounding kRounding>
f64 sqrt(f64 a) {
  const f64 root = __builtin_sqrt(a);
  if constexpr (kRounding == Rounding::kNearestEven) return checked(root, a, 0.0);
  const f64 residual = fma_f64(-root, root, a, Rounding::kOdd);
  return checked(direct<kRounding>(root, residual<0.0, residual> 0.0), a, 0.0);
}
template <Rounding kRounding>
f64 rcp(f64 a) {
  return div<kRounding>(1.0, a);
}

template <bool kMax>
f64 extreme(f64 a, f64 b) {
  const bool a_less = a < b || (a == b && negative(a));
  const f64 result = a_less != kMax ? a : b;
  return is_nan(a) ? (is_nan(b) ? nan_of(b, a) : b) : is_nan(b) ? a : result;
}

}  // namespace

extern "C" {

#define WW_ROUNDED(rnd, mode)                   \
  f64 ww_add_##rnd##_f64(f64 a, f64 b) {        \
    return add<mode>(a, b);                     \
  }                                             \
  f64 ww_sub_##rnd##_f64(f64 a, f64 b) {        \
    return sub<mode>(a, b);                     \
  }                                             \
  f64 ww_mul_##rnd##_f64(f64 a, f64 b) {        \
    return mul<mode>(a, b);                     \
  }                                             \
  f64 ww_fma_##rnd##_f64(f64 a, f64 b, f64 c) { \
    return fma<mode>(a, b, c);                  \
  }                                             \
  f64 ww_div_##rnd##_f64(f64 a, f64 b) {        \
    return div<mode>(a, b);                     \
  }                                             \
  f64 ww_sqrt_##rnd##_f64(f64 a) {              \
    return sqrt<mode>(a);                       \
  }                                             \
  f64 ww_rcp_##rnd##_f64(f64 a) {               \
    return rcp<mode>(a);                        \
  }
WW_ROUNDED(rn, Rounding::kNearestEven)
WW_ROUNDED(rz, Rounding::kTowardZero)
WW_ROUNDED(rm, Rounding::kDown)
WW_ROUNDED(rp, Rounding::kUp)

f64 ww_soft_fma_f64(f64 a, f64 b, f64 c) {
  return fma_f64(a, b, c, Rounding::kNearestEven);
}
f64 ww_sat_f64(f64 a) {
  return a > 0.0 ? (a < 1.0 ? a : 1.0) : 0.0;
}
f64 ww_abs_f64(f64 a) {
  return is_nan(a) ? quiet(a) : magnitude(a);  // a NaN keeps its sign
}
f64 ww_neg_f64(f64 a) {
  return is_nan(a) ? quiet(a) : double_of(bits_of(a) ^ 0x8000000000000000u);
}
f64 ww_min_f64(f64 a, f64 b) {
  return extreme<false>(a, b);
}
f64 ww_max_f64(f64 a, f64 b) {
  return extreme<true>(a, b);
}
f64 ww_copysign_f64(f64 a, f64 b) {
  return double_of((bits_of(b) & 0x7fffffffffffffffu) | (bits_of(a) & 0x8000000000000000u));
}

#define WW_TESTP(test, condition)        \
  bool ww_testp_##test##_f64(f64 a) {    \
    const u64 m = bits_of(magnitude(a)); \
    return condition;                    \
  }
WW_TESTP(finite, m < 0x7ff0000000000000u)
WW_TESTP(infinite, m == 0x7ff0000000000000u)
WW_TESTP(number, m <= 0x7ff0000000000000u)
WW_TESTP(notanumber, m > 0x7ff0000000000000u)
WW_TESTP(normal, (m >= 0x0010000000000000u && m < 0x7ff0000000000000u) || m == 0)  // zeros count as normal
WW_TESTP(subnormal, m < 0x0010000000000000u && m != 0)

f64 ww_sum_in_global_f64(f64 held, f64 added) {
  return is_nan(added) ? added : is_nan(held) ? held : ww_add_rn_f64(held, added);
}
f64 ww_sum_in_shared_f64(f64 held, f64 added) {
  return ww_add_rn_f64(added, held);  // whose second operand's NaN comes first
}

}  // extern "C"
}  // namespace ww::devicelib
