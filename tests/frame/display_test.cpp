// Expected values: data/make.py.
#include "frame/display.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ww::frame {
namespace {

TEST(Display, HdrTransform) {
  struct Case {
    float in[3];
    float exposure;
    double out[3];
  };
  const Case cases[] = {
      {{0.5f, 0.25f, 0.125f}, 1.0f, {0.61250102485184, 0.4450607546789747, 0.319622283801901}},
      {{8.0f, 1.0f, 0.0f}, 0.5f, {0.9063317533440594, 0.3491902126282938, 0.0}},
      {{0.001f, 0.0f, 0.0f}, 1.0f, {0.01290709290709291, 0.0, 0.0}},
  };
  for (const Case& c : cases) {
    Image image(1, 1, 3);
    std::copy(c.in, c.in + 3, image.data.begin());
    const Image shown = to_display(image, {true, c.exposure});
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(shown.data[i], c.out[i], 1e-6);
  }
}

TEST(Display, LowRangeIsTheCurveAlone) {
  Image image(1, 1, 3);
  image.data = {0.5f, 2.0f, -1.0f};
  const Image shown = to_display(image, {false, 4.0f});
  EXPECT_NEAR(shown.data[0], 0.7353569830524495, 1e-6);
  EXPECT_NEAR(shown.data[1], 1.0, 1e-6);
  EXPECT_EQ(shown.data[2], 0.0f);
}

TEST(Display, NotFiniteStaysVisible) {
  Image image(1, 1, 3);
  image.data = {0.5f, std::numeric_limits<float>::infinity(), 0.0f};
  EXPECT_TRUE(std::isnan(to_display(image, {}).data[0]));
}

TEST(Display, CurveAndItsInverse) {
  for (int i = 0; i <= 1000; ++i) {
    const float v = static_cast<float>(i) / 1000.0f;
    EXPECT_NEAR(srgb_decode(srgb_encode(v)), v, 2e-6);
  }
}

TEST(Display, Luma) {
  Image image(1, 1, 3);
  image.data = {1.0f, 0.5f, 0.25f};
  EXPECT_NEAR(luma(image).data[0], 0.2126 + 0.3576 + 0.01805, 1e-6);
}

}  // namespace
}  // namespace ww::frame
