// The arithmetic of one tensor-core step, parametrised by what differs between chips.
//
// A step takes up to `block` products a[i] * b[i] and an accumulator c, and gives c + the sum of the products:
// - Inputs are taken as they are: subnormals count, the low 13 bits of a tf32 register do not.
// - Products are exact. They and c are aligned to the largest exponent among them, at least `least_exponent`, where a
//   product's exponent is the sum of its factors' (its value may be up to 4 times 2 to that), and of a subnormal the
//   least one.
// - Each is cut toward zero to `fraction_bits` bits below that exponent; the sum of what is left is exact.
// - The sum is rounded once: toward zero to f32, to nearest even to f16. f32 results beyond the largest number are
//   infinite. A zero has no sign, whatever the operands'.
// - Any NaN, a zero times an infinity, or infinities of both signs give 7fffffff (f16: 7fff).
// A longer k runs as several steps, first elements first, each with the one before's result, rounded, as its c.
//
// Published models: Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores" (2021); Khattak and
// Mikaitis, "Accurate Models of NVIDIA Tensor Cores" (arXiv 2512.07004). tests/tiles proves the model of sm_90.
#pragma once

#include "base/float_formats.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {

struct MmaModel {
  int block_f16 = 16;  // products a step, by the width of the inputs
  int block_tf32 = 8;
  int block_f8 = 16;
  bool widen_f8 = true;       // no steps on e4m3 and e5m2: the compiler makes them of steps on f16 (mma_step.cpp)
  int fraction_bits = 25;     // kept below the largest exponent
  int least_exponent = -133;  // which the largest exponent never is below
};

// H100 and H200.
inline constexpr MmaModel kMmaHopper{};
// Ada, after the publications. Not proved on hardware.
inline constexpr MmaModel kMmaAda{
    .block_f16 = 8, .block_tf32 = 4, .block_f8 = 16, .widen_f8 = false, .fraction_bits = 24};

// An input or accumulator taken apart: value = significand / 2^m * 2^exponent, m the format's mantissa bits.
struct MmaTerm {
  s32 significand;  // signed
  s16 exponent;     // of zeros so low that it never counts
  u8 special;       // 0 finite, 1 infinity, 2 NaN
};

inline constexpr int kMmaZeroExponent = -8000;

inline MmaTerm mma_term(FloatFormat format, u32 bits) {
  const u32 magnitude = bits & u32(format.sign_bit() - 1);
  const u32 field = magnitude >> format.mantissa_bits;
  const u32 mantissa = magnitude & u32(format.mantissa_mask());
  const bool minus = (bits & u32(format.sign_bit())) != 0;
  MmaTerm term;
  const s32 integer = s32(field != 0 ? mantissa | (1u << format.mantissa_bits) : mantissa);
  term.significand = minus ? -integer : integer;
  term.exponent = s16(integer == 0 ? kMmaZeroExponent : s32(field != 0 ? field : 1) - format.bias());
  term.special = 0;
  if (format.has_infinity && magnitude == u32(format.infinity())) term.special = 1;
  if (format.has_infinity ? magnitude > u32(format.infinity()) : magnitude == u32(format.nan())) term.special = 2;
  return term;
}

// One step over `count` <= 32 products of terms whose significands have fraction_a and fraction_b fraction bits. `c`:
// f32 bits. The result: f32 bits, or f16 bits if `to_f16`.
u32 mma_step(const MmaModel& model, const MmaTerm* a, const MmaTerm* b, int count, int fraction_a, int fraction_b,
             u32 c, bool to_f16);

}  // namespace ww::devicelib
