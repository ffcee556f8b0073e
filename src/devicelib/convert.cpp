// cvt between integers and floats, and between float formats. (PTX ISA, "cvt".)
#include "devicelib/float_bits.h"

namespace ww::devicelib {
namespace {

// x rounded to an integral value, sign of zero kept; infinities and NaNs pass.
template <Rounding kRounding>
f64 integral(f64 x) {
  const f64 m = magnitude(x);
  const f64 nearest = (m + 0x1p52) - 0x1p52;  // for m < 2^52
  f64 r = nearest;
  if constexpr (kRounding == Rounding::kTowardZero) r = nearest > m ? nearest - 1.0 : nearest;
  if constexpr (kRounding == Rounding::kDown)
    r = negative(x) ? (nearest < m ? nearest + 1.0 : nearest) : (nearest > m ? nearest - 1.0 : nearest);
  if constexpr (kRounding == Rounding::kUp)
    r = negative(x) ? (nearest > m ? nearest - 1.0 : nearest) : (nearest < m ? nearest + 1.0 : nearest);
  r = m < 0x1p52 ? r : m;
  return double_of(bits_of(r) | (bits_of(x) & 0x8000000000000000u));
}

// Clamped to a destination of kBits. NaN gives 0 from f32 to at most 32 bits, else 1 << (bits - 1) (PTX ISA, "cvt").
template <int kBits, bool kSigned>
u64 clamp_to_integer(f64 r, bool nan, bool nan_is_zero) {
  const u64 least = kSigned ? ~u64{0} << (kBits - 1) : 0;
  const u64 largest = ~u64{0} >> (64 - kBits + (kSigned ? 1 : 0));
  const f64 above =
      kSigned ? double_of(u64(1023 + kBits - 1) << 52) : double_of(u64(1023 + kBits) << 52);  // largest + 1
  const bool too_large = r >= above;
  const bool too_small = kSigned ? r < -above : r < 0.0;
  const f64 inside = nan || too_large || too_small ? 0.0 : r;
  // A cast to s64 covers all but the upper half of u64.
  const bool upper = inside >= 0x1p63;
  const u64 value = u64(s64(upper ? inside - 0x1p63 : inside)) ^ (upper ? u64{1} << 63 : 0);
  const u64 of_nan = nan_is_zero ? 0 : u64{1} << (kBits - 1);
  return nan ? of_nan : too_large ? largest : too_small ? least : value;
}

// To a half; a NaN keeps its sign and the upper bits of its payload, and is made quiet (seen on an H200).
template <Rounding kRounding>
u16 narrow_to(FloatFormat format, u64 bits64) {
  const u64 infinity = kFormatF64.infinity(), quiet = format.infinity() | (format.mantissa_mask() + 1) / 2;
  const u64 payload = (bits64 & kFormatF64.mantissa_mask()) >> (kFormatF64.mantissa_bits - format.mantissa_bits);
  const u64 nan = (bits64 >> 48 & 0x8000u) | quiet | payload;
  return u16((bits64 & ~kFormatF64.sign_bit()) > infinity ? nan
                                                          : convert_format(format, kFormatF64, bits64, kRounding));
}

template <Rounding kRounding, class T>
u64 from_integer(FloatFormat format, T value) {
  const bool minus = value < 0;
  return round_integer(format, minus ? u64{0} - u64(s64(value)) : u64(value), minus, kRounding);
}

u32 half_of(FloatFormat format, f32 a, Rounding rounding, bool satfinite, bool relu) {
  const u32 h = u32(convert_format(format, kFormatF32, bits_of(a), rounding, satfinite));
  const u32 sign = u32(format.sign_bit());
  return relu && (h & sign) != 0 ? 0 : h;
}
// A NaN is tf32's canonical one; .rna, which hardware makes of integer operations, keeps the bits that tf32 has room
// for, and its .satfinite takes one step down from whatever is not finite (seen on an H200).
u32 tf32_of(f32 a, Rounding rounding, bool satfinite, bool relu) {
  const bool away = rounding == Rounding::kNearestAway;
  const u32 value = half_of(kFormatTf32, a, rounding, satfinite && !away, relu) << 13;
  if (!away) return is_nan(a) ? 0x7fffe000u : value;
  const u32 kept = is_nan(a) || (bits_of(a) & 0x7fffffffu) == 0x7f800000u ? bits_of(a) & 0xffffe000u : value;
  return satfinite && (kept & 0x7fffffffu) >= 0x7f800000u ? kept - 0x2000u : kept;
}
// The upper bits of an f64 NaN's payload, made quiet.
f32 narrow_nan(f64 a) {
  return float_of(u32(bits_of(a) >> 32 & 0x80000000u) | 0x7fc00000u | u32(bits_of(a) >> 29 & 0x7fffffu));
}

u16 fp8_pair(FloatFormat format, u32 high_f32, u32 low_f32, bool relu) {
  const u32 high = half_of(format, float_of(high_f32), Rounding::kNearestEven, true, relu);
  const u32 low = half_of(format, float_of(low_f32), Rounding::kNearestEven, true, relu);
  return u16(high << 8 | low);
}
u32 f16_pair_of_fp8(FloatFormat format, u16 a, bool relu) {
  u32 low = u32(convert_format(kFormatF16, format, a & 0xffu)), high = u32(convert_format(kFormatF16, format, a >> 8));
  low = relu && (low & 0x8000u) ? 0 : low;
  high = relu && (high & 0x8000u) ? 0 : high;
  return low | high << 16;
}

}  // namespace

extern "C" {

// Results of 8- and 16-bit destinations are extended: the cast to s64 and down keeps the sign of a clamped value; the
// bit pattern of a NaN is sign-extended likewise.
#define WW_TO_INTEGER(rnd, mode, source, wide_is_zero)                                   \
  s32 ww_cvt_##rnd##_s8_##source(source a) {                                             \
    return s8(clamp_to_integer<8, true>(integral<mode>(a), is_nan(a), wide_is_zero));    \
  }                                                                                      \
  u32 ww_cvt_##rnd##_u8_##source(source a) {                                             \
    return u8(clamp_to_integer<8, false>(integral<mode>(a), is_nan(a), wide_is_zero));   \
  }                                                                                      \
  s32 ww_cvt_##rnd##_s16_##source(source a) {                                            \
    return s16(clamp_to_integer<16, true>(integral<mode>(a), is_nan(a), wide_is_zero));  \
  }                                                                                      \
  u32 ww_cvt_##rnd##_u16_##source(source a) {                                            \
    return u16(clamp_to_integer<16, false>(integral<mode>(a), is_nan(a), wide_is_zero)); \
  }                                                                                      \
  s32 ww_cvt_##rnd##_s32_##source(source a) {                                            \
    return s32(clamp_to_integer<32, true>(integral<mode>(a), is_nan(a), wide_is_zero));  \
  }                                                                                      \
  u32 ww_cvt_##rnd##_u32_##source(source a) {                                            \
    return u32(clamp_to_integer<32, false>(integral<mode>(a), is_nan(a), wide_is_zero)); \
  }                                                                                      \
  s64 ww_cvt_##rnd##_s64_##source(source a) {                                            \
    return s64(clamp_to_integer<64, true>(integral<mode>(a), is_nan(a), false));         \
  }                                                                                      \
  u64 ww_cvt_##rnd##_u64_##source(source a) {                                            \
    return clamp_to_integer<64, false>(integral<mode>(a), is_nan(a), false);             \
  }
#define WW_TO_INTEGERS(rnd, mode)                        \
  WW_TO_INTEGER(rnd, mode, f32, true)                    \
  WW_TO_INTEGER(rnd, mode, f64, false)                   \
  f32 ww_cvt_##rnd##_f32_f32(f32 a) {                    \
    return canonical(f32(integral<mode>(a)));            \
  }                                                      \
  f64 ww_cvt_##rnd##_f64_f64(f64 a) {                    \
    return is_nan(a) ? nan_of(a, a) : integral<mode>(a); \
  }
WW_TO_INTEGERS(rni, Rounding::kNearestEven)
WW_TO_INTEGERS(rzi, Rounding::kTowardZero)
WW_TO_INTEGERS(rmi, Rounding::kDown)
WW_TO_INTEGERS(rpi, Rounding::kUp)

#define WW_FROM_INTEGER(rnd, mode, source)                   \
  u16 ww_cvt_##rnd##_f16_##source(source a) {                \
    return u16(from_integer<mode>(kFormatF16, a));           \
  }                                                          \
  u16 ww_cvt_##rnd##_bf16_##source(source a) {               \
    return u16(from_integer<mode>(kFormatBf16, a));          \
  }                                                          \
  f32 ww_cvt_##rnd##_f32_##source(source a) {                \
    return float_of(u32(from_integer<mode>(kFormatF32, a))); \
  }                                                          \
  f64 ww_cvt_##rnd##_f64_##source(source a) {                \
    return double_of(from_integer<mode>(kFormatF64, a));     \
  }
#define WW_FROM_INTEGERS(rnd, mode)                     \
  WW_FROM_INTEGER(rnd, mode, s32)                       \
  WW_FROM_INTEGER(rnd, mode, u32)                       \
  WW_FROM_INTEGER(rnd, mode, s64)                       \
  WW_FROM_INTEGER(rnd, mode, u64)                       \
  u16 ww_cvt_##rnd##_f16_f64(f64 a) {                   \
    return narrow_to<mode>(kFormatF16, bits_of(a));     \
  }                                                     \
  u16 ww_cvt_##rnd##_bf16_f64(f64 a) {                  \
    return narrow_to<mode>(kFormatBf16, bits_of(a));    \
  }                                                     \
  f32 ww_cvt_##rnd##_f32_f64(f64 a) {                   \
    return is_nan(a) ? narrow_nan(a) : narrow<mode>(a); \
  }
WW_FROM_INTEGERS(rn, Rounding::kNearestEven)
WW_FROM_INTEGERS(rz, Rounding::kTowardZero)
WW_FROM_INTEGERS(rm, Rounding::kDown)
WW_FROM_INTEGERS(rp, Rounding::kUp)

u16 ww_cvt_rn_f16_f32(f32 a) {
  return narrow_f16(a);
}
u16 ww_cvt_rn_bf16_f32(f32 a) {
  return narrow_bf16(a);
}
#define WW_NARROW(rnd, mode)                                               \
  u16 ww_cvt_##rnd##_f16_f32(f32 a) {                                      \
    return u16(convert_format(kFormatF16, kFormatF32, bits_of(a), mode));  \
  }                                                                        \
  u16 ww_cvt_##rnd##_bf16_f32(f32 a) {                                     \
    return u16(convert_format(kFormatBf16, kFormatF32, bits_of(a), mode)); \
  }
WW_NARROW(rz, Rounding::kTowardZero)
WW_NARROW(rm, Rounding::kDown)
WW_NARROW(rp, Rounding::kUp)

f32 ww_cvt_f32_f16(u16 a) {
  return f16_to_f32(a);
}
f32 ww_cvt_f32_bf16(u16 a) {
  return widen_bf16(a);
}
f64 ww_cvt_f64_f16(u16 a) {
  const u64 nan = u64(a & 0x8000u) << 48 | 0x7ff8000000000000u | u64(a & 0x3ffu) << 42;
  return (a & 0x7fffu) > 0x7c00u ? double_of(nan) : ww_cvt_f64_f32(f16_to_f32(a));
}
f64 ww_cvt_f64_bf16(u16 a) {
  return ww_cvt_f64_f32(widen_bf16(a));
}
f64 ww_cvt_f64_f32(f32 a) {
  // The payload of a NaN moves along, made quiet.
  const u64 nan = u64(bits_of(a) & 0x80000000u) << 32 | 0x7ff8000000000000u | u64(bits_of(a) & 0x7fffffu) << 29;
  return is_nan(a) ? double_of(nan) : f64(a);
}

#define WW_PAIR(rnd, mode, format, layout)                                                        \
  u32 ww_cvt_##rnd##_##format##x2_f32(f32 a, f32 b) {                                             \
    return half_of(layout, a, mode, false, false) << 16 | half_of(layout, b, mode, false, false); \
  }                                                                                               \
  u32 ww_cvt_##rnd##_relu_##format##x2_f32(f32 a, f32 b) {                                        \
    return half_of(layout, a, mode, false, true) << 16 | half_of(layout, b, mode, false, true);   \
  }                                                                                               \
  u32 ww_cvt_##rnd##_satfinite_##format##x2_f32(f32 a, f32 b) {                                   \
    return half_of(layout, a, mode, true, false) << 16 | half_of(layout, b, mode, true, false);   \
  }                                                                                               \
  u32 ww_cvt_##rnd##_satfinite_relu_##format##x2_f32(f32 a, f32 b) {                              \
    return half_of(layout, a, mode, true, true) << 16 | half_of(layout, b, mode, true, true);     \
  }                                                                                               \
  u16 ww_cvt_##rnd##_relu_##format##_f32(f32 a) {                                                 \
    return u16(half_of(layout, a, mode, false, true));                                            \
  }                                                                                               \
  u16 ww_cvt_##rnd##_satfinite_##format##_f32(f32 a) {                                            \
    return u16(half_of(layout, a, mode, true, false));                                            \
  }                                                                                               \
  u16 ww_cvt_##rnd##_satfinite_relu_##format##_f32(f32 a) {                                       \
    return u16(half_of(layout, a, mode, true, true));                                             \
  }
WW_PAIR(rn, Rounding::kNearestEven, f16, kFormatF16)
WW_PAIR(rz, Rounding::kTowardZero, f16, kFormatF16)
WW_PAIR(rn, Rounding::kNearestEven, bf16, kFormatBf16)
WW_PAIR(rz, Rounding::kTowardZero, bf16, kFormatBf16)

u32 ww_cvt_rna_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kNearestAway, false, false);
}
u32 ww_cvt_rna_satfinite_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kNearestAway, true, false);
}
u32 ww_cvt_rn_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kNearestEven, false, false);
}
u32 ww_cvt_rz_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kTowardZero, false, false);
}
u32 ww_cvt_rn_relu_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kNearestEven, false, true);
}
u32 ww_cvt_rz_relu_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kTowardZero, false, true);
}
u32 ww_cvt_rn_satfinite_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kNearestEven, true, false);
}
u32 ww_cvt_rz_satfinite_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kTowardZero, true, false);
}
u32 ww_cvt_rn_satfinite_relu_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kNearestEven, true, true);
}
u32 ww_cvt_rz_satfinite_relu_tf32_f32(f32 a) {
  return tf32_of(a, Rounding::kTowardZero, true, true);
}

#define WW_FP8(format, layout)                                                                      \
  u16 ww_cvt_rn_satfinite_##format##x2_f32(f32 a, f32 b) {                                          \
    return fp8_pair(layout, bits_of(a), bits_of(b), false);                                         \
  }                                                                                                 \
  u16 ww_cvt_rn_satfinite_relu_##format##x2_f32(f32 a, f32 b) {                                     \
    return fp8_pair(layout, bits_of(a), bits_of(b), true);                                          \
  }                                                                                                 \
  u16 ww_cvt_rn_satfinite_##format##x2_f16x2(u32 a) {                                               \
    return fp8_pair(layout, bits_of(f16_to_f32(u16(a >> 16))), bits_of(f16_to_f32(u16(a))), false); \
  }                                                                                                 \
  u16 ww_cvt_rn_satfinite_relu_##format##x2_f16x2(u32 a) {                                          \
    return fp8_pair(layout, bits_of(f16_to_f32(u16(a >> 16))), bits_of(f16_to_f32(u16(a))), true);  \
  }                                                                                                 \
  u32 ww_cvt_rn_f16x2_##format##x2(u16 a) {                                                         \
    return f16_pair_of_fp8(layout, a, false);                                                       \
  }                                                                                                 \
  u32 ww_cvt_rn_relu_f16x2_##format##x2(u16 a) {                                                    \
    return f16_pair_of_fp8(layout, a, true);                                                        \
  }
WW_FP8(e4m3, kFormatE4M3)
WW_FP8(e5m2, kFormatE5M2)

}  // extern "C"
}  // namespace ww::devicelib
