#include "frame/display.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ww::frame {

float srgb_encode(float linear) {
  if (std::isnan(linear)) return linear;
  if (linear <= 0.0f) return 0.0f;
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1.0f / 2.4f) - 0.055f;
}

float srgb_decode(float coded) {
  if (std::isnan(coded)) return coded;
  if (coded <= 0.0f) return 0.0f;
  return coded <= 0.04045f ? coded / 12.92f : std::pow((coded + 0.055f) / 1.055f, 2.4f);
}

Image to_display(const Image& linear, const DisplayTransform& transform) {
  Image shown(linear.width, linear.height, 3);
  const size_t pixels = static_cast<size_t>(linear.size().pixels());
  for (size_t i = 0; i < pixels; ++i) {
    const float* in = linear.data.data() + 3 * i;
    float* out = shown.data.data() + 3 * i;
    if (!std::isfinite(in[0]) || !std::isfinite(in[1]) || !std::isfinite(in[2])) {
      std::fill(out, out + 3, std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    float scale = 1.0f;
    if (transform.hdr) {
      const float most = std::max({in[0], in[1], in[2], 0.0f}) * transform.exposure;
      scale = transform.exposure / (1.0f + most);
    }
    for (int c = 0; c < 3; ++c) out[c] = srgb_encode(std::min(in[c] * scale, 1.0f));
  }
  return shown;
}

Image linear_of_display_coded(const Image& coded) {
  Image linear = coded;
  for (float& value : linear.data) value = srgb_decode(value);
  return linear;
}

Image luma(const Image& rgb) {
  Image grey(rgb.width, rgb.height, 1);
  for (size_t i = 0; i < grey.data.size(); ++i) {
    const float* in = rgb.data.data() + 3 * i;
    grey.data[i] = 0.2126f * in[0] + 0.7152f * in[1] + 0.0722f * in[2];
  }
  return grey;
}

}  // namespace ww::frame
