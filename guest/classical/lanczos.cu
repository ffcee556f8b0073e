// Lanczos-2 upscaling of the current frame (16 samples), with the jitter taken into account. Works on compressed colour
// and keeps the result between the four nearest samples, so that bright edges do not ring.
#include "sampling.h"

using namespace ww;

namespace {

// sinc(x) sinc(x / 2) on [-2, 2].
WW_DEVICE float lanczos2(float x) {
  const float a = abs(x);
  if (a < 1.0e-4f) return 1.0f;
  if (a >= 2.0f) return 0.0f;
  const float t = kPi * a;
  return 2.0f * sin(t) * sin(0.5f * t) / (t * t);
}

}  // namespace

WW_KERNEL __launch_bounds__(WW_CLASSICAL_BLOCK_X* WW_CLASSICAL_BLOCK_Y) void lanczos(const ClassicalFrame frame) {
  const OutputPixel pixel = output_pixel(frame);
  if (!pixel.inside) return;
  const float2 p = sample_position(frame, pixel.x, pixel.y);
  const float left = floor(p.x - 0.5f), top = floor(p.y - 0.5f);
  const float fx = p.x - 0.5f - left, fy = p.y - 0.5f - top;

  float wx[4], wy[4];
#pragma unroll
  for (s32 i = 0; i < 4; ++i) {
    wx[i] = lanczos2(fx - float(i - 1));
    wy[i] = lanczos2(fy - float(i - 1));
  }
  Rgb sum{0.0f, 0.0f, 0.0f}, least{2.0f, 2.0f, 2.0f}, most{-1.0f, -1.0f, -1.0f};
  float weights = 0.0f;
#pragma unroll
  for (s32 j = 0; j < 4; ++j) {
#pragma unroll
    for (s32 i = 0; i < 4; ++i) {
      const Rgb c =
          compress(rgb_of(render_texel(frame, frame.color, s32(left) + i - 1, s32(top) + j - 1)), frame.exposure);
      const float w = wx[i] * wy[j];
      sum = add_scaled(sum, c, w);
      weights += w;
      if ((i == 1 || i == 2) && (j == 1 || j == 2)) {
        least = min(least, c);
        most = max(most, c);
      }
    }
  }
  const Rgb c = min(max(sum * (1.0f / weights), least), most);
  write(frame, pixel.x, pixel.y, expand(c, frame.exposure), 1.0f);
}
