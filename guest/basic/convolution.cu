// A 3x3 convolution with bias and leaky ReLU: planes of floats, weights in constant memory, a halo tile in shared
// memory.
#include "ww_guest.h"

constexpr u32 kInputs = 3;
constexpr u32 kOutputs = 4;
constexpr u32 kTile = 8;

extern "C" {
__constant__ float conv_weights[kOutputs][kInputs][3][3];
__constant__ float conv_bias[kOutputs] = {0.125f, -0.25f, 0.0f, 1.5f};
}

// Block 8x8 threads; zeros outside the picture.
WW_KERNEL void convolution3x3(const float* in, float* out, u32 width, u32 height) {
  __shared__ float tile[kInputs][kTile + 2][kTile + 2];
  const s32 x0 = s32(blockIdx.x * kTile) - 1;
  const s32 y0 = s32(blockIdx.y * kTile) - 1;
  for (u32 i = threadIdx.y * kTile + threadIdx.x; i < kInputs * (kTile + 2) * (kTile + 2); i += kTile * kTile) {
    const u32 channel = i / ((kTile + 2) * (kTile + 2));
    const u32 inside = i % ((kTile + 2) * (kTile + 2));
    const s32 x = x0 + s32(inside % (kTile + 2));
    const s32 y = y0 + s32(inside / (kTile + 2));
    const bool exists = x >= 0 && y >= 0 && x < s32(width) && y < s32(height);
    tile[channel][inside / (kTile + 2)][inside % (kTile + 2)] =
        exists ? in[(channel * height + u32(y)) * width + u32(x)] : 0.0f;
  }
  __syncthreads();
  const u32 x = blockIdx.x * kTile + threadIdx.x;
  const u32 y = blockIdx.y * kTile + threadIdx.y;
  if (x >= width || y >= height) return;
  for (u32 o = 0; o < kOutputs; ++o) {
    float sum = conv_bias[o];
    for (u32 c = 0; c < kInputs; ++c)
      for (u32 dy = 0; dy < 3; ++dy)
        for (u32 dx = 0; dx < 3; ++dx)
          sum = ww::fma(conv_weights[o][c][dy][dx], tile[c][threadIdx.y + dy][threadIdx.x + dx], sum);
    out[(o * height + y) * width + x] = sum > 0.0f ? sum : 0.1f * sum;
  }
}
