// Where an output pixel lies among the samples of the current frame.
#pragma once
#include "color.h"
#include "frame.h"

namespace ww {

// The pixel of this thread; `inside` is false beyond the picture's edge.
struct OutputPixel {
  s32 x, y;
  bool inside;
};
WW_DEVICE OutputPixel output_pixel(const ClassicalFrame& frame) {
  const s32 x = s32(blockIdx.x * WW_CLASSICAL_BLOCK_X + threadIdx.x);
  const s32 y = s32(blockIdx.y * WW_CLASSICAL_BLOCK_Y + threadIdx.y);
  return {x, y, x < frame.output_width && y < frame.output_height};
}

// The texel at the nearest place inside. Fetches by integer coordinates read zeros outside, whatever the sampler says.
WW_DEVICE float4 edge_texel(Texture texture, s32 x, s32 y, s32 width, s32 height) {
  return tex2d_texel(texture, clamp(x, 0, width - 1), clamp(y, 0, height - 1));
}
WW_DEVICE float4 render_texel(const ClassicalFrame& frame, Texture texture, s32 x, s32 y) {
  return edge_texel(texture, x, y, frame.render_width, frame.render_height);
}

// Centre of an output pixel on the grid of samples: sample (i, j) lies at (i + 0.5, j + 0.5) of this space.
WW_DEVICE float2 sample_position(const ClassicalFrame& frame, s32 x, s32 y) {
  return {(float(x) + 0.5f) / frame.scale_x - frame.jitter_x, (float(y) + 0.5f) / frame.scale_y - frame.jitter_y};
}

WW_DEVICE void write(const ClassicalFrame& frame, s32 x, s32 y, Rgb linear, float samples) {
  surf2d_write_float4(frame.target, x, y, {linear.r, linear.g, linear.b, samples});
}

}  // namespace ww
