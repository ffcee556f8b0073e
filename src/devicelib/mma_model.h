// The arithmetic of one tensor-core dot product, parametrised by what differs between chips.
//
// A step takes `block` products a[i] * b[i] and an accumulator c. Products are exact. All terms are aligned to the
// largest exponent among them, cut to `fraction_bits` bits below that exponent, and summed exactly; the sum is rounded
// once, toward zero, to f32 (or to nearest even to f16, for f16 accumulators). A longer k runs as several steps, first
// elements first. Published models: Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores"
// (2021); Khattak and Mikaitis, "Accurate Models of NVIDIA Tensor Cores" (arXiv 2512.07004).
//
// tests/hardware/mma_probe.sh decides between parameter sets on a real GPU.
#pragma once

#include "base/float_formats.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {

struct MmaModel {
  int block_f16 = 16;  // products a step, by the width of the inputs
  int block_tf32 = 8;
  int block_f8 = 16;
  bool widen_f8 = true;             // e4m3 and e5m2 run as two f16 steps, the accumulator is added to them in f32
  int fraction_bits = 25;           // kept below the largest exponent
  bool floor = false;               // cut in two's complement (toward minus infinity) rather than in sign and magnitude
  bool accumulator_last = false;    // c is added after the products of the step were summed and cut, in a second sum
  bool normalise_products = false;  // a product in [2, 4) counts with its own exponent + 1
  bool nearest_f32 = false;         // round to nearest even rather than toward zero
  bool flush_subnormal_results = false;  // f32 results below 2^-126 are zero
};

// What is believed of H100 and H200, and of Ada (not proved on hardware).
inline constexpr MmaModel kMmaHopper{};
inline constexpr MmaModel kMmaAda{
    .block_f16 = 8, .block_tf32 = 4, .block_f8 = 16, .widen_f8 = false, .fraction_bits = 24};

// An input or accumulator taken apart: value = significand * 2^exponent, exactly.
struct MmaTerm {
  s32 significand;  // signed
  s16 exponent;     // of bit `point` below: value = significand / 2^point * 2^exponent
  u8 special;       // 0 finite, 1 infinity, 2 NaN
};

// For a format with m mantissa bits the significand has m fraction bits: subnormals keep the least normal exponent.
inline MmaTerm mma_term(FloatFormat format, u32 bits) {
  const u32 magnitude = bits & u32(format.sign_bit() - 1);
  const u32 field = magnitude >> format.mantissa_bits;
  const u32 mantissa = magnitude & u32(format.mantissa_mask());
  const bool minus = (bits & u32(format.sign_bit())) != 0;
  MmaTerm term;
  const s32 integer = s32(field != 0 ? mantissa | (1u << format.mantissa_bits) : mantissa);
  term.significand = minus ? -integer : integer;
  term.exponent = s16(s32(field != 0 ? field : 1) - format.bias());
  term.special = 0;
  if (format.has_infinity && magnitude == u32(format.infinity())) term.special = 1;
  if (format.has_infinity ? magnitude > u32(format.infinity()) : magnitude == u32(format.nan())) term.special = 2;
  return term;
}

// Sums `count` products of terms with `mantissa_bits` fraction bits and the accumulator. The accumulator's bits are
// f32.
u32 mma_step_f32(const MmaModel& model, const MmaTerm* a, const MmaTerm* b, int count, int fraction_a, int fraction_b,
                 u32 c, bool to_f16);

}  // namespace ww::devicelib
