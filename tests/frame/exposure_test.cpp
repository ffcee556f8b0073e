#include "frame/exposure.h"

#include <gtest/gtest.h>

namespace ww::frame {
namespace {

TEST(Exposure, LogAverageToMiddleGrey) {
  Image image(3, 1, 3);
  image.data = {1.0f, 2.0f, 4.0f, 0.25f, 0.5f, 0.125f, 0.0f, 0.0f, -1.0f};
  EXPECT_NEAR(measure_exposure(image), 4.902233045684927, 1e-4);  // data/make.py
}

TEST(Exposure, IsLimited) {
  EXPECT_EQ(measure_exposure(Image(2, 2, 3, 1e9f)), 1.0f / 65536.0f);
  EXPECT_NEAR(measure_exposure(Image(2, 2, 3, 0.0f)), 0.18f * 16384.0f, 0.1f);
}

TEST(Exposure, SmoothsAndResets) {
  // Grey of 0.18 - 2^-14 measures 1; four times that light a quarter, two stops down.
  const float floor = 1.0f / 16384.0f;
  const Image bright(2, 2, 3, 0.72f - floor), grey(2, 2, 3, 0.18f - floor);
  ExposureMeter meter;
  EXPECT_NEAR(meter.next(grey, false), 1.0f, 1e-4f);
  EXPECT_NEAR(meter.next(bright, false), 0.70710678f, 1e-4f);  // half a stop of two
  EXPECT_NEAR(meter.next(bright, true), 0.25f, 1e-4f);
}

}  // namespace
}  // namespace ww::frame
