#include "frame/exposure.h"

#include <algorithm>
#include <cmath>

namespace ww::frame {

float measure_exposure(const Image& color) {
  constexpr double kMiddleGrey = 0.18, kFloor = 1.0 / 16384.0;
  double sum = 0.0;
  const size_t pixels = static_cast<size_t>(color.size().pixels());
  for (size_t i = 0; i < pixels; ++i) {
    const float* in = color.data.data() + 3 * i;
    const double luminance = 0.2126 * in[0] + 0.7152 * in[1] + 0.0722 * in[2];
    sum += std::log2((std::isfinite(luminance) && luminance > 0.0 ? luminance : 0.0) + kFloor);
  }
  const double mean = pixels > 0 ? sum / static_cast<double>(pixels) : 0.0;
  return static_cast<float>(std::clamp(kMiddleGrey / std::exp2(mean), std::exp2(-16.0), std::exp2(16.0)));
}

float ExposureMeter::next(const Image& color, bool reset) {
  const float measured = std::log2(measure_exposure(color));
  if (reset || !log2_factor_)
    log2_factor_ = measured;
  else
    *log2_factor_ += 0.25f * (measured - *log2_factor_);
  return std::exp2(*log2_factor_);
}

}  // namespace ww::frame
