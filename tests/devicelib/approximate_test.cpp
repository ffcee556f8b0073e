// The approximate functions against long double libm: inside the manual's bounds, and its special values.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "devicelib/devicelib.h"

namespace ww::devicelib {
namespace {

u32 bits(float x) {
  return __builtin_bit_cast(u32, x);
}
float value(u32 b) {
  return __builtin_bit_cast(float, b);
}

// Distance of `got` from the exact value in units of the exact value's last place.
double ulps(float got, long double exact) {
  int exponent;
  std::frexp(double(exact), &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return double(std::fabs((long double)got - exact) / ulp);
}

template <class Check>
void each_float(int count, Check check) {
  std::mt19937 random(11);
  for (int i = 0; i < count; ++i) check(value(random()));
}

TEST(Approximate, StaysInsideTheManualsBounds) {
  each_float(400000, [](float x) {
    if (!std::isfinite(x)) return;
    if (std::fabs(x) > 0x1p-126f && std::fabs(x) < 0x1p126f) {
      ASSERT_LE(ulps(ww_rcp_approx_f32(x), 1.0L / x), 1.0) << x;
    }
    const float p = std::fabs(x);
    if (p > 0) {
      ASSERT_LE(std::fabs(ww_rsqrt_approx_f32(p) * std::sqrt((long double)p) - 1), std::exp2(-22.9)) << p;
      ASSERT_LE(ulps(ww_sqrt_approx_f32(p), std::sqrt((long double)p)), 1.0) << p;
      const long double log = std::log2((long double)p);
      const double bound = p > 0.5f && p < 2 ? std::exp2(-22.6) : std::exp2(-22.6) * double(std::fabs(log));
      ASSERT_LE(double(std::fabs(ww_lg2_approx_f32(p) - log)), bound) << p;
    }
    if (x != 0) {
      ASSERT_LE(double(std::fabs(ww_tanh_approx_f32(x) / std::tanh((long double)x) - 1)), std::exp2(-11)) << x;
    }
  });
  std::mt19937 random(12);
  std::uniform_real_distribution<float> exponents(-150, 129), angles(-3.14159265f, 3.14159265f);
  for (int i = 0; i < 400000; ++i) {
    const float x = exponents(random), a = angles(random);
    if (x < 128) {
      ASSERT_LE(ulps(ww_ex2_approx_f32(x), std::exp2((long double)x)), 2.0) << x;
    }
    ASSERT_LE(std::fabs(ww_sin_approx_f32(a) - std::sin((long double)a)), std::exp2(-20.5)) << a;
    ASSERT_LE(std::fabs(ww_cos_approx_f32(a) - std::cos((long double)a)), std::exp2(-20.5)) << a;
    const float b = value(random() & 0x7fffffffu), c = value(random());
    if (b > 0x1p-126f && b < 0x1p126f && std::isfinite(c) && std::fabs(c / b) > 0x1p-126f &&
        std::fabs(c / b) < 0x1p127f) {
      ASSERT_LE(ulps(ww_div_approx_f32(c, b), (long double)c / b), 2.0);
      ASSERT_LE(ulps(ww_div_full_f32(c, b), (long double)c / b), 2.0);
    }
  }
}

TEST(Approximate, SpecialValuesAreTheManuals) {
  const float inf = INFINITY, nan = NAN, subnormal = value(1);
  const u32 kNan = 0x7fffffffu;
  EXPECT_EQ(bits(ww_rcp_approx_f32(-inf)), 0x80000000u);
  EXPECT_EQ(bits(ww_rcp_approx_ftz_f32(-subnormal)), 0xff800000u);
  EXPECT_EQ(bits(ww_rcp_approx_f32(nan)), kNan);
  EXPECT_EQ(bits(ww_rsqrt_approx_f32(-0.0f)), 0xff800000u);
  EXPECT_EQ(bits(ww_rsqrt_approx_f32(-1.0f)), kNan);
  EXPECT_EQ(ww_rsqrt_approx_f32(inf), 0.0f);
  EXPECT_EQ(bits(ww_sqrt_approx_f32(-0.0f)), 0x80000000u);
  EXPECT_EQ(bits(ww_sqrt_approx_f32(-1.0f)), kNan);
  EXPECT_EQ(bits(ww_ex2_approx_f32(-inf)), 0u);
  EXPECT_EQ(ww_ex2_approx_f32(inf), inf);
  EXPECT_EQ(ww_ex2_approx_f32(-0.0f), 1.0f);
  EXPECT_EQ(ww_ex2_approx_f32(3.0f), 8.0f);
  EXPECT_EQ(ww_ex2_approx_f32(-149.0f), subnormal);
  EXPECT_EQ(bits(ww_ex2_approx_ftz_f32(-140.0f)), 0u);
  EXPECT_EQ(bits(ww_ex2_approx_f32(nan)), kNan);
  EXPECT_EQ(ww_lg2_approx_f32(0.0f), -inf);
  EXPECT_EQ(ww_lg2_approx_f32(-0.0f), -inf);
  EXPECT_EQ(bits(ww_lg2_approx_f32(-1.0f)), kNan);
  EXPECT_EQ(ww_lg2_approx_f32(inf), inf);
  EXPECT_EQ(ww_lg2_approx_f32(8.0f), 3.0f);
  EXPECT_EQ(ww_lg2_approx_ftz_f32(subnormal), -inf);
  EXPECT_EQ(ww_lg2_approx_f32(subnormal), -149.0f);
  EXPECT_EQ(bits(ww_sin_approx_f32(-0.0f)), 0x80000000u);
  EXPECT_EQ(ww_cos_approx_f32(0.0f), 1.0f);
  EXPECT_EQ(bits(ww_sin_approx_f32(inf)), kNan);
  EXPECT_EQ(bits(ww_cos_approx_f32(nan)), kNan);
  EXPECT_EQ(ww_tanh_approx_f32(-inf), -1.0f);
  EXPECT_EQ(bits(ww_tanh_approx_f32(-0.0f)), 0x80000000u);
  EXPECT_EQ(bits(ww_div_approx_f32(inf, 0x1.8p126f)), kNan);
  EXPECT_EQ(bits(ww_div_approx_f32(-1.0f, 0x1.8p126f)), 0x80000000u);
}

TEST(Approximate, HalfPrecisionOfAllInputs) {
  for (u32 h = 0; h < 0x10000; ++h) {
    const float x = ww_cvt_f32_f16(u16(h));
    const float e = ww_cvt_f32_f16(ww_ex2_approx_f16(u16(h))), t = ww_cvt_f32_f16(ww_tanh_approx_f16(u16(h)));
    if (std::isnan(x)) {
      ASSERT_EQ(ww_ex2_approx_f16(u16(h)), 0x7fff);
      continue;
    }
    const double exact = std::exp2(double(x));
    if (exact > 65520) {
      ASSERT_EQ(e, INFINITY);
    } else {
      ASSERT_LE(std::fabs(e - exact), std::max(exact * std::exp2(-9.9), std::ldexp(1.0, -25))) << x;
    }
    ASSERT_LE(std::fabs(t - std::tanh(double(x))), std::exp2(-10.987)) << x;
  }
}

}  // namespace
}  // namespace ww::devicelib
