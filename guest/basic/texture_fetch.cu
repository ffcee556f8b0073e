// Texture fetches: points, bilinear, and bicubic (Catmull-Rom) from sixteen points and from nine bilinear fetches.
#include "ww_guest.h"

// coordinates: two floats a fetch. out: four channels.
WW_KERNEL void texture_fetch(ww::Texture texture, const float2* coordinates, float4* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = ww::tex2d(texture, coordinates[i].x, coordinates[i].y);
}

WW_KERNEL void texture_texels(ww::Texture texture, float4* out, s32 width, s32 height) {
  const s32 x = s32(blockIdx.x * blockDim.x + threadIdx.x);
  const s32 y = s32(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height) out[y * width + x] = ww::tex2d_texel(texture, x - 2, y - 2);
}

namespace {

WW_DEVICE void catmull_rom(float t, float (&w)[4]) {
  w[0] = t * (-0.5f + t * (1.0f - 0.5f * t));
  w[1] = 1.0f + t * t * (-2.5f + 1.5f * t);
  w[2] = t * (0.5f + t * (2.0f - 1.5f * t));
  w[3] = t * t * (-0.5f + 0.5f * t);
}
WW_DEVICE void add_scaled(float4& sum, float4 c, float w) {
  sum.x = ww::fma(c.x, w, sum.x);
  sum.y = ww::fma(c.y, w, sum.y);
  sum.z = ww::fma(c.z, w, sum.z);
  sum.w = ww::fma(c.w, w, sum.w);
}

}  // namespace

// Enlarges a picture: a point-sampled texture in texel coordinates, 16 fetches a pixel.
WW_KERNEL void bicubic_points(ww::Texture texture, float4* out, u32 width, u32 height, float step_x, float step_y) {
  const u32 x = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (float(x) + 0.5f) * step_x - 0.5f;
  const float v = (float(y) + 0.5f) * step_y - 0.5f;
  const float u0 = ww::floor(u);
  const float v0 = ww::floor(v);
  float wx[4], wy[4];
  catmull_rom(u - u0, wx);
  catmull_rom(v - v0, wy);
  float4 sum = {};
  for (u32 j = 0; j < 4; ++j)
    for (u32 i = 0; i < 4; ++i)
      add_scaled(sum, ww::tex2d(texture, u0 + float(i) - 0.5f, v0 + float(j) - 0.5f), wx[i] * wy[j]);
  out[y * width + x] = sum;
}

// The same from nine bilinear fetches of a linearly filtered texture: the two middle taps of each axis are one fetch.
WW_KERNEL void bicubic_linear(ww::Texture texture, float4* out, u32 width, u32 height, float step_x, float step_y) {
  const u32 x = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (float(x) + 0.5f) * step_x - 0.5f;
  const float v = (float(y) + 0.5f) * step_y - 0.5f;
  const float u0 = ww::floor(u);
  const float v0 = ww::floor(v);
  float wx[4], wy[4];
  catmull_rom(u - u0, wx);
  catmull_rom(v - v0, wy);
  const float px[3] = {u0 - 0.5f, u0 + 0.5f + wx[2] / (wx[1] + wx[2]), u0 + 2.5f};
  const float py[3] = {v0 - 0.5f, v0 + 0.5f + wy[2] / (wy[1] + wy[2]), v0 + 2.5f};
  const float sx[3] = {wx[0], wx[1] + wx[2], wx[3]};
  const float sy[3] = {wy[0], wy[1] + wy[2], wy[3]};
  float4 sum = {};
  for (u32 j = 0; j < 3; ++j)
    for (u32 i = 0; i < 3; ++i) add_scaled(sum, ww::tex2d(texture, px[i], py[j]), sx[i] * sy[j]);
  out[y * width + x] = sum;
}
