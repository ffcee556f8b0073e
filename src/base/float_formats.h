// Binary floating-point formats of any width up to f64: taking a value apart, and rounding to a format in every mode.
//
// Freestanding and constexpr: devicelib compiles it for every target. Layouts: IEEE 754 for f16, f32, f64; bf16 and
// tf32 are f32 with fewer mantissa bits; e5m2 and e4m3 as the OCP 8-bit specification has them (e4m3: no infinity, NaN
// is S.1111.111, largest 448). NaN results are the positive quiet NaN with all mantissa bits set, as NVIDIA hardware
// gives.
#pragma once

#include <cstdint>

namespace ww {

enum class Rounding : uint8_t {
  kNearestEven,  // .rn
  kTowardZero,   // .rz
  kDown,         // .rm
  kUp,           // .rp
  kNearestAway,  // .rna: ties away from zero
  kOdd,          // inexact results get an odd last bit: a safe first step before a second rounding
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;  // stored ones
  bool has_infinity;

  constexpr int width() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint64_t sign_bit() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  constexpr uint64_t mantissa_mask() const { return (uint64_t{1} << mantissa_bits) - 1; }
  constexpr uint64_t exponent_mask() const { return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
  constexpr uint64_t infinity() const { return exponent_mask(); }  // only if has_infinity
  constexpr uint64_t nan() const { return exponent_mask() | mantissa_mask(); }
  constexpr uint64_t largest() const { return has_infinity ? exponent_mask() - 1 : nan() - 1; }
};

inline constexpr FloatFormat kFormatF64{11, 52, true}, kFormatF32{8, 23, true}, kFormatTf32{8, 10, true},
    kFormatF16{5, 10, true}, kFormatBf16{8, 7, true}, kFormatE5M2{5, 2, true}, kFormatE4M3{4, 3, false};

// A value taken apart: (-1)^negative * significand * 2^(exponent - 63), bit 63 of the significand set unless zero.
struct UnpackedFloat {
  uint64_t significand = 0;  // 0 for zero, infinity and NaN
  int32_t exponent = 0;
  bool negative = false;
  bool infinite = false;
  bool nan = false;
};

constexpr UnpackedFloat unpack(FloatFormat format, uint64_t bits) {
  UnpackedFloat value;
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  const int32_t field = int32_t(magnitude >> format.mantissa_bits);
  const uint64_t mantissa = magnitude & format.mantissa_mask();
  value.negative = (bits & format.sign_bit()) != 0;
  value.infinite = format.has_infinity && magnitude == format.infinity();
  value.nan = format.has_infinity ? magnitude > format.infinity() : magnitude == format.nan();
  const uint64_t integer = field != 0 ? mantissa | (uint64_t{1} << format.mantissa_bits) : mantissa;
  const bool finite = !value.infinite && !value.nan;
  const int zeros = __builtin_clzll(integer | 1);
  value.significand = finite && integer != 0 ? integer << zeros : 0;
  value.exponent = (field != 0 ? field : 1) - format.bias() - format.mantissa_bits + 63 - zeros;
  return value;
}

// The bits nearest to `value` in `format`. `sticky` says that the exact value lies a little beyond the significand's
// last bit. Overflow: infinity or the largest number, as the mode has it; in a format without infinity NaN. With
// `saturate`, overflow and infinity give the largest number instead.
constexpr uint64_t round_to_format(FloatFormat format, UnpackedFloat value, Rounding rounding, bool saturate = false,
                                   bool sticky = false) {
  const int32_t least_exponent = 1 - format.bias();
  const bool subnormal = value.exponent < least_exponent;
  int32_t shift = 63 - format.mantissa_bits + (subnormal ? least_exponent - value.exponent : 0);
  shift = shift > 65 ? 65 : shift;
  // `rest` is what the shift cuts off, as a fraction of 2^64; `kept` the integer that stays.
  const uint64_t kept_below_64 = value.significand >> (shift & 63);
  const uint64_t rest_below_64 = value.significand << ((64 - shift) & 63);
  uint64_t kept = shift < 64 ? kept_below_64 : 0;
  uint64_t rest =
      shift < 64 ? (shift == 0 ? 0 : rest_below_64) : (shift == 64 ? value.significand : value.significand >> 1);
  rest |= uint64_t{sticky};
  const uint64_t half = uint64_t{1} << 63;
  bool up = false;
  switch (rounding) {
    case Rounding::kNearestEven:
      up = rest > half || (rest == half && (kept & 1));
      break;
    case Rounding::kNearestAway:
      up = rest >= half;
      break;
    case Rounding::kDown:
      up = value.negative && rest != 0;
      break;
    case Rounding::kUp:
      up = !value.negative && rest != 0;
      break;
    case Rounding::kOdd:
      kept |= uint64_t{rest != 0};
      break;
    case Rounding::kTowardZero:
      break;
  }
  // The implicit bit of a normal number carries into the exponent field, and so does a rounding up to the next binade.
  const int32_t field = subnormal ? 0 : value.exponent + format.bias() - 1;
  const bool huge = field > (1 << format.exponent_bits);
  uint64_t bits = (uint64_t(uint32_t(huge ? 0 : field)) << format.mantissa_bits) + kept + uint64_t{up};
  const bool overflow = huge || bits > format.largest();
  const bool to_largest = saturate || rounding == Rounding::kTowardZero || rounding == Rounding::kOdd ||
                          (rounding == Rounding::kDown && !value.negative) ||
                          (rounding == Rounding::kUp && value.negative);
  const uint64_t beyond = format.has_infinity ? format.infinity() : format.nan();
  bits = overflow ? (to_largest ? format.largest() : beyond) : bits;
  bits = value.significand == 0 ? 0 : bits;
  bits = value.infinite ? (saturate ? format.largest() : beyond) : bits;
  bits |= value.negative ? format.sign_bit() : 0;
  return value.nan ? format.nan() : bits;
}

// Converts between formats with one rounding.
constexpr uint64_t convert_format(FloatFormat to, FloatFormat from, uint64_t bits,
                                  Rounding rounding = Rounding::kNearestEven, bool saturate = false) {
  return round_to_format(to, unpack(from, bits), rounding, saturate);
}

// Rounds an integer (its magnitude and sign) to a format.
constexpr uint64_t round_integer(FloatFormat to, uint64_t magnitude, bool negative, Rounding rounding) {
  const int zeros = __builtin_clzll(magnitude | 1);
  UnpackedFloat value;
  value.significand = magnitude == 0 ? 0 : magnitude << zeros;
  value.exponent = 63 - zeros;
  value.negative = negative;
  return round_to_format(to, value, rounding);
}

// The exact f32 of an f16's bits; NaNs become 0x7fffffff.
constexpr float f16_to_f32(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16, magnitude = uint32_t(bits & 0x7fffu) << 13;
  const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;  // exact, subnormals included
  const uint32_t special = magnitude > 0x0f800000u ? 0x7fffffffu : 0x7f800000u | sign;
  return __builtin_bit_cast(float, magnitude >= 0x0f800000u ? special : __builtin_bit_cast(uint32_t, scaled) | sign);
}
inline uint16_t f32_to_f16(float value, Rounding rounding = Rounding::kNearestEven) {
  return uint16_t(convert_format(kFormatF16, kFormatF32, __builtin_bit_cast(uint32_t, value), rounding));
}
inline float bf16_to_f32(uint16_t bits) {
  return __builtin_bit_cast(float, uint32_t(bits) << 16);
}
inline uint16_t f32_to_bf16(float value, Rounding rounding = Rounding::kNearestEven) {
  return uint16_t(convert_format(kFormatBf16, kFormatF32, __builtin_bit_cast(uint32_t, value), rounding));
}
// 8-bit formats: e4m3 of a value beyond 448 (after rounding) is 448 if `saturate`, else NaN.
inline float e4m3_to_f32(uint8_t bits) {
  return __builtin_bit_cast(float, uint32_t(convert_format(kFormatF32, kFormatE4M3, bits)));
}
inline uint8_t f32_to_e4m3(float value, bool saturate = true) {
  return uint8_t(
      convert_format(kFormatE4M3, kFormatF32, __builtin_bit_cast(uint32_t, value), Rounding::kNearestEven, saturate));
}
inline float e5m2_to_f32(uint8_t bits) {
  return __builtin_bit_cast(float, uint32_t(convert_format(kFormatF32, kFormatE5M2, bits)));
}
inline uint8_t f32_to_e5m2(float value, bool saturate = true) {
  return uint8_t(
      convert_format(kFormatE5M2, kFormatF32, __builtin_bit_cast(uint32_t, value), Rounding::kNearestEven, saturate));
}

}  // namespace ww
