// Surfaces: a picture read and written by integer place, with reads outside giving zeros and writes outside dropped.
#include "ww_guest.h"

// A box blur of 3x3 from one f32x4 surface to another; the grid is larger than the picture on purpose.
WW_KERNEL void surface_blur(ww::Surface in, ww::Surface out, u32* outside) {
  const s32 x = s32(blockIdx.x * blockDim.x + threadIdx.x) - 1;
  const s32 y = s32(blockIdx.y * blockDim.y + threadIdx.y) - 1;
  float4 sum = {};
  for (s32 dy = -1; dy <= 1; ++dy) {
    for (s32 dx = -1; dx <= 1; ++dx) {
      const float4 c = ww::surf2d_read_float4(in, x + dx, y + dy);
      sum.x += c.x;
      sum.y += c.y;
      sum.z += c.z;
      sum.w += c.w;
    }
  }
  if (sum.w == 0.0f) atomicAdd(outside, 1u);
  ww::surf2d_write_float4(out, x, y, {sum.x / 9.0f, sum.y / 9.0f, sum.z / 9.0f, sum.w / 9.0f});
}

// Inverts a picture of halves in place.
WW_KERNEL void surface_invert(ww::Surface picture, u32 width, u32 height) {
  const u32 x = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uint2 c = ww::surf2d_read_half4(picture, s32(x), s32(y));
  const ww::half2 one = ww::make_half2(1.0f, 1.0f);
  const ww::half2 rg = one - ww::bits<ww::half2>(c.x);
  const ww::half2 ba = one - ww::bits<ww::half2>(c.y);
  ww::surf2d_write_half4(picture, s32(x), s32(y), {ww::bits<u32>(rg), ww::bits<u32>(ba)});
}
