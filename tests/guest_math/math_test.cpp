// The elementary functions of guest/include/ww_guest/math.h against the C library's double precision, within the errors
// that the header states.
#include "ww_guest/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

// The largest error over (low, high), in units of the last place of the exact value's float.
template <class F, class Exact>
double worst_ulps(float low, float high, F f, Exact exact) {
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const float x = low + (high - low) * (float(i) + 0.5f) / 200000.0f;
    const double expected = exact(double(x));
    const float magnitude = std::max(std::fabs(float(expected)), std::numeric_limits<float>::min());
    const double ulp = double(std::nextafter(magnitude, INFINITY)) - magnitude;
    worst = std::max(worst, std::fabs(double(f(x)) - expected) / ulp);
  }
  return worst;
}

TEST(GuestMath, Exponentials) {
  EXPECT_LE(worst_ulps(
                -87, 88, [](float x) { return ww::exp(x); }, [](double x) { return std::exp(x); }),
            2.0);
  EXPECT_LE(worst_ulps(
                -104, -87, [](float x) { return ww::exp(x); }, [](double x) { return std::exp(x); }),
            2.0);
  EXPECT_LE(worst_ulps(
                -126, 127.9f, [](float x) { return ww::exp2(x); }, [](double x) { return std::exp2(x); }),
            2.0);
  EXPECT_EQ(ww::exp(0.0f), 1.0f);
  EXPECT_EQ(ww::exp(1000.0f), INFINITY);
  EXPECT_EQ(ww::exp(-1000.0f), 0.0f);
  EXPECT_EQ(ww::exp(-INFINITY), 0.0f);
  EXPECT_EQ(ww::exp2(128.0f), INFINITY);
  EXPECT_EQ(ww::exp2(-3.0f), 0.125f);
  EXPECT_TRUE(std::isnan(ww::exp(NAN)) && std::isnan(ww::exp2(NAN)));
}

TEST(GuestMath, Logarithms) {
  EXPECT_LE(worst_ulps(
                1e-3f, 0.9f, [](float x) { return ww::log(x); }, [](double x) { return std::log(x); }),
            3.0);
  EXPECT_LE(worst_ulps(
                0.9f, 1.1f, [](float x) { return ww::log(x); }, [](double x) { return std::log(x); }),
            3.0);
  EXPECT_LE(worst_ulps(
                1.1f, 1e30f, [](float x) { return ww::log(x); }, [](double x) { return std::log(x); }),
            3.0);
  EXPECT_LE(worst_ulps(
                1e-42f, 1e-38f, [](float x) { return ww::log(x); }, [](double x) { return std::log(x); }),
            3.0);
  EXPECT_EQ(ww::log2(8.0f), 3.0f);
  EXPECT_EQ(ww::log(0.0f), -INFINITY);
  EXPECT_EQ(ww::log(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(ww::log(-1.0f)) && std::isnan(ww::log(NAN)));
}

TEST(GuestMath, Trigonometry) {
  for (int i = 0; i < 200000; ++i) {
    const float x = (float(i) - 100000.0f) * 0.0999f;
    ASSERT_NEAR(ww::sin(x), std::sin(double(x)), 2e-7) << x;
    ASSERT_NEAR(ww::cos(x), std::cos(double(x)), 2e-7) << x;
  }
  EXPECT_EQ(ww::sin(0.0f), 0.0f);
  EXPECT_EQ(ww::cos(0.0f), 1.0f);
}

TEST(GuestMath, Power) {
  for (float x : {0.01f, 0.5f, 1.0f, 1.7f, 42.0f, 9000.0f})
    for (float y : {-2.4f, -1.0f, 0.0f, 0.4167f, 1.0f, 2.2f, 3.0f}) {
      const double exact = std::pow(double(x), double(y));
      EXPECT_NEAR(ww::pow(x, y), exact, exact * 1e-7 * (3 + std::fabs(y * std::log2(x)))) << x << " " << y;
    }
  EXPECT_EQ(ww::pow(0.0f, 0.4f), 0.0f);
  EXPECT_EQ(ww::pow(0.0f, 0.0f), 1.0f);
}

TEST(GuestMath, HyperbolicTangent) {
  for (int i = -120000; i <= 120000; ++i) {
    const float x = float(i) * 1e-4f;
    const double exact = std::tanh(double(x));
    ASSERT_NEAR(ww::tanh(x), exact, std::fabs(exact) * 1e-6) << x;
  }
  EXPECT_EQ(ww::tanh(INFINITY), 1.0f);
  EXPECT_EQ(ww::tanh(-INFINITY), -1.0f);
  EXPECT_TRUE(std::isnan(ww::tanh(NAN)));
}

}  // namespace
