// Bilinear upscaling of the current frame, with the jitter taken into account. The baseline of every comparison.
#include "sampling.h"

using namespace ww;

WW_KERNEL __launch_bounds__(WW_CLASSICAL_BLOCK_X* WW_CLASSICAL_BLOCK_Y) void bilinear(const ClassicalFrame frame) {
  const OutputPixel pixel = output_pixel(frame);
  if (!pixel.inside) return;
  const float2 p = sample_position(frame, pixel.x, pixel.y);
  write(frame, pixel.x, pixel.y, rgb_of(tex2d(frame.color_linear, p.x, p.y)), 1.0f);
}
