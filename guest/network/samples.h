// What ingest and reconstruct share: the nine samples of the current frame around a token, in the working domain, and
// how far the token's four pixels lie from them. docs/network.md, "Working domain" and "Samples".
#pragma once
#include "frame.h"
#include "ww_guest.h"

namespace ww::network {

struct Rgb {
  float r, g, b;
};
WW_DEVICE Rgb operator+(Rgb a, Rgb b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}
WW_DEVICE Rgb operator-(Rgb a, Rgb b) {
  return {a.r - b.r, a.g - b.g, a.b - b.b};
}
WW_DEVICE Rgb operator*(Rgb a, float s) {
  return {a.r * s, a.g * s, a.b * s};
}
// sum + a * s, channel by channel with one rounding.
WW_DEVICE Rgb add_scaled(Rgb sum, Rgb a, float s) {
  return {fma(a.r, s, sum.r), fma(a.g, s, sum.g), fma(a.b, s, sum.b)};
}
WW_DEVICE Rgb least(Rgb a, Rgb b) {
  return {min(a.r, b.r), min(a.g, b.g), min(a.b, b.b)};
}
WW_DEVICE Rgb largest(Rgb a, Rgb b) {
  return {max(a.r, b.r), max(a.g, b.g), max(a.b, b.b)};
}
WW_DEVICE float peak(Rgb c) {
  return max(c.r, max(c.g, c.b));
}

constexpr float kLargestWorking = 0.9995f;
constexpr float kSmooth = 3.6f;  // exponent (base 2) per squared render pixel, without history
constexpr float kSharp = 2.9f;   // exponent (base 2) per squared output pixel, with history

WW_DEVICE Rgb working_of_linear(float4 c, float exposure) {
  const Rgb e{clamp(c.x * exposure, 0.0f, 65504.0f), clamp(c.y * exposure, 0.0f, 65504.0f),
              clamp(c.z * exposure, 0.0f, 65504.0f)};
  return e * (1.0f / (1.0f + peak(e)));
}

// The token's place among the samples: the nearest one to its centre, and the centre's offset from it.
struct Patch {
  s32 ix, iy;
  float ox, oy;
  Rgb t[9];  // row by row
  Rgb low, high;
};

WW_DEVICE Patch load_patch(const NetworkFrame& f, s32 tx, s32 ty) {
  Patch p;
  const float qx = float(2 * tx + 1) * f.step_x - 0.5f - f.jitter_x;
  const float qy = float(2 * ty + 1) * f.step_y - 0.5f - f.jitter_y;
  const float cx = floor(qx + 0.5f), cy = floor(qy + 0.5f);
  p.ox = qx - cx;
  p.oy = qy - cy;
  p.ix = s32(cx);
  p.iy = s32(cy);
#pragma unroll
  for (s32 k = 0; k < 9; ++k) {
    const s32 x = clamp(p.ix + k % 3 - 1, 0, f.render_width - 1), y = clamp(p.iy + k / 3 - 1, 0, f.render_height - 1);
    p.t[k] = working_of_linear(tex2d_texel(f.color, x, y), f.exposure);
    p.low = k == 0 ? p.t[0] : least(p.low, p.t[k]);
    p.high = k == 0 ? p.t[0] : largest(p.high, p.t[k]);
  }
  return p;
}

// Offset of pixel i (2 * y + x) of the token from the nearest sample, in render pixels.
WW_DEVICE float2 pixel_offset(const NetworkFrame& f, const Patch& p, s32 i) {
  return {fma(float(i & 1) - 0.5f, f.step_x, p.ox), fma(float(i >> 1) - 0.5f, f.step_y, p.oy)};
}

}  // namespace ww::network
