// Matrices of f64: one fma a product in the shape's rounding, first k first. Included by mma.cpp, as mma_step.h is.
#pragma once

#include <cstring>

#include "devicelib/float_bits.h"
#include "devicelib/mma_shape.h"
#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace ww::devicelib::WW_LEVEL {
namespace {

// A by rows, B by k; c becomes d. Bits.
struct DoubleMatrices {
  alignas(32) u64 a[16][16], b[16][8], c[16][8];
};

#if defined(__FMA__)

typedef u64 FourBits __attribute__((vector_size(32)));
typedef f64 FourDoubles __attribute__((vector_size(32)));

// As nan_of (float_bits.h) has it for a * b + c: the first NaN among b, c, a, made quiet.
inline FourBits nan_of_fma(FourDoubles a, FourDoubles b, FourDoubles c) {
  FourBits result = FourBits{} + 0xfff8000000000000u;
  const FourDoubles operands[] = {a, c, b};
  for (const FourDoubles& operand : operands) {
    const FourBits is_one = FourBits(operand != operand);
    result = (is_one & (FourBits(operand) | 0x0008000000000000u)) | (~is_one & result);
  }
  return result;
}

// In the processor's rounding mode.
[[gnu::noinline]] void multiply_rounded(const MmaShape& shape, DoubleMatrices& m) {
  for (int row = 0; row < shape.m; ++row)
    for (int column = 0; column < 8; column += 4) {
      FourDoubles sum;
      std::memcpy(&sum, m.c[row] + column, sizeof sum);
      for (int j = 0; j < shape.k; ++j) {
        FourDoubles b;
        std::memcpy(&b, m.b[j] + column, sizeof b);
        const FourDoubles a = FourDoubles(FourBits{} + m.a[row][j]);
        const FourDoubles next = FourDoubles(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(sum)));
        const FourBits is_nan = FourBits(next != next);
        sum = FourDoubles((is_nan & nan_of_fma(a, b, sum)) | (~is_nan & FourBits(next)));
      }
      std::memcpy(m.c[row] + column, &sum, sizeof sum);
    }
}

inline void multiply_doubles(const MmaShape& shape, DoubleMatrices& m) {
  const unsigned mode = shape.rounding == Rounding::kDown         ? 1
                        : shape.rounding == Rounding::kUp         ? 2
                        : shape.rounding == Rounding::kTowardZero ? 3
                                                                  : 0;
  const unsigned before = _mm_getcsr();
  if (mode != 0) _mm_setcsr((before & ~0x6000u) | mode << 13);
  asm volatile("" : : : "memory");
  multiply_rounded(shape, m);
  asm volatile("" : : : "memory");
  if (mode != 0) _mm_setcsr(before);
}

#else

inline void multiply_doubles(const MmaShape& shape, DoubleMatrices& m) {
  for (int row = 0; row < shape.m; ++row)
    for (int column = 0; column < 8; ++column)
      for (int j = 0; j < shape.k; ++j) {
        const f64 a = __builtin_bit_cast(f64, m.a[row][j]), b = __builtin_bit_cast(f64, m.b[j][column]),
                  c = __builtin_bit_cast(f64, m.c[row][column]);
        m.c[row][column] = __builtin_bit_cast(
            u64, shape.rounding == Rounding::kNearestEven ? ww_fma_rn_f64(a, b, c) : fma_f64(a, b, c, shape.rounding));
      }
}

#endif

}  // namespace
}  // namespace ww::devicelib::WW_LEVEL
