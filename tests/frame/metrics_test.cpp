// Expected values: data/make.py, in float64 written out directly.
#include "frame/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ww::frame {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Image pattern(int a, int b) {
  Image image(24, 20, 1);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 24; ++x) image.at(x, y, 0) = static_cast<float>((x * a + y * b) % 32) / 32.0f;
  return image;
}

TEST(Metrics, Psnr) {
  const Image a = pattern(7, 13);
  EXPECT_NEAR(psnr(a, pattern(7, 12)), 7.488784704306893, 1e-9);
  Image shifted = a;
  for (float& value : shifted.data) value += 0.125f;
  EXPECT_NEAR(psnr(a, shifted), 18.06179973983887, 1e-9);
  EXPECT_EQ(psnr(a, a), std::numeric_limits<double>::infinity());
  shifted.data[5] = kNan;
  EXPECT_TRUE(std::isnan(psnr(a, shifted)));
}

TEST(Metrics, Ssim) {
  const Image a = pattern(7, 13);
  EXPECT_NEAR(ssim(a, pattern(7, 12)), -0.17442945508866042, 1e-9);
  Image scaled = a;
  for (float& value : scaled.data) value = value * 0.5f + 0.25f;
  EXPECT_NEAR(ssim(a, scaled), 0.8012168721274878, 1e-9);
  EXPECT_NEAR(ssim(a, a), 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(ssim(Image(10, 20, 1), Image(10, 20, 1))));
}

TEST(Metrics, LargestDifference) {
  Image a(2, 1, 1), b(2, 1, 1);
  a.data = {1.0f, -2.0f};
  b.data = {1.25f, -2.125f};
  EXPECT_EQ(largest_difference(a, b), 0.25);
  a.data[0] = b.data[0] = kInfinity;
  EXPECT_EQ(largest_difference(a, b), 0.125);
  a.data[0] = kNan;
  EXPECT_EQ(largest_difference(a, b), std::numeric_limits<double>::infinity());
}

TEST(Metrics, HalfUlps) {
  // Units: 2^-10 at 1, 2^-9 at 2, 2^-20 at and below 2^-10.
  const float a[] = {1.0f, 1.0f, 2.0f, 0.0f, 0x1p-24f, kNan, 1.0f, 1.0f, 64.0f};
  const float b[] = {1.0f, 1.0f + 0x1p-10f,  2.0f - 0x1p-10f, -0.0f, -0x1p-24f, kNan,
                     kNan, 1.0f + 0x1.8p-8f, 64.0f + 0x1p-2f};
  const UlpReport report = compare_ulps(a, b, SampleType::kHalf);
  EXPECT_EQ(report.count, 9u);
  EXPECT_EQ(report.identical, 3u);
  EXPECT_EQ(report.within_1, 6u);  // one ulp, half an ulp, and the tiny ones of other sign
  EXPECT_EQ(report.within_4, 7u);  // 64: four units of 2^-4
  EXPECT_EQ(report.finite, 7u);
  EXPECT_EQ(report.largest, std::numeric_limits<double>::infinity());
  EXPECT_EQ(compare_ulps(std::span(a).subspan(7, 1), std::span(b).subspan(7, 1), SampleType::kHalf).largest, 6.0);
}

TEST(Metrics, FloatUlps) {
  const float a[] = {1.0f, 3.0f}, b[] = {std::nextafter(1.0f, 2.0f), std::nextafter(3.0f, 2.0f)};
  const UlpReport report = compare_ulps(a, b, SampleType::kFloat);
  EXPECT_EQ(report.largest, 1.0);
  EXPECT_EQ(report.within_1, 2u);
  EXPECT_EQ(report.identical, 0u);
}

}  // namespace
}  // namespace ww::frame
