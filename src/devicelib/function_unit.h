// The structure of NVIDIA's special-function unit: what a slice of a function computes, and how arguments and results
// are cut.
//
// The unit evaluates v(x) = (C0 << s0) + C1 * x + (C2 * cut_square(x) << s2) + rounding in integers; x is what an
// argument's fraction has below the bits that choose the slice. The scheme is that of Oberman and Siu, "A
// High-Performance Area-Efficient Multifunction Interpolator" (ARITH 2005). Its cuts and constants for reciprocal,
// root, power, logarithm and sine were known of older chips (envytools, nvhw/sfu.c); that an H200 has them too, with a
// square root and a hyperbolic tangent of their own, is proved over all inputs: see tests/coverage. The coefficients
// are in function_unit_tables.h.
#pragma once

#include "devicelib/float_bits.h"

namespace ww::devicelib {

// x * x / 2^19 for x < 2^17 with every partial product cut before the sum: half of the sum over the bits i of x of
// floor(x / 2^(18 - i)).
inline u32 cut_square(u32 x) {
  u32 sum = 0;
#pragma GCC unroll 15
  for (u32 i = 2; i < 17; ++i) sum += (x >> (18 - i)) & (0u - ((x >> i) & 1));
  return sum >> 1;
}

// A slice's coefficients, as magnitudes: the signs belong to the function.
struct Coefficients {
  s64 c0, c1, c2;
};
inline Coefficients coefficients(u64 word) {
  return {s64(word & 0x3ffffff), s64(word >> 26 & 0x3ffff), s64(word >> 44)};
}

// The value `v * 2^-point`, 0 <= v < 2^52, as a float cut to 24 bits.
inline f32 cut_to_float(s64 v, u32 point) {
  const f64 exact = double_of(u64(v) | 0x4330000000000000u) - 0x1p52;
  const u32 bits = u32(bits_of(exact) >> 29) - ((896 + point) << 23);
  return float_of(v == 0 ? 0 : bits);
}

// |x| * 2^scale without what is below its units, modulo 2^32 (0 <= scale <= 25).
inline u32 fixed_point(f32 x, u32 scale) {
  const u32 exponent = bits_of(x) >> 23 & 0xff;
  const u32 mantissa = (bits_of(x) & 0x7fffff) | 0x800000;
  const u32 units = 150 - scale;  // the exponent at which the mantissa counts them
  const u32 left = exponent > units ? exponent - units : 0, right = exponent > units ? 0 : units - exponent;
  return left > 31 ? 0 : right > 31 ? 0 : mantissa << (left & 31) >> (right & 31);
}

// Where on the circle sin or cos of an angle in radians is: the angle becomes turns by a multiplication that rounds
// toward zero, and the turns are cut to 2^-25.
struct CircularPhase {
  u32 fraction;   // of a quarter of a turn, 23 bits, from the quarter's zero of the sine
  bool negative;  // the result
  bool inexact;   // the turns had more bits
};
inline CircularPhase circular_phase(f32 angle, bool cosine) {
  const f32 turns = narrow<Rounding::kTowardZero>(f64(angle) * f64(float_of(0x3e22f983)));
  const u32 position = fixed_point(turns, 25);
  const u32 quarter = (position >> 23) + (cosine ? 1 : 0);
  const u32 fraction = position & 0x7fffff;
  const bool half = (quarter & 2) != 0;
  return {(quarter & 1) != 0 ? fraction ^ 0x7fffff : fraction, cosine ? half : half != negative(angle),
          f64(position) != magnitude(f64(turns)) * 0x1p25};
}

// tanh: an octave of arguments, 2^exponent to 2^(exponent + 1), has 2^slice_bits slices, the first at `first_slice` of
// the table, and results in units of 2^-point. Below the first octave tanh is its argument, above the last it is 1.
inline constexpr int kTanhFirstExponent = -8, kTanhLastExponent = 2;
struct TanhOctave {
  u32 slice_bits, first_slice, point, constant_shift;
};
inline TanhOctave tanh_octave(int exponent) {
  const u32 i = u32(exponent - kTanhFirstExponent);
  const u32 slice_bits = u32(u64{0x34322211000} >> (4 * i) & 15);
  const u32 first = u32((i < 8 ? u64{0x0f0b070503020100} >> (8 * (i & 7)) : u64{0x2b1b13} >> (8 * (i & 7))) & 0xff);
  const u32 finer = exponent > 0 ? 3 : exponent == 0 ? 1 : 0;
  return {slice_bits, first, u32(33 + s32(slice_bits) - exponent) + finer, 12 + finer};
}

}  // namespace ww::devicelib
