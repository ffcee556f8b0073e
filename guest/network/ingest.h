// Ingest: one thread gathers the 80 features of a token, and the history of its four pixels through motion.
// docs/network.md, "Ingest", has the table of features.
#pragma once
#include "fragments.h"
#include "samples.h"

namespace ww::network {

// A square root like the display's, with a bounded slope at 0.
WW_DEVICE float encode(float t) {
  return sqrt(t + 0.00390625f) - 0.0625f;
}

// Metres along the view axis, limited to 1e-4 .. 1e6.
WW_DEVICE float view_depth(const NetworkFrame& f, float depth) {
  const float d = f.depth_kind == 0 ? depth : 1.0f - depth;  // 1 at near, 0 at far
  const float z = f.depth_kind == 2 ? depth : 1.0f / fma(d, f.inverse_near, (1.0f - d) * f.inverse_far);
  return clamp(z, 1e-4f, 1e6f);
}

// Weights of the four taps around a place t past the second: the cubic of Keys (1981) with A = -0.75.
WW_DEVICE void cubic_weights(float t, float (&w)[4]) {
  constexpr float kA = -0.75f;
  const float a = t + 1.0f, b = 1.0f - t, c = 2.0f - t;
  w[0] = ((kA * a - 5.0f * kA) * a + 8.0f * kA) * a - 4.0f * kA;
  w[1] = ((kA + 2.0f) * t - (kA + 3.0f)) * t * t + 1.0f;
  w[2] = ((kA + 2.0f) * b - (kA + 3.0f)) * b * b + 1.0f;
  w[3] = ((kA * c - 5.0f * kA) * c + 8.0f * kA) * c - 4.0f * kA;
}

struct Texel {
  Rgb c;
  float n;
};
WW_DEVICE Texel add_scaled(Texel sum, Texel a, float s) {
  return {add_scaled(sum.c, a.c, s), fma(a.n, s, sum.n)};
}

// History at the four pixels whose first lies at texel place (x, y): they share their fractions, so 5x5 texels do.
WW_DEVICE void fetch_history(const NetworkFrame& f, float x, float y, Texel (&out)[4]) {
  const float fx = floor(x), fy = floor(y);
  float wx[4], wy[4];
  cubic_weights(x - fx, wx);
  cubic_weights(y - fy, wy);
  const s32 x0 = s32(fx) - 1, y0 = s32(fy) - 1;
#pragma unroll
  for (int i = 0; i < 4; ++i) out[i] = Texel{{0.0f, 0.0f, 0.0f}, 0.0f};
#pragma unroll
  for (int row = 0; row < 5; ++row) {
    const s32 ty = clamp(y0 + row, 0, f.output_height - 1);
    Texel left{{0.0f, 0.0f, 0.0f}, 0.0f}, right = left;
#pragma unroll
    for (int column = 0; column < 5; ++column) {
      const float4 c = tex2d_texel(f.history, clamp(x0 + column, 0, f.output_width - 1), ty);
      const Texel texel{{c.x, c.y, c.z}, c.w};
      if (column < 4) left = add_scaled(left, texel, wx[column]);
      if (column > 0) right = add_scaled(right, texel, wx[column - 1]);
    }
    if (row < 4) {
      out[0] = add_scaled(out[0], left, wy[row]);
      out[1] = add_scaled(out[1], right, wy[row]);
    }
    if (row > 0) {
      out[2] = add_scaled(out[2], left, wy[row - 1]);
      out[3] = add_scaled(out[3], right, wy[row - 1]);
    }
  }
}

// Latents of the frame before at token place (x, y), bilinear, edges repeated.
WW_DEVICE void fetch_latents(const NetworkFrame& f, float x, float y, float (&out)[WW_NETWORK_LATENTS]) {
  x = clamp(x, 0.0f, float(f.token_width - 1));
  y = clamp(y, 0.0f, float(f.token_height - 1));
  const float fx = floor(x), fy = floor(y);
  const float ax = x - fx, ay = y - fy;
  const s32 x0 = s32(fx), y0 = s32(fy), x1 = min(x0 + 1, f.token_width - 1), y1 = min(y0 + 1, f.token_height - 1);
#pragma unroll
  for (int i = 0; i < WW_NETWORK_LATENTS; ++i) out[i] = 0.0f;
#pragma unroll
  for (int corner = 0; corner < 4; ++corner) {
    const s32 cx = corner & 1 ? x1 : x0, cy = corner >> 1 ? y1 : y0;
    const float w = (corner & 1 ? ax : 1.0f - ax) * (corner >> 1 ? ay : 1.0f - ay);
    const uint4 v = pointer<const uint4>(f.latents)[cy * f.token_width + cx];
    const u32 pairs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 p = to_float2(pairs[i]);
      out[2 * i] = fma(p.x, w, out[2 * i]);
      out[2 * i + 1] = fma(p.y, w, out[2 * i + 1]);
    }
  }
}

WW_DEVICE bool within(float x, float low, float high) {
  return x >= low && x <= high;
}

WW_DEVICE void ingest(const NetworkFrame& f) {
  const s32 tx = s32(blockIdx.x * WW_NETWORK_BLOCK_X + threadIdx.x);
  const s32 ty = s32(blockIdx.y * WW_NETWORK_BLOCK_Y + threadIdx.y);
  if (tx >= f.token_width || ty >= f.token_height) return;
  const s32 token = ty * f.token_width + tx;
  const Patch p = load_patch(f, tx, ty);
  float features[WW_NETWORK_FEATURES];
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    features[3 * k] = encode(p.t[k].r);
    features[3 * k + 1] = encode(p.t[k].g);
    features[3 * k + 2] = encode(p.t[k].b);
  }

  // The nearest surface among the nine, and how it moved; broken motion counts as none.
  float near = kInfinity, centre = 0.0f;
  s32 near_x = 0, near_y = 0;
#pragma unroll
  for (s32 k = 0; k < 9; ++k) {
    const s32 x = clamp(p.ix + k % 3 - 1, 0, f.render_width - 1), y = clamp(p.iy + k / 3 - 1, 0, f.render_height - 1);
    const float z = view_depth(f, tex2d_texel(f.depth, x, y).x);
    if (k == 4) centre = z;
    if (z < near) {
      near = z;
      near_x = x;
      near_y = y;
    }
  }
  const float4 motion = tex2d_texel(f.motion, near_x, near_y);
  const float mx = abs(motion.x) < 16384.0f ? motion.x / f.step_x : 0.0f;
  const float my = abs(motion.y) < 16384.0f ? motion.y / f.step_y : 0.0f;

  // The current frame alone, resampled at the four pixels.
  Rgb current[4];
#pragma unroll
  for (s32 i = 0; i < 4; ++i) {
    const float2 e = pixel_offset(f, p, i);
    Rgb sum{0.0f, 0.0f, 0.0f};
    float total = 0.0f;
#pragma unroll
    for (s32 k = 0; k < 9; ++k) {
      const float dx = float(k % 3 - 1) - e.x, dy = float(k / 3 - 1) - e.y;
      const float w = small_exp2(-kSmooth * (dx * dx + dy * dy));
      sum = add_scaled(sum, p.t[k], w);
      total += w;
    }
    current[i] = sum * (1.0f / total);
  }

  // History, latents and depth of the frame before, where the surface was.
  Texel history[4];
  float latents[WW_NETWORK_LATENTS] = {};
  float fraction_x = 0.0f, fraction_y = 0.0f, closer = 0.0f;
#pragma unroll
  for (int i = 0; i < 4; ++i) history[i] = {current[i], 0.0f};
  if (f.has_history) {
    const float x = float(2 * tx) + mx, y = float(2 * ty) + my;
    fraction_x = x - floor(x);
    fraction_y = y - floor(y);
    Texel fetched[4];
    fetch_history(f, clamp(x, -8.0f, float(f.output_width + 8)), clamp(y, -8.0f, float(f.output_height + 8)), fetched);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool inside = within(x + float(i & 1), -0.5f, float(f.output_width) - 0.5f) &&
                          within(y + float(i >> 1), -0.5f, float(f.output_height) - 0.5f);
      const float n = inside ? clamp(fetched[i].n, 0.0f, 32.0f) : 0.0f;
      if (n > 0.0f) {
        const Rgb old{clamp(fetched[i].c.r, 0.0f, kLargestWorking), clamp(fetched[i].c.g, 0.0f, kLargestWorking),
                      clamp(fetched[i].c.b, 0.0f, kLargestWorking)};
        const float top = peak(old);
        history[i].c = old * (f.exposure_ratio / fma(top, f.exposure_ratio, 1.0f - top));
        history[i].n = n;
      }
    }
    const float lx = fma(mx, 0.5f, float(tx)), ly = fma(my, 0.5f, float(ty));
    if (within(lx, -0.5f, float(f.token_width) - 0.5f) && within(ly, -0.5f, float(f.token_height) - 0.5f)) {
      fetch_latents(f, lx, ly, latents);
      const s32 nx = clamp(s32(floor(lx + 0.5f)), 0, f.token_width - 1);
      const s32 ny = clamp(s32(floor(ly + 0.5f)), 0, f.token_height - 1);
      const float before = pointer<const float>(f.token_depth)[ny * f.token_width + nx];
      closer = (before - near) / (before + near);
    }
  }

  float* rest = features + 27;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Rgb h = history[i].c;
    const Rgb eh{encode(h.r), encode(h.g), encode(h.b)};
    const Rgb box = largest(least(h, p.high), p.low);
    rest[3 * i] = encode(current[i].r);
    rest[3 * i + 1] = encode(current[i].g);
    rest[3 * i + 2] = encode(current[i].b);
    rest[12 + 3 * i] = eh.r;
    rest[12 + 3 * i + 1] = eh.g;
    rest[12 + 3 * i + 2] = eh.b;
    rest[24 + i] = history[i].n / (history[i].n + 1.0f);
    rest[28 + i] = max(abs(eh.r - encode(box.r)), max(abs(eh.g - encode(box.g)), abs(eh.b - encode(box.b))));
  }
  const float tail[13] = {p.ox,
                          p.oy,
                          p.ox * p.ox,
                          p.oy * p.oy,
                          p.ox * p.oy,
                          closer,
                          (centre - near) / (centre + near),
                          mx / (4.0f + abs(mx)),
                          my / (4.0f + abs(my)),
                          fraction_x * (1.0f - fraction_x),
                          fraction_y * (1.0f - fraction_y),
                          f.step_x - 0.5f,
                          1.0f};
#pragma unroll
  for (int i = 0; i < 13; ++i) features[59 + i] = tail[i];
#pragma unroll
  for (int i = 0; i < WW_NETWORK_LATENTS; ++i) features[72 + i] = latents[i];

  uint4* row = pointer<uint4>(f.features) + token * (WW_NETWORK_FEATURES / 8);
#pragma unroll
  for (int i = 0; i < WW_NETWORK_FEATURES / 8; ++i) {
    const float* v = features + 8 * i;
    row[i] = {half_pair(v[0], v[1]), half_pair(v[2], v[3]), half_pair(v[4], v[5]), half_pair(v[6], v[7])};
  }
  uint4* warped = pointer<uint4>(f.warped) + token * 2;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const Texel a = history[2 * i], b = history[2 * i + 1];
    warped[i] = {half_pair(a.c.r, a.c.g), half_pair(a.c.b, a.n), half_pair(b.c.r, b.c.g), half_pair(b.c.b, b.n)};
  }
  pointer<float>(f.next_token_depth)[token] = near;
}

}  // namespace ww::network
