// cvt: every rounding against MPFR or ldexp arithmetic; small formats exhaustively; special values as in the manual.
#include <gtest/gtest.h>

#include <cmath>

#include "base/float_formats.h"
#include "devicelib/devicelib.h"
#include "devicelib/mpfr_judge.h"

namespace ww::devicelib {
namespace {
using test::Big;
using test::bits;
using test::judge;

// The value of a small format's code, by the definition of its fields.
double code_value(u32 code, int exponent_bits, int mantissa_bits, bool ocp_e4m3 = false) {
  const int bias = (1 << (exponent_bits - 1)) - 1, all = (1 << exponent_bits) - 1;
  const int field = (code >> mantissa_bits) & all, mantissa = code & ((1 << mantissa_bits) - 1);
  const double sign = (code >> (exponent_bits + mantissa_bits)) & 1 ? -1 : 1;
  if (ocp_e4m3 ? field == all && mantissa == 7 : field == all)
    return !ocp_e4m3 && mantissa == 0 ? sign * INFINITY : NAN;
  if (field == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), field - bias - mantissa_bits);
}

TEST(Convert, ReadsEveryHalf) {
  for (u32 code = 0; code < 0x10000; ++code) {
    const double expected = code_value(code, 5, 10);
    const u32 got = bits<u32>(f16_to_f32(u16(code)));
    EXPECT_EQ(got, std::isnan(expected) ? 0x7fffffffu : bits<u32>(float(expected))) << code;
  }
}

TEST(Convert, NarrowingRoundsLikeMpfr) {
  u16 (*f16[4])(f32) = {ww_cvt_rn_f16_f32, ww_cvt_rz_f16_f32, ww_cvt_rm_f16_f32, ww_cvt_rp_f16_f32};
  u16 (*bf16[4])(f32) = {ww_cvt_rn_bf16_f32, ww_cvt_rz_bf16_f32, ww_cvt_rm_bf16_f32, ww_cvt_rp_bf16_f32};
  u16 (*f16_of_f64[4])(f64) = {ww_cvt_rn_f16_f64, ww_cvt_rz_f16_f64, ww_cvt_rm_f16_f64, ww_cvt_rp_f16_f64};
  f32 (*f32_of_f64[4])(f64) = {ww_cvt_rn_f32_f64, ww_cvt_rz_f32_f64, ww_cvt_rm_f32_f64, ww_cvt_rp_f32_f64};
  auto values = test::interesting_f32(60000, 1);
  std::mt19937 random(2);
  for (int i = 0; i < 60000; ++i)
    values.push_back(bits<float>(
        u32((random() & 0x80000fffu) | (random() % 40 + 100) << 23 | (random() % 2) << 12 | (random() % 1024) << 13)));
  for (float a : values) {
    Big x(a);
    for (int m = 0; m < 4; ++m) {
      const double h = judge(test::kJudgeF16, test::kModes[m], [&](auto r, auto k) { return mpfr_set(r, x.get(), k); });
      const double b =
          judge(test::kJudgeBf16, test::kModes[m], [&](auto r, auto k) { return mpfr_set(r, x.get(), k); });
      if (std::isnan(a)) {
        ASSERT_EQ(f16[m](a), 0x7fff);
        ASSERT_EQ(bf16[m](a), 0x7fff);
        continue;
      }
      ASSERT_EQ(bits<u64>(code_value(f16[m](a), 5, 10)), bits<u64>(h)) << std::hexfloat << a << " mode " << m;
      ASSERT_EQ(bits<u64>(code_value(bf16[m](a), 8, 7)), bits<u64>(b)) << std::hexfloat << a << " mode " << m;
    }
  }
  for (double a : test::interesting_f64(60000, 3)) {
    const double near = a * 0x1p-30 + double(float(random()) * 1e-9f);
    for (double v : {a, near}) {
      if (std::isnan(v)) continue;
      Big x(v);
      for (int m = 0; m < 4; ++m) {
        ASSERT_EQ(bits<u64>(code_value(f16_of_f64[m](v), 5, 10)),
                  bits<u64>(judge(test::kJudgeF16, test::kModes[m],
                                  [&](auto r, auto k) { return mpfr_set(r, x.get(), k); })));
        ASSERT_EQ(bits<u64>(double(f32_of_f64[m](v))),
                  bits<u64>(judge(test::kJudgeF32, test::kModes[m],
                                  [&](auto r, auto k) { return mpfr_set(r, x.get(), k); })));
      }
    }
  }
}

TEST(Convert, Tf32TiesAwayFromZero) {
  for (float a : test::interesting_f32(50000, 4)) {
    if (std::isnan(a)) continue;
    // Half a unit of the last place of tf32 added in integers, then cut: the definition of ties away.
    const u32 magnitude = bits<u32>(a) & 0x7fffffffu;
    const u32 want =
        magnitude >= 0x7f800000u ? bits<u32>(a) : ((magnitude + 0x1000u) & ~0x1fffu) | (bits<u32>(a) & 0x80000000u);
    ASSERT_EQ(ww_cvt_rna_tf32_f32(a), want);
  }
}

TEST(Convert, WideningIsExact) {
  for (u32 h = 0; h < 0x10000; ++h) {
    const double want = code_value(h, 5, 10);
    const float got = ww_cvt_f32_f16(u16(h));
    if (std::isnan(want)) {
      ASSERT_EQ(bits<u32>(got), 0x7fffffffu);
    } else {
      ASSERT_EQ(bits<u64>(double(got)), bits<u64>(want)) << h;
    }
  }
  for (u32 c = 0; c < 256; ++c) {
    const double e4m3 = code_value(c, 4, 3, true), e5m2 = code_value(c, 5, 2);
    const u16 a = u16(ww_cvt_rn_f16x2_e4m3x2(u16(c))), b = u16(ww_cvt_rn_f16x2_e5m2x2(u16(c << 8)) >> 16);
    if (std::isnan(e4m3)) {
      ASSERT_EQ(a, 0x7fff);
    } else {
      ASSERT_EQ(bits<u64>(code_value(a, 5, 10)), bits<u64>(e4m3));
    }
    if (std::isnan(e5m2)) {
      ASSERT_EQ(b, 0x7fff);
    } else {
      ASSERT_EQ(bits<u64>(code_value(b, 5, 10)), bits<u64>(e5m2));
    }
  }
}

// The nearest code by search over all codes, ties to the even one.
u32 nearest_code(double x, int exponent_bits, int mantissa_bits, bool e4m3, u32 largest) {
  const u32 sign = std::signbit(x) ? 0x80 : 0;
  x = std::fabs(x);
  if (x >= code_value(largest, exponent_bits, mantissa_bits, e4m3)) return sign | largest;
  u32 best = 0;
  for (u32 c = 0; c <= largest; ++c) {
    const double d = std::fabs(code_value(c, exponent_bits, mantissa_bits, e4m3) - x);
    const double e = std::fabs(code_value(best, exponent_bits, mantissa_bits, e4m3) - x);
    if (d < e || (d == e && c % 2 == 0)) best = c;
  }
  return sign | best;
}

TEST(Convert, EightBitFormatsRoundToTheNearestCode) {
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    const float x =
        bits<float>(u32((random() & 0x80700000u) | (105 + random() % 42) << 23 | (i % 2 ? random() & 0xfffffu : 0)));
    ASSERT_EQ(ww_cvt_rn_satfinite_e4m3x2_f32(0, x), nearest_code(x, 4, 3, true, 0x7e)) << x;
    ASSERT_EQ(ww_cvt_rn_satfinite_e5m2x2_f32(x, 0) >> 8, nearest_code(x, 5, 2, false, 0x7b)) << x;
  }
  EXPECT_EQ(ww_cvt_rn_satfinite_e4m3x2_f32(NAN, INFINITY), 0x7f7e);
  EXPECT_EQ(ww_cvt_rn_satfinite_e5m2x2_f32(NAN, -INFINITY), 0x7ffb);
  EXPECT_EQ(ww_cvt_rn_satfinite_relu_e4m3x2_f32(-1.0f, 1.0f), 0x0038);
}

template <class T>
T clamped(double r) {
  if (r <= double(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (r >= double(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return T(r);
}

TEST(Convert, ToIntegersRoundsAndClamps) {
  auto values = test::interesting_f32(20000, 6);
  for (float base : {0.5f, 1.5f, 2.5f, 127.5f, 128.0f, 255.5f, 32767.5f, 65535.5f, 2147483648.0f, 4294967296.0f,
                     9.3e18f, 1.9e19f, 8388607.5f})
    for (float sign : {1.0f, -1.0f}) values.push_back(sign * base);
  for (float a : values) {
    if (std::isnan(a)) continue;
    const double modes[4] = {std::nearbyint(double(a)), std::trunc(double(a)), std::floor(double(a)),
                             std::ceil(double(a))};
#define WW_CHECK(type)                                                       \
  ASSERT_EQ(type(ww_cvt_rni_##type##_f32(a)), clamped<type>(modes[0])) << a; \
  ASSERT_EQ(type(ww_cvt_rzi_##type##_f32(a)), clamped<type>(modes[1])) << a; \
  ASSERT_EQ(type(ww_cvt_rmi_##type##_f32(a)), clamped<type>(modes[2])) << a; \
  ASSERT_EQ(type(ww_cvt_rpi_##type##_f32(a)), clamped<type>(modes[3])) << a;
    // clang-format off: it takes the expansions for expressions
    WW_CHECK(s8)
    WW_CHECK(u8)
    WW_CHECK(s16)
    WW_CHECK(u16)
    WW_CHECK(s32)
    WW_CHECK(u32)
    WW_CHECK(s64)
    WW_CHECK(u64)
    // clang-format on
    ASSERT_EQ(bits<u32>(ww_cvt_rni_f32_f32(a)), bits<u32>(std::nearbyint(a)));
    ASSERT_EQ(bits<u32>(ww_cvt_rmi_f32_f32(a)), bits<u32>(std::floor(a)));
    ASSERT_EQ(bits<u32>(ww_cvt_rpi_f32_f32(a)), bits<u32>(std::ceil(a)));
  }
  EXPECT_EQ(ww_cvt_rzi_s32_f32(NAN), 0);
  EXPECT_EQ(ww_cvt_rzi_u32_f32(NAN), 0u);
  EXPECT_EQ(u64(ww_cvt_rzi_s64_f32(NAN)), u64{1} << 63);
  EXPECT_EQ(u32(ww_cvt_rzi_s32_f64(NAN)), 0x80000000u);
}

TEST(Convert, FromIntegersRoundsLikeMpfr) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const u64 a = random() >> random() % 64;
    Big x(0, 70), y(0, 70);
    mpfr_set_uj(x.get(), a, MPFR_RNDN);
    mpfr_set_sj(y.get(), s64(a), MPFR_RNDN);
    f32 (*u[4])(u64) = {ww_cvt_rn_f32_u64, ww_cvt_rz_f32_u64, ww_cvt_rm_f32_u64, ww_cvt_rp_f32_u64};
    f64 (*s[4])(s64) = {ww_cvt_rn_f64_s64, ww_cvt_rz_f64_s64, ww_cvt_rm_f64_s64, ww_cvt_rp_f64_s64};
    u16 (*h[4])(s64) = {ww_cvt_rn_f16_s64, ww_cvt_rz_f16_s64, ww_cvt_rm_f16_s64, ww_cvt_rp_f16_s64};
    for (int m = 0; m < 4; ++m) {
      ASSERT_EQ(double(u[m](a)),
                judge(test::kJudgeF32, test::kModes[m], [&](auto r, auto k) { return mpfr_set(r, x.get(), k); }))
          << a;
      ASSERT_EQ(s[m](s64(a)),
                judge(test::kJudgeF64, test::kModes[m], [&](auto r, auto k) { return mpfr_set(r, y.get(), k); }))
          << a;
      ASSERT_EQ(code_value(h[m](s64(a)), 5, 10),
                judge(test::kJudgeF16, test::kModes[m], [&](auto r, auto k) { return mpfr_set(r, y.get(), k); }))
          << a;
    }
  }
}

}  // namespace
}  // namespace ww::devicelib
