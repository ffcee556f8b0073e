// add, sub, mul, fma, div, sqrt, rcp of f64, f32, f16 and bf16 in every rounding against MPFR, bit for bit.
#include <gtest/gtest.h>

#include <cmath>

#include "devicelib/devicelib.h"
#include "devicelib/mpfr_judge.h"

namespace ww::devicelib {
namespace {
using test::Big;
using test::bits;
using test::judge;

// The result that hardware gives: canonical NaN, else the value with its sign of zero.
void expect_f32(float got, double want, const char* what, float a, float b, float c = 0) {
  const uint32_t expected = std::isnan(want) ? 0x7fffffffu : bits<uint32_t>(float(want));
  ASSERT_EQ(bits<uint32_t>(got), expected)
      << what << std::hexfloat << " a=" << a << " b=" << b << " c=" << c << " got " << got << " want " << want;
}
void expect_f64(double got, double want, const char* what, double a, double b, double c = 0) {
  if (std::isnan(want)) {
    ASSERT_TRUE(std::isnan(got)) << what << std::hexfloat << " a=" << a << " b=" << b << " c=" << c << " got " << got;
    return;
  }
  ASSERT_EQ(bits<uint64_t>(got), bits<uint64_t>(want))
      << what << std::hexfloat << " a=" << a << " b=" << b << " c=" << c << " got " << got << " want " << want;
}

#define FOUR(op, type) \
  { ww_##op##_rn_##type, ww_##op##_rz_##type, ww_##op##_rm_##type, ww_##op##_rp_##type }

TEST(RoundingF32, TwoOperands) {
  f32 (*add[4])(f32, f32) = FOUR(add, f32);
  f32 (*sub[4])(f32, f32) = FOUR(sub, f32);
  f32 (*mul[4])(f32, f32) = FOUR(mul, f32);
  f32 (*div[4])(f32, f32) = FOUR(div, f32);
  const auto values = test::interesting_f32(260, 1);
  for (float a : values)
    for (float b : values) {
      Big x(a), y(b);
      for (int m = 0; m < 4; ++m) {
        const mpfr_rnd_t mode = test::kModes[m];
        expect_f32(add[m](a, b),
                   judge(test::kJudgeF32, mode, [&](auto r, auto k) { return mpfr_add(r, x.get(), y.get(), k); }),
                   "add", a, b);
        expect_f32(sub[m](a, b),
                   judge(test::kJudgeF32, mode, [&](auto r, auto k) { return mpfr_sub(r, x.get(), y.get(), k); }),
                   "sub", a, b);
        expect_f32(mul[m](a, b),
                   judge(test::kJudgeF32, mode, [&](auto r, auto k) { return mpfr_mul(r, x.get(), y.get(), k); }),
                   "mul", a, b);
        expect_f32(div[m](a, b),
                   judge(test::kJudgeF32, mode, [&](auto r, auto k) { return mpfr_div(r, x.get(), y.get(), k); }),
                   "div", a, b);
      }
    }
}

TEST(RoundingF32, FusedMultiplyAdd) {
  f32 (*fma[4])(f32, f32, f32) = FOUR(fma, f32);
  const auto values = test::interesting_f32(3000, 2);
  std::mt19937 random(3);
  for (int i = 0; i < 60000; ++i) {
    const float a = values[random() % values.size()], b = values[random() % values.size()];
    float c = values[random() % values.size()];
    if (i % 3 == 0) c = -std::nextafter(a * b, i % 2 ? 1e30f : -1e30f);  // cancellation
    Big x(a), y(b), z(c);
    for (int m = 0; m < 4; ++m)
      expect_f32(fma[m](a, b, c),
                 judge(test::kJudgeF32, test::kModes[m],
                       [&](auto r, auto k) { return mpfr_fma(r, x.get(), y.get(), z.get(), k); }),
                 "fma", a, b, c);
    if (!std::isnan(ww_soft_fma_f32(a, b, c))) {
      ASSERT_EQ(bits<u32>(ww_soft_fma_f32(a, b, c)), bits<u32>(std::fma(a, b, c)));
    }
  }
}

TEST(RoundingF32, OneOperand) {
  f32 (*sqrt[4])(f32) = FOUR(sqrt, f32);
  f32 (*rcp[4])(f32) = FOUR(rcp, f32);
  for (float a : test::interesting_f32(40000, 4)) {
    Big x(a), one(1);
    for (int m = 0; m < 4; ++m) {
      expect_f32(sqrt[m](a),
                 judge(test::kJudgeF32, test::kModes[m], [&](auto r, auto k) { return mpfr_sqrt(r, x.get(), k); }),
                 "sqrt", a, 0);
      expect_f32(
          rcp[m](a),
          judge(test::kJudgeF32, test::kModes[m], [&](auto r, auto k) { return mpfr_div(r, one.get(), x.get(), k); }),
          "rcp", a, 0);
    }
  }
}

TEST(RoundingF64, AllOperations) {
  f64 (*add[4])(f64, f64) = FOUR(add, f64);
  f64 (*sub[4])(f64, f64) = FOUR(sub, f64);
  f64 (*mul[4])(f64, f64) = FOUR(mul, f64);
  f64 (*div[4])(f64, f64) = FOUR(div, f64);
  f64 (*fma[4])(f64, f64, f64) = FOUR(fma, f64);
  f64 (*sqrt[4])(f64) = FOUR(sqrt, f64);
  f64 (*rcp[4])(f64) = FOUR(rcp, f64);
  const auto values = test::interesting_f64(150, 5);
  std::mt19937 random(6);
  Big one(1);
  for (double a : values)
    for (double b : values) {
      double c = values[random() % values.size()];
      if (random() % 2) c = -std::nextafter(a * b, random() % 2 ? 1e300 : -1e300);
      Big x(a), y(b), z(c);
      for (int m = 0; m < 4; ++m) {
        const mpfr_rnd_t mode = test::kModes[m];
        expect_f64(add[m](a, b),
                   judge(test::kJudgeF64, mode, [&](auto r, auto k) { return mpfr_add(r, x.get(), y.get(), k); }),
                   "add", a, b);
        expect_f64(sub[m](a, b),
                   judge(test::kJudgeF64, mode, [&](auto r, auto k) { return mpfr_sub(r, x.get(), y.get(), k); }),
                   "sub", a, b);
        expect_f64(mul[m](a, b),
                   judge(test::kJudgeF64, mode, [&](auto r, auto k) { return mpfr_mul(r, x.get(), y.get(), k); }),
                   "mul", a, b);
        expect_f64(div[m](a, b),
                   judge(test::kJudgeF64, mode, [&](auto r, auto k) { return mpfr_div(r, x.get(), y.get(), k); }),
                   "div", a, b);
        expect_f64(
            fma[m](a, b, c),
            judge(test::kJudgeF64, mode, [&](auto r, auto k) { return mpfr_fma(r, x.get(), y.get(), z.get(), k); }),
            "fma", a, b, c);
        expect_f64(sqrt[m](a), judge(test::kJudgeF64, mode, [&](auto r, auto k) { return mpfr_sqrt(r, x.get(), k); }),
                   "sqrt", a, 0);
        expect_f64(rcp[m](a),
                   judge(test::kJudgeF64, mode, [&](auto r, auto k) { return mpfr_div(r, one.get(), x.get(), k); }),
                   "rcp", a, 0);
      }
    }
}

// A half by its bits, independently of the code under test (ISO C's frexp view of the fields).
double half_value(u16 h, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, field = (h & 0x7fff) >> mantissa_bits,
            mantissa = h & ((1 << mantissa_bits) - 1);
  const double sign = h & 0x8000 ? -1 : 1;
  if (field == (1 << exponent_bits) - 1) return mantissa ? NAN : sign * INFINITY;
  if (field == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), field - bias - mantissa_bits);
}
double f16_value(u16 h) {
  return half_value(h, 5, 10);
}
double bf16_value(u16 h) {
  return half_value(h, 8, 7);
}

void expect_half(u16 got, double want, double (*value)(u16), const char* what, u16 a, u16 b, u16 c = 0) {
  if (std::isnan(want)) {
    ASSERT_EQ(got, 0x7fff) << what << std::hex << " a=" << a << " b=" << b << " c=" << c;
    return;
  }
  ASSERT_EQ(bits<uint64_t>(value(got)), bits<uint64_t>(want))
      << what << std::hex << " a=" << a << " b=" << b << " c=" << c << " got " << got;
}

TEST(RoundingHalf, F16AndBf16) {
  struct Format {
    test::JudgeFormat judge;
    double (*value)(u16);
    u16 (*add)(u16, u16), (*sub)(u16, u16), (*mul)(u16, u16), (*fma)(u16, u16, u16);
  };
  const Format formats[] = {
      {test::kJudgeF16, f16_value, ww_add_rn_f16, ww_sub_rn_f16, ww_mul_rn_f16, ww_fma_rn_f16},
      {test::kJudgeBf16, bf16_value, ww_add_rn_bf16, ww_sub_rn_bf16, ww_mul_rn_bf16, ww_fma_rn_bf16}};
  std::mt19937 random(7);
  for (const Format& f : formats)
    for (int i = 0; i < 300000; ++i) {
      const u16 a = u16(random()), b = u16(random());
      u16 c = u16(random());
      if (i % 3 == 0) c = u16(f.mul(a, b) ^ 0x8000u) + u16(random() % 3);
      Big x(f.value(a)), y(f.value(b)), z(f.value(c));
      const auto rn = MPFR_RNDN;
      expect_half(f.add(a, b), judge(f.judge, rn, [&](auto r, auto k) { return mpfr_add(r, x.get(), y.get(), k); }),
                  f.value, "add", a, b);
      expect_half(f.sub(a, b), judge(f.judge, rn, [&](auto r, auto k) { return mpfr_sub(r, x.get(), y.get(), k); }),
                  f.value, "sub", a, b);
      expect_half(f.mul(a, b), judge(f.judge, rn, [&](auto r, auto k) { return mpfr_mul(r, x.get(), y.get(), k); }),
                  f.value, "mul", a, b);
      expect_half(f.fma(a, b, c),
                  judge(f.judge, rn, [&](auto r, auto k) { return mpfr_fma(r, x.get(), y.get(), z.get(), k); }),
                  f.value, "fma", a, b, c);
    }
}

TEST(Packed, HalvesAreIndependent) {
  EXPECT_EQ(ww_add_rn_f16x2(0x3c004000u, 0x40003c00u), 0x42004200u);                    // {1, 2} + {2, 1} = {3, 3}
  EXPECT_EQ(ww_fma_rn_relu_f16x2(0xbc003c00u, 0x3c003c00u, 0x00000000u), 0x00003c00u);  // {-1, 1} -> {0, 1}
}

TEST(FlushAndSaturate, FollowTheManual) {
  const float tiny = bits<float>(0x00400000u);
  EXPECT_EQ(bits<u32>(ww_add_rn_ftz_f32(tiny, 0.0f)), 0u);
  EXPECT_EQ(bits<u32>(ww_mul_rn_ftz_f32(-0x1p-100f, 0x1p-30f)), 0x80000000u);
  EXPECT_EQ(bits<u32>(ww_mul_rn_f32(-0x1p-100f, 0x1p-30f)), bits<u32>(-0x1p-130f));
  EXPECT_EQ(ww_add_rn_sat_f32(0.75f, 0.75f), 1.0f);
  EXPECT_EQ(bits<u32>(ww_add_rn_sat_f32(-0.75f, 0.25f)), 0u);
  EXPECT_EQ(bits<u32>(ww_mul_rn_sat_f32(INFINITY, 0.0f)), 0u);  // NaN gives +0
  EXPECT_EQ(ww_mul_rn_sat_f16(0x4000, 0x3c00), 0x3c00);
}

TEST(Extremes, FollowTheManual) {
  const float nan = bits<float>(0x7fc01234u);
  EXPECT_EQ(bits<u32>(ww_min_f32(0.0f, -0.0f)), 0x80000000u);
  EXPECT_EQ(bits<u32>(ww_max_f32(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(ww_min_f32(nan, 3.0f), 3.0f);
  EXPECT_EQ(ww_max_f32(3.0f, nan), 3.0f);
  EXPECT_EQ(bits<u32>(ww_max_f32(nan, nan)), 0x7fffffffu);
  EXPECT_EQ(bits<u32>(ww_min_NaN_f32(nan, 3.0f)), 0x7fffffffu);
  EXPECT_EQ(ww_max_xorsign_abs_f32(-3.0f, 2.0f), -3.0f);
  EXPECT_EQ(ww_min_xorsign_abs_f32(-3.0f, -2.0f), 2.0f);
  EXPECT_EQ(ww_min_f16(0x8000, 0x0000), 0x8000);
  EXPECT_EQ(ww_max_f16(0x7e00, 0x3c00), 0x3c00);
  EXPECT_EQ(ww_max_NaN_bf16(0x7fc0, 0x3f80), 0x7fff);
}

}  // namespace
}  // namespace ww::devicelib
