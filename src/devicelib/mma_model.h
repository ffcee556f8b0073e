// The arithmetic of one tensor-core step, parametrised by what differs between chips.
//
// A step takes up to `block` products a[i] * b[i] and an accumulator c, and gives c + the sum of the products:
// - Inputs are taken as they are: subnormals count, the low 13 bits of a tf32 register do not.
// - Products are exact. They and c are aligned to the largest exponent among them, at least `least_exponent`, where a
//   product's exponent is the sum of its factors' (its value may be up to 4 times 2 to that), and of a subnormal the
//   least one of its format: -14 of a subnormal c of f16. A zero c has none.
// - Each is cut toward zero to `fraction_bits` bits below that exponent; the sum of what is left is exact.
// - The sum is rounded once: toward zero to f32 (of which Ada's steps on 8-bit floats fill 13 mantissa bits), to
//   nearest even to f16. f32 results beyond the largest number are infinite. A zero has no sign, whatever the
//   operands'.
// - Any NaN, a zero times an infinity, or infinities of both signs give 7fffffff (f16: 7fff).
// A longer k runs as several steps, first elements first, each with the one before's result, rounded, as its c.
//
// Published models: Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores" (2021); Khattak and
// Mikaitis, "Accurate Models of NVIDIA Tensor Cores" (arXiv 2512.07004). tests/tiles proves the model of sm_90;
// mma_step.h is its arithmetic.
#pragma once

#include "base/float_formats.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {

struct MmaModel {
  int block_f16 = 16;  // products a step, by the width of the inputs
  int block_tf32 = 8;
  int block_f8 = 16;
  bool widen_f8 = true;       // no steps on e4m3 and e5m2: the compiler makes them of steps on f16 (mma_step.h)
  int fraction_bits = 25;     // kept below the largest exponent
  int fraction_bits_f8 = 25;  // of steps on e4m3 and e5m2
  int result_bits_f8 = 23;    // of f32 results of such steps: mantissa bits that are not zero
  int least_exponent = -133;  // which the largest exponent never is below
  bool widens_c = false;      // a c of f16 counts as the f32 of its value: a subnormal one has an exponent of its own
};

// H100 and H200.
inline constexpr MmaModel kMmaHopper{};
// Ada (sm_89), after arXiv 2512.07004 and the authors' MATLAB models (north-numerical-computing/MATLAB-tensor-core,
// AdaTC.m). Not proved on hardware. The publication knows of no least exponent and widens c, for every chip (an H200
// does neither), and has nothing on sparse matrices: they are summed like dense ones of what A keeps.
inline constexpr MmaModel kMmaAda{.block_f16 = 8,
                                  .block_tf32 = 4,
                                  .block_f8 = 16,
                                  .widen_f8 = false,
                                  .fraction_bits = 24,
                                  .fraction_bits_f8 = 13,
                                  .result_bits_f8 = 13,
                                  .least_exponent = -8000,
                                  .widens_c = true};

constexpr const MmaModel& mma_model(bool ada) {
  return ada ? kMmaAda : kMmaHopper;
}

}  // namespace ww::devicelib
