// The approximate functions: results of an NVIDIA H200, and against long double libm inside the manual's bounds; those
// of fast numerics inside the same bounds. (All inputs: tests/coverage.)
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

TEST(Approximate, GivesTheBitsOfTheH200) {
  const struct {
    float (*function)(float);
    u32 argument, result;
  } rows[] = {
      {ww_rcp_approx_f32, 0x00010000, 0x7f800000},       {ww_rcp_approx_f32, 0xbf2b0000, 0xbfbfa030},
      {ww_rcp_approx_f32, 0x3fb50000, 0x3f3509e7},       {ww_rcp_approx_f32, 0x40490000, 0x3ea3065e},
      {ww_rcp_approx_f32, 0x7e910000, 0x0070fe3c},       {ww_rcp_approx_f32, 0x7f7f0000, 0x00202020},
      {ww_rcp_approx_ftz_f32, 0x00010000, 0x7f800000},   {ww_rcp_approx_ftz_f32, 0xbf2b0000, 0xbfbfa030},
      {ww_rcp_approx_ftz_f32, 0x3fb50000, 0x3f3509e7},   {ww_rcp_approx_ftz_f32, 0x40490000, 0x3ea3065e},
      {ww_rcp_approx_ftz_f32, 0x7e910000, 0x00000000},   {ww_rcp_approx_ftz_f32, 0x7f7f0000, 0x00000000},
      {ww_rsqrt_approx_f32, 0x00010000, 0x60b504f2},     {ww_rsqrt_approx_f32, 0x3f2b0000, 0x3f9c9d4e},
      {ww_rsqrt_approx_f32, 0x3fb50000, 0x3f5747ee},     {ww_rsqrt_approx_f32, 0x40490000, 0x3f10746c},
      {ww_rsqrt_approx_f32, 0x7e910000, 0x1ff08681},     {ww_rsqrt_approx_f32, 0x7f7f0000, 0x1f804030},
      {ww_rsqrt_approx_ftz_f32, 0x00010000, 0x7f800000}, {ww_rsqrt_approx_ftz_f32, 0x3f2b0000, 0x3f9c9d4e},
      {ww_rsqrt_approx_ftz_f32, 0x3fb50000, 0x3f5747ee}, {ww_rsqrt_approx_ftz_f32, 0x40490000, 0x3f10746c},
      {ww_rsqrt_approx_ftz_f32, 0x7e910000, 0x1ff08681}, {ww_rsqrt_approx_ftz_f32, 0x7f7f0000, 0x1f804030},
      {ww_sqrt_approx_f32, 0x00010000, 0x1e3504f3},      {ww_sqrt_approx_f32, 0x3f2b0000, 0x3f513a26},
      {ww_sqrt_approx_f32, 0x3fb50000, 0x3f9835db},      {ww_sqrt_approx_f32, 0x40490000, 0x3fe2d6d2},
      {ww_sqrt_approx_f32, 0x7e910000, 0x5f083c2f},      {ww_sqrt_approx_f32, 0x7f7f0000, 0x5f7f7fe0},
      {ww_sqrt_approx_ftz_f32, 0x00010000, 0x00000000},  {ww_sqrt_approx_ftz_f32, 0x3f2b0000, 0x3f513a26},
      {ww_sqrt_approx_ftz_f32, 0x3fb50000, 0x3f9835db},  {ww_sqrt_approx_ftz_f32, 0x40490000, 0x3fe2d6d2},
      {ww_sqrt_approx_ftz_f32, 0x7e910000, 0x5f083c2f},  {ww_sqrt_approx_ftz_f32, 0x7f7f0000, 0x5f7f7fe0},
      {ww_ex2_approx_f32, 0x37120000, 0x3f800033},       {ww_ex2_approx_f32, 0x3dcc0000, 0x3f89265e},
      {ww_ex2_approx_f32, 0x3fb50000, 0x402a8d27},       {ww_ex2_approx_f32, 0xc0490000, 0x3de83969},
      {ww_ex2_approx_f32, 0xc2fd0000, 0x005a8279},       {ww_ex2_approx_f32, 0x42c80000, 0x71800000},
      {ww_ex2_approx_ftz_f32, 0x37120000, 0x3f800033},   {ww_ex2_approx_ftz_f32, 0x3dcc0000, 0x3f89265e},
      {ww_ex2_approx_ftz_f32, 0x3fb50000, 0x402a8d27},   {ww_ex2_approx_ftz_f32, 0xc0490000, 0x3de83969},
      {ww_ex2_approx_ftz_f32, 0xc2fd0000, 0x00000000},   {ww_ex2_approx_ftz_f32, 0x42c80000, 0x71800000},
      {ww_lg2_approx_f32, 0x00010000, 0xc3050000},       {ww_lg2_approx_f32, 0x3f2b0000, 0xbf15079d},
      {ww_lg2_approx_f32, 0x3f000000, 0xbf7ffffe},       {ww_lg2_approx_f32, 0x40490000, 0x3fd355aa},
      {ww_lg2_approx_f32, 0x7e910000, 0x42fc5c1d},       {ww_lg2_approx_f32, 0x7f7f0000, 0x42fffd1b},
      {ww_lg2_approx_ftz_f32, 0x00010000, 0xff800000},   {ww_lg2_approx_ftz_f32, 0x3f2b0000, 0xbf15079d},
      {ww_lg2_approx_ftz_f32, 0x3f000000, 0xbf7ffffe},   {ww_lg2_approx_ftz_f32, 0x40490000, 0x3fd355aa},
      {ww_lg2_approx_ftz_f32, 0x7e910000, 0x42fc5c1d},   {ww_lg2_approx_ftz_f32, 0x7f7f0000, 0x42fffd1b},
      {ww_sin_approx_f32, 0x37120000, 0x371084f0},       {ww_sin_approx_f32, 0x3dcc0000, 0x3dcba99f},
      {ww_sin_approx_f32, 0x3fb50000, 0x3f7cdcae},       {ww_sin_approx_f32, 0xc0490000, 0xba7db15e},
      {ww_sin_approx_f32, 0xc2fd0000, 0xbf3dfe03},       {ww_sin_approx_f32, 0x42c80000, 0xbf01a1a1},
      {ww_sin_approx_ftz_f32, 0x37120000, 0x371084f0},   {ww_sin_approx_ftz_f32, 0x3dcc0000, 0x3dcba99f},
      {ww_sin_approx_ftz_f32, 0x3fb50000, 0x3f7cdcae},   {ww_sin_approx_ftz_f32, 0xc0490000, 0xba7db15e},
      {ww_sin_approx_ftz_f32, 0xc2fd0000, 0xbf3dfe03},   {ww_sin_approx_ftz_f32, 0x42c80000, 0xbf01a1a1},
      {ww_cos_approx_f32, 0x37120000, 0x3f7fffff},       {ww_cos_approx_f32, 0x3dcc0000, 0x3f7ebb23},
      {ww_cos_approx_f32, 0x3fb50000, 0x3e1fd6d3},       {ww_cos_approx_f32, 0xc0490000, 0xbf7ffff8},
      {ww_cos_approx_f32, 0xc2fd0000, 0x3f2b93e9},       {ww_cos_approx_f32, 0x42c80000, 0x3f5cc0aa},
      {ww_cos_approx_ftz_f32, 0x37120000, 0x3f7fffff},   {ww_cos_approx_ftz_f32, 0x3dcc0000, 0x3f7ebb23},
      {ww_cos_approx_ftz_f32, 0x3fb50000, 0x3e1fd6d3},   {ww_cos_approx_ftz_f32, 0xc0490000, 0xbf7ffff8},
      {ww_cos_approx_ftz_f32, 0xc2fd0000, 0x3f2b93e9},   {ww_cos_approx_ftz_f32, 0x42c80000, 0x3f5cc0aa},
      {ww_tanh_approx_f32, 0x00010000, 0x00010000},      {ww_tanh_approx_f32, 0x3b7f0000, 0x3b7f0000},
      {ww_tanh_approx_f32, 0x3b810000, 0x3b80ffff},      {ww_tanh_approx_f32, 0xbd4d0000, 0xbd4cd458},
      {ww_tanh_approx_f32, 0x3e990000, 0x3e949a16},      {ww_tanh_approx_f32, 0x3fb50000, 0x3f636ad1},
      {ww_tanh_approx_f32, 0xc0490000, 0xbf7f0b34},      {ww_tanh_approx_f32, 0x40fe0000, 0x3f7ffffb},
      {ww_tanh_approx_f32, 0x41000000, 0x3f800000},
  };
  for (const auto& row : rows)
    EXPECT_EQ(bits(row.function(value(row.argument))), row.result)
        << std::hex << row.argument << " row " << std::dec << &row - rows;
}

TEST(Approximate, StaysInsideTheManualsBounds) {
  each_float(400000, [](float x) {
    if (!std::isfinite(x)) return;
    if (std::fabs(x) > 0x1p-126f && std::fabs(x) < 0x1p126f) {
      ASSERT_LE(ulps(ww_rcp_approx_f32(x), 1.0L / x), 1.0) << x;
      ASSERT_LE(ulps(ww_fast_rcp_approx_f32(x), 1.0L / x), 1.0) << x;
    }
    const float p = std::fabs(x);
    if (p > 0) {
      for (const auto rsqrt : {ww_rsqrt_approx_f32, ww_fast_rsqrt_approx_f32})
        ASSERT_LE(std::fabs(rsqrt(p) * std::sqrt((long double)p) - 1), std::exp2(-22.9)) << p;
      for (const auto sqrt : {ww_sqrt_approx_f32, ww_fast_sqrt_approx_f32})
        ASSERT_LE(ulps(sqrt(p), std::sqrt((long double)p)), 1.0) << p;
      const long double log = std::log2((long double)p);
      const double bound = p > 0.5f && p < 2 ? 0x1p-22 : 0x1p-22 * double(std::fabs(log));
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
      ASSERT_LE(ulps(ww_ex2_approx_f32(x), std::exp2((long double)x)), 2.5) << x;  // 2 from the rounded one
    }
    ASSERT_LE(std::fabs(ww_sin_approx_f32(a) - std::sin((long double)a)), std::exp2(-20.5)) << a;
    ASSERT_LE(std::fabs(ww_cos_approx_f32(a) - std::cos((long double)a)), std::exp2(-20.5)) << a;
    const float b = value(random() & 0x7fffffffu), c = value(random());
    if (b > 0x1p-126f && b < 0x1p126f && std::isfinite(c) && std::fabs(c / b) > 0x1p-126f &&
        std::fabs(c / b) < 0x1p127f) {
      for (const auto div : {ww_div_approx_f32, ww_div_full_f32, ww_fast_div_approx_f32, ww_fast_div_full_f32})
        ASSERT_LE(ulps(div(c, b), (long double)c / b), 2.0);
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
      ASSERT_LE(std::fabs(e - exact), std::max(exact * std::exp2(-9.9), 0x1p-24)) << x;
    }
    ASSERT_LE(std::fabs(t - std::tanh(double(x))), std::exp2(-10.987)) << x;
  }
}

}  // namespace
}  // namespace ww::devicelib
