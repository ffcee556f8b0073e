// One step of a temporal upscaler: a bicubic fetch of the past by motion, held inside the neighbourhood's range, blended with the
// present; colours travel as packed halves.
#include "device.h"

struct Colour {
  float r, g, b;
};
struct Frame {
  s32 width, height;
  float jitter_x, jitter_y, blend;
};

static __device__ Colour unpack(const u32* plane, s32 at) {
  Colour c;
  const u32 low = plane[2 * at], high = plane[2 * at + 1];
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }" : "=f"(c.r), "=f"(c.g) : "r"(low));
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(c.b) : "r"(high));
  return c;
}
static __device__ void pack(u32* plane, s32 at, const Colour& c) {
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(plane[2 * at]) : "f"(c.g), "f"(c.r));
  asm("cvt.rn.f16x2.f32 %0, 0f00000000, %1;" : "=r"(plane[2 * at + 1]) : "f"(c.b));
}
static __device__ s32 inside(s32 x, s32 n) { return x < 0 ? 0 : x >= n ? n - 1 : x; }

// Catmull and Rom's weights.
static __device__ void cubic(float t, float w[4]) {
  w[0] = t * (-0.5f + t * (1.0f - 0.5f * t));
  w[1] = 1.0f + t * t * (-2.5f + 1.5f * t);
  w[2] = t * (0.5f + t * (2.0f - 1.5f * t));
  w[3] = t * t * (-0.5f + 0.5f * t);
}

static __device__ __noinline__ Colour past(const u32* plane, const Frame& frame, float x, float y) {
  const float fx = static_cast<float>(static_cast<s32>(x + 64.0f) - 64), fy = static_cast<float>(static_cast<s32>(y + 64.0f) - 64);
  float wx[4], wy[4];
  cubic(x - fx, wx);
  cubic(y - fy, wy);
  Colour sum = {0, 0, 0};
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      const s32 sx = inside(static_cast<s32>(fx) + i - 1, frame.width), sy = inside(static_cast<s32>(fy) + j - 1, frame.height);
      const Colour c = unpack(plane, sy * frame.width + sx);
      const float w = wx[i] * wy[j];
      sum = {fused(w, c.r, sum.r), fused(w, c.g, sum.g), fused(w, c.b, sum.b)};
    }
  }
  return sum;
}

extern "C" __global__ void upscale(const u32* now, const u32* before, const float* motion, u32* out, Frame frame) {
  const s32 x = static_cast<s32>(block_x() * 16 + thread_x()), y = static_cast<s32>(block_y() * 4 + thread_y());
  if (x >= frame.width || y >= frame.height) return;
  const s32 at = y * frame.width + x;
  const Colour here = unpack(now, at);
  Colour low = here, high = here;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const Colour c = unpack(now, inside(y + dy, frame.height) * frame.width + inside(x + dx, frame.width));
      low = {smaller(low.r, c.r), smaller(low.g, c.g), smaller(low.b, c.b)};
      high = {larger(high.r, c.r), larger(high.g, c.g), larger(high.b, c.b)};
    }
  }
  Colour old = past(before, frame, static_cast<float>(x) + motion[2 * at] + frame.jitter_x,
                    static_cast<float>(y) + motion[2 * at + 1] + frame.jitter_y);
  old = {smaller(larger(old.r, low.r), high.r), smaller(larger(old.g, low.g), high.g), smaller(larger(old.b, low.b), high.b)};
  const float luma = 0.25f * here.r + 0.5f * here.g + 0.25f * here.b, blend = frame.blend / (1.0f + luma);
  pack(out, at, {fused(here.r - old.r, blend, old.r), fused(here.g - old.g, blend, old.g), fused(here.b - old.b, blend, old.b)});
}

extern "C" __global__ void fill(const u32* in, u32* plane, float* motion) {
  const s32 i = static_cast<s32>(global_x());
  pack(plane, i, {unit(in[i]), unit(in[i] << 3) * 2, unit(in[i] * 17u)});
  motion[2 * i] = unit(in[i] * 31u) * 6 - 3;
  motion[2 * i + 1] = unit(in[i] * 37u) * 4 - 2;
}
