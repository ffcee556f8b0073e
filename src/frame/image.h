// The picture container of everything on the host: interleaved 32-bit floats, row-major, y down, origin at the upper
// left. Element (x, y, c) is data[(y * width + x) * channels + c]. It assumes nothing about the meaning of a channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ww {

// No side of a picture is longer than this; readers refuse larger ones before they allocate anything.
inline constexpr int kMaxImageSide = 16384;
// ... and no picture has more pixels than this (16384 x 8192).
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 27;

struct Size {
  int width = 0;
  int height = 0;

  int64_t pixels() const { return int64_t{width} * height; }
  bool operator==(const Size&) const = default;
};

struct Image {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<float> data;

  Image() = default;
  // `fill` in every element. width, height and channels are positive and inside the limits above.
  Image(int w, int h, int c, float fill = 0.0f)
      : width(w), height(h), channels(c), data(static_cast<size_t>(w) * h * c, fill) {}

  bool empty() const { return data.empty(); }
  Size size() const { return {width, height}; }

  float* pixel(int x, int y) { return data.data() + (static_cast<size_t>(y) * width + x) * channels; }
  const float* pixel(int x, int y) const { return data.data() + (static_cast<size_t>(y) * width + x) * channels; }
  float& at(int x, int y, int c) { return pixel(x, y)[c]; }
  float at(int x, int y, int c) const { return pixel(x, y)[c]; }
};

// What the numbers of a depth plane mean (docs/sequence.md).
enum class DepthKind : uint8_t {
  kInverted,    // device depth, 1 at `near`, 0 at `far`
  kRegular,     // device depth, 0 at `near`, 1 at `far`
  kLinearView,  // metres along the view axis
};

// How to turn a depth value into metres. near and far are unused for kLinearView.
struct DepthConvention {
  DepthKind kind = DepthKind::kInverted;
  float near = 0.1f;    // metres
  float far = 1000.0f;  // metres; may be infinity
};

}  // namespace ww
