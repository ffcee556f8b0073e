// Pieces that the window layers and expansions share: tokens and weights as fragments of mma.m16n8k16.
//
// A warp owns 16 tokens (rows). With g = lane / 4 and t = lane % 4, a lane holds of every 16x8 tile of f32 accumulators
// row g, columns 2t and 2t+1, and row g+8, the same columns (PTX manual, "Matrix Fragments for mma.m16n8k16").
#pragma once
#include "frame.h"
#include "ww_guest.h"

namespace ww::network {

struct Lane {
  u32 lane, warp, g, t;
};
WW_DEVICE Lane this_lane() {
  const u32 lane = lane_id();
  return {lane, u32(threadIdx.x) / kWarpSize, lane / 4, lane % 4};
}

template <class T>
WW_DEVICE T* pointer(u64 address) {
  return reinterpret_cast<T*>(address);
}

// 16 rows x C columns of f32, as accumulators.
template <int C>
struct Rows {
  float tile[C / 8][4];
};

// One 16x16 step of the left-hand operand, as packed halves.
struct LeftFragment {
  u32 a[4];
};

// acc += left * weights for one step of 16 in k and `Tiles` tiles of 8 in n. `weights` points at the fragments of this
// step: pairs of tiles, 32 lanes of 16 bytes each.
template <int Tiles>
WW_DEVICE void multiply_step(float (&acc)[Tiles][4], const LeftFragment& left, const uint4* weights, u32 lane) {
  static_assert(Tiles % 2 == 0);
#pragma unroll
  for (int pair = 0; pair < Tiles / 2; ++pair) {
    const uint4 w = weights[pair * 32 + lane];
    const u32 first[2] = {w.x, w.y}, second[2] = {w.z, w.w};
    mma_m16n8k16(acc[2 * pair], left.a, first, acc[2 * pair]);
    mma_m16n8k16(acc[2 * pair + 1], left.a, second, acc[2 * pair + 1]);
  }
}

// Two neighbouring accumulator tiles, scaled by row, as the left operand of the next product.
WW_DEVICE LeftFragment left_of_tiles(const float (&low)[4], const float (&high)[4], float scale_g, float scale_g8) {
  return {{half_pair(low[0] * scale_g, low[1] * scale_g), half_pair(low[2] * scale_g8, low[3] * scale_g8),
           half_pair(high[0] * scale_g, high[1] * scale_g), half_pair(high[2] * scale_g8, high[3] * scale_g8)}};
}

// Sum over the four lanes that share a row.
WW_DEVICE float row_sum(float x) {
  x += __shfl_xor_sync(kFullMask, x, 1);
  return x + __shfl_xor_sync(kFullMask, x, 2);
}
WW_DEVICE float row_max(float x) {
  x = max(x, __shfl_xor_sync(kFullMask, x, 1));
  return max(x, __shfl_xor_sync(kFullMask, x, 2));
}

// x / sqrt(mean(x^2) + 1e-5) over the channels of a token, rounded to halves, as left operands.
template <int C>
WW_DEVICE void normalize(const Rows<C>& x, LeftFragment (&out)[C / 16]) {
  float sum_g = 0.0f, sum_g8 = 0.0f;
#pragma unroll
  for (int n = 0; n < C / 8; ++n) {
    sum_g = fma(x.tile[n][0], x.tile[n][0], fma(x.tile[n][1], x.tile[n][1], sum_g));
    sum_g8 = fma(x.tile[n][2], x.tile[n][2], fma(x.tile[n][3], x.tile[n][3], sum_g8));
  }
  const float scale_g = 1.0f / sqrt(fma(row_sum(sum_g), 1.0f / C, 1e-5f));
  const float scale_g8 = 1.0f / sqrt(fma(row_sum(sum_g8), 1.0f / C, 1e-5f));
#pragma unroll
  for (int k = 0; k < C / 16; ++k) out[k] = left_of_tiles(x.tile[2 * k], x.tile[2 * k + 1], scale_g, scale_g8);
}

// 2^x, x limited to -120 .. 120: the same bits wherever multiply, add and fma round correctly.
WW_DEVICE float small_exp2(float x) {
  x = min(max(x, -120.0f), 120.0f);
  const float n = round_even(x);
  return bits<float>(bits<s32>(ww::detail::exp2_core(x - n)) + (s32(n) << 23));
}

// 0..n-1 mirrored at its ends, the edge repeated, any number of times.
WW_DEVICE s32 mirror(s32 i, s32 n) {
  s32 m = i % (2 * n);
  if (m < 0) m += 2 * n;
  return m < n ? m : 2 * n - 1 - m;
}

}  // namespace ww::network
