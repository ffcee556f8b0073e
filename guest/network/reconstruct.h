// Reconstruct: one thread turns the head of a token into its four output pixels, the next frame's history and latents.
// docs/network.md, "Reconstruct".
#pragma once
#include "fragments.h"
#include "samples.h"

namespace ww::network {

WW_DEVICE float sigmoid2(float x) {
  return 1.0f / (1.0f + small_exp2(-x));
}

// One pixel from its 15 numbers: a weighted sum of the nine samples and the history, plus a bounded residual.
WW_DEVICE void reconstruct_pixel(const NetworkFrame& f, const Patch& p, s32 i, const float* head, Rgb history, float n,
                                 Rgb& out, float& weight) {
  const float2 e = pixel_offset(f, p, i);
  const float u = n / (n + 0.5f);
  const float spread = small_exp2(clamp(head[9], -3.0f, 3.0f));
  const float inverse_x = 1.0f / f.step_x, inverse_y = 1.0f / f.step_y;
  Rgb sum{0.0f, 0.0f, 0.0f};
  float total = 0.0f;
#pragma unroll
  for (s32 k = 0; k < 9; ++k) {
    const float dx = float(k % 3 - 1) - e.x, dy = float(k / 3 - 1) - e.y;
    const float px = dx * inverse_x, py = dy * inverse_y;
    const float smooth = kSmooth * (dx * dx + dy * dy), sharp = kSharp * (px * px + py * py);
    const float w = small_exp2(clamp(head[k] - spread * (smooth * (1.0f - u) + sharp * u), -20.0f, 10.0f));
    sum = add_scaled(sum, p.t[k], w);
    total += w;
  }
  const float kept = n * sigmoid2(head[10] + 4.0f);
  const Rgb boxed = largest(least(history, p.high), p.low);
  history = add_scaled(history, boxed - history, sigmoid2(head[11] - 1.0f));
  sum = add_scaled(sum, history, kept);
  out = sum * (1.0f / (total + kept));
  const Rgb range = (p.high - p.low) * 0.5f;
  out.r = clamp(fma(range.r, head[12] / (1.0f + abs(head[12])), out.r), 0.0f, kLargestWorking);
  out.g = clamp(fma(range.g, head[13] / (1.0f + abs(head[13])), out.g), 0.0f, kLargestWorking);
  out.b = clamp(fma(range.b, head[14] / (1.0f + abs(head[14])), out.b), 0.0f, kLargestWorking);
  weight = min(total + kept, 32.0f);
}

WW_DEVICE void reconstruct(const NetworkFrame& f) {
  const s32 tx = s32(blockIdx.x * WW_NETWORK_BLOCK_X + threadIdx.x);
  const s32 ty = s32(blockIdx.y * WW_NETWORK_BLOCK_Y + threadIdx.y);
  if (tx >= f.token_width || ty >= f.token_height) return;
  const s32 token = ty * f.token_width + tx;
  const Patch p = load_patch(f, tx, ty);
  float head[WW_NETWORK_HEAD];
  const uint4* row = pointer<const uint4>(f.head) + token * (WW_NETWORK_HEAD / 8);
#pragma unroll
  for (int i = 0; i < WW_NETWORK_HEAD / 8; ++i) {
    const uint4 v = row[i];
    const u32 pairs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 h = to_float2(pairs[j]);
      head[8 * i + 2 * j] = h.x;
      head[8 * i + 2 * j + 1] = h.y;
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint2 packed = pointer<const uint2>(f.warped)[4 * token + i];
    const float2 rg = to_float2(packed.x), bn = to_float2(packed.y);
    Rgb out;
    float weight;
    reconstruct_pixel(f, p, i, head + 15 * i, {rg.x, rg.y, bn.x}, bn.y, out, weight);
    const s32 x = 2 * tx + (i & 1), y = 2 * ty + (i >> 1);
    if (x >= f.output_width || y >= f.output_height) continue;
    surf2d_write_half4(f.next_history, x, y, {half_pair(out.r, out.g), half_pair(out.b, weight)});
    const Rgb linear = out * (1.0f / ((1.0f - peak(out)) * f.exposure));
    surf2d_write_float4(f.target, x, y, {linear.r, linear.g, linear.b, 1.0f});
  }
  u32 latents[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float a = head[60 + 2 * i], b = head[61 + 2 * i];
    latents[i] = half_pair(a / (1.0f + abs(a)), b / (1.0f + abs(b)));
  }
  pointer<uint4>(f.next_latents)[token] = {latents[0], latents[1], latents[2], latents[3]};
}

}  // namespace ww::network
