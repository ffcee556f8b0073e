// The tensor core of sm_89 as arXiv 2512.07004 describes it, by sums worked out by hand from that description: steps of
// 8 products of f16 (4 of tf32, 16 of 8-bit floats), terms cut to 24 bits (13 of 8-bit floats) below the largest
// exponent, f32 results cut (of 8-bit floats to 13 mantissa bits), f16 results rounded to nearest even. Beside each
// what sm_90 makes of the same, where that differs. Not proved on hardware.
#include <gtest/gtest.h>

#include "devicelib/mma.h"

namespace ww::devicelib {
namespace {

constexpr u32 kOneF16 = 0x3c00, kOneF32 = 0x3f800000, kOneE4M3 = 0x38, kOneE5M2 = 0x3c;
// 2^n of f16, n in -14 .. 15, and of e4m3, n in -6 .. 8.
constexpr u32 f16_power(int n) {
  return u32(n + 15) << 10;
}
constexpr u32 e4m3_power(int n) {
  return u32(n + 7) << 3;
}

constexpr MmaShape kF32OfF16{16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32};
constexpr MmaShape kF16OfF16{16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF16};
constexpr MmaShape kF32OfE4M3{16, 8, 32, MmaType::kE4M3, MmaType::kE4M3, MmaAccumulator::kF32};
constexpr MmaShape kF16OfE4M3{16, 8, 32, MmaType::kE4M3, MmaType::kE4M3, MmaAccumulator::kF16};

TEST(MmaOfAda, F16StepsHaveEightProducts) {
  // 1, seven times 2^-24; then seven times 2^-24. First step: 1 + 7 * 2^-24 is 1 + 3.5 * 2^-23, cut to 1 + 3 * 2^-23.
  // Second: 1 + (6 + 7) * 2^-24 is 1 + 6.5 * 2^-23, cut to 1 + 6 * 2^-23.
  u32 a[16] = {kOneF16}, b[16] = {kOneF16};
  for (int k = 1; k < 15; ++k) a[k] = b[k] = f16_power(-12);
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfF16, a, b, 0), 0x3f800006u);
  // sm_90: one step, 1 + 14 * 2^-24.
  EXPECT_EQ(mma_dot(kMmaHopper, kF32OfF16, a, b, 0), 0x3f800007u);
}

TEST(MmaOfAda, F16TermsAreCutTo24Bits) {
  // 1 + 2^-24 + 2^-25 + 2^-25: the last two are cut to nothing, and 1 + 2^-24 has no place in f32. All signs reversed:
  // toward zero too.
  u32 a[16] = {kOneF16, f16_power(-12), f16_power(-12), f16_power(-12)},
      b[16] = {kOneF16, f16_power(-12), f16_power(-13), f16_power(-13)};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfF16, a, b, 0), 0x3f800000u);
  EXPECT_EQ(mma_dot(kMmaHopper, kF32OfF16, a, b, 0), 0x3f800001u);  // sm_90 keeps 25 bits
  for (u32& code : a) code ^= 0x8000;
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfF16, a, b, 0), 0xbf800000u);
  EXPECT_EQ(mma_dot(kMmaHopper, kF32OfF16, a, b, 0), 0xbf800001u);
  // Bits below the last of f32 count within a step: 1 + 2^-24 + 2^-24 is 1 + 2^-23.
  const u32 c[16] = {kOneF16, f16_power(-12), f16_power(-12)};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfF16, c, c, 0), 0x3f800001u);
  // The accumulator is cut like a product: the exponent of 2 * 2 is 2, so that 2^-22 is the last bit. Of c, 1.5 *
  // 2^-22, 2^-22 is left; with a product of 2^-22 the sum is 4 + 2^-21.
  const u32 d[16] = {f16_power(1), f16_power(-11)};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfF16, d, d, 0x34c00000), 0x40800001u);
}

TEST(MmaOfAda, Tf32StepsHaveFourProducts) {
  // 1, three times 2^-24: 1 + 1.5 * 2^-23, cut to 1 + 2^-23. Three times 2^-24 more: 1 + 2.5 * 2^-23, cut.
  const MmaShape shape{16, 8, 8, MmaType::kTf32, MmaType::kTf32, MmaAccumulator::kF32};
  u32 a[8] = {kOneF32}, b[8] = {kOneF32};
  for (int k = 1; k < 7; ++k) a[k] = b[k] = 0x39800000;  // 2^-12
  EXPECT_EQ(mma_dot(kMmaAda, shape, a, b, 0), 0x3f800002u);
  EXPECT_EQ(mma_dot(kMmaHopper, shape, a, b, 0), 0x3f800003u);
}

TEST(MmaOfAda, F16ResultsAreRoundedToNearestEven) {
  // 1 + 2^-11 is a midpoint: to the even 1. With 2^-24 more it is above; 2^-25 more is cut before.
  u32 a[16] = {kOneF16, f16_power(-5), f16_power(-12)}, b[16] = {kOneF16, f16_power(-6), 0};
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfF16, a, b, 0), 0x3c00u);
  b[2] = f16_power(-12);
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfF16, a, b, 0), 0x3c01u);
  b[2] = f16_power(-13);
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfF16, a, b, 0), 0x3c00u);
  EXPECT_EQ(mma_dot(kMmaHopper, kF16OfF16, a, b, 0), 0x3c01u);  // sm_90 keeps 25 bits
  // Results between steps are f16: 1 + 2^-11 is 1 after eight products, and 1 again after eight more.
  const u32 c[16] = {kOneF16, f16_power(-5), 0, 0, 0, 0, 0, 0, f16_power(-5)};
  const u32 d[16] = {kOneF16, f16_power(-6), 0, 0, 0, 0, 0, 0, f16_power(-6)};
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfF16, c, d, 0), 0x3c00u);
  EXPECT_EQ(mma_dot(kMmaHopper, kF16OfF16, c, d, 0), 0x3c01u);  // one step: 1 + 2^-10
}

TEST(MmaOfAda, AnF16AccumulatorCountsAsItsF32) {
  // c = 2^-24, products 2^-25 and -2^-24 * 2^-16. The largest exponent is c's, -24: the last product stays, and the sum
  // is below the midpoint 1.5 * 2^-24.
  const u32 a[16] = {f16_power(-12), 0x8001}, b[16] = {f16_power(-13), 0x0100};
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfF16, a, b, 1), 1u);
  // sm_90: c's is -14, the last product is cut, and the midpoint goes to the even 2 * 2^-24.
  EXPECT_EQ(mma_dot(kMmaHopper, kF16OfF16, a, b, 1), 2u);
}

TEST(MmaOfAda, F8TermsAreCutTo13Bits) {
  // 1 + 2^-13 (2^-6 * 2^-7; 2^-7 is subnormal, 4 * 2^-9): bit 13 of the mantissa is there. 1 + 2^-14 is 1.
  u32 a[32] = {kOneE4M3, e4m3_power(-6)}, b[32] = {kOneE4M3, 0x04};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, a, b, 0), 0x3f800400u);
  a[1] = 0x04;
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, a, b, 0), 0x3f800000u);
  // Two of them are two times nothing.
  a[2] = b[2] = 0x04;
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, a, b, 0), 0x3f800000u);
  // e5m2 too: 1 + 2^-7 * 2^-6 and 1 + 2^-7 * 2^-7.
  const MmaShape e5m2{16, 8, 32, MmaType::kE5M2, MmaType::kE5M2, MmaAccumulator::kF32};
  const u32 x[32] = {kOneE5M2, 8 << 2}, y[32] = {kOneE5M2, 9 << 2};
  EXPECT_EQ(mma_dot(kMmaAda, e5m2, x, y, 0), 0x3f800400u);
  EXPECT_EQ(mma_dot(kMmaAda, e5m2, x, x, 0), (u32{kOneF32}));
}

TEST(MmaOfAda, F32ResultsOfF8Have13MantissaBits) {
  // 1 + 1 + 2^-13: aligned to the exponent 0 it is exact; f32 of exponent 1 has its 13th bit at 2^-12.
  u32 a[32] = {kOneE4M3, kOneE4M3, e4m3_power(-6)}, b[32] = {kOneE4M3, kOneE4M3, 0x04};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, a, b, 0), 0x40000000u);
  // 2^-13 once more: 2 + 2^-12.
  a[3] = a[2], b[3] = b[2];
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, a, b, 0), 0x40000400u);
  // An accumulator goes through with 13 bits of its 23.
  const u32 zeros[32] = {};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, zeros, zeros, 0x3f8007ff), 0x3f800400u);
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, zeros, zeros, 0xbf8007ff), 0xbf800400u);
}

TEST(MmaOfAda, F8StepsHaveSixteenProducts) {
  // 1, fifteen times 2^-13; then sixteen times 2^-13: each is the last bit that f32 may have here.
  u32 a[32] = {kOneE4M3}, b[32] = {kOneE4M3};
  for (int k = 1; k < 32; ++k) a[k] = e4m3_power(-6), b[k] = 0x04;
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, a, b, 0), kOneF32 + 31 * 0x400u);
  // 2^16 = 256 * 256 cuts what is below 2^3 in its own step only. Steps: 2^16 + 4, which is 2^16; 2^16 - 2^16 + 4,
  // which is 0.
  u32 x[32] = {}, y[32] = {};
  const auto set = [&](int k, u32 i, u32 j) { x[k] = i, y[k] = j; };
  const u32 big = e4m3_power(8), two = e4m3_power(1);
  set(14, big, big), set(15, two, two), set(16, big | 0x80, big), set(17, two, two);
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, x, y, 0), 0u);
  // 4; 4 - 2^16 + 4, which is -2^16.
  x[14] = 0;
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, x, y, 0), 0xc7800000u);
  // 2^16 - 2^16; 4 + 4.
  set(14, big, big), set(15, big | 0x80, big), set(16, two, two);
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, x, y, 0), 0x41000000u);
}

TEST(MmaOfAda, F16ResultsOfF8AreRoundedToNearestEven) {
  // 1 + 2^-11, a midpoint, to the even 1; with 2^-13 more up; with 2^-14 more, which is cut, to 1 again.
  u32 a[32] = {kOneE4M3, e4m3_power(-5)}, b[32] = {kOneE4M3, e4m3_power(-6)};
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfE4M3, a, b, 0), 0x3c00u);
  a[2] = e4m3_power(-6), b[2] = 0x04;
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfE4M3, a, b, 0), 0x3c01u);
  a[2] = 0x04;
  EXPECT_EQ(mma_dot(kMmaAda, kF16OfE4M3, a, b, 0), 0x3c00u);
}

TEST(MmaOfAda, SpecialValuesGoThrough) {
  const u32 nan[32] = {0x7f}, one[32] = {kOneE4M3};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfE4M3, nan, one, 0), 0x7fffffffu);
  const u32 infinity[16] = {0x7c00, 0x7c00}, both[16] = {kOneF16, 0xbc00}, ones[16] = {kOneF16, kOneF16};
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfF16, infinity, ones, 0), 0x7f800000u);
  EXPECT_EQ(mma_dot(kMmaAda, kF32OfF16, infinity, both, 0), 0x7fffffffu);
}

}  // namespace
}  // namespace ww::devicelib
