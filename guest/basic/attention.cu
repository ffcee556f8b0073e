// Attention of one head on tensor cores, in the manner of FlashAttention: one warp takes 16 queries, walks over the
// keys 16 at a time, and keeps a running maximum and sum. Head of 16 values, f16 in and out; the number of keys is a
// multiple of 16.
#include "ww_guest.h"

namespace {

constexpr u32 kHead = 16;

WW_DEVICE float row_max(float value) {
  value = ww::max(value, __shfl_xor_sync(ww::kFullMask, value, 1));
  return ww::max(value, __shfl_xor_sync(ww::kFullMask, value, 2));
}
WW_DEVICE float row_sum(float value) {
  value += __shfl_xor_sync(ww::kFullMask, value, 1);
  return value + __shfl_xor_sync(ww::kFullMask, value, 2);
}

}  // namespace

// query, key, value, out: rows of 16 halves. scale: log2(e) / sqrt(16), since exponentials are powers of two.
WW_KERNEL void attention(const f16* query, const f16* key, const f16* value, f16* out, u32 keys, float scale) {
  __shared__ alignas(16) f16 tiles[3][16][kHead];  // queries, keys, values
  const u32 lane = threadIdx.x;
  const u32 g = lane / 4;
  const u32 t = lane % 4;
  const auto load = [&](u32 which, const f16* from) {
    *reinterpret_cast<uint4*>(&tiles[which][lane / 2][lane % 2 * 8]) = *reinterpret_cast<const uint4*>(from + lane * 8);
  };
  const u32 row = lane % 16;
  const u32 column = lane / 16 * 8;

  load(0, query + blockIdx.x * 16 * kHead);
  __syncwarp();
  u32 q[4];
  ww::ldmatrix_x4(q, ww::shared_address(&tiles[0][row][column]));

  float largest[2] = {-ww::kInfinity, -ww::kInfinity};  // of rows g and g + 8
  float total[2] = {0.0f, 0.0f};
  float sums[2][4] = {};
  for (u32 first = 0; first < keys; first += 16) {
    __syncwarp();
    load(1, key + first * kHead);
    load(2, value + first * kHead);
    __syncwarp();
    // Scores S = Q K^T: K's rows are B's columns, so no transposition; matrices 0, 1: keys 0..7, 2, 3: keys 8..15.
    u32 k[4], v[4];
    ww::ldmatrix_x4(k, ww::shared_address(&tiles[1][lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]));
    ww::ldmatrix_x4_trans(v, ww::shared_address(&tiles[2][row][column]));
    float s[2][4] = {};
    for (u32 half = 0; half < 2; ++half) {
      const u32 b[2] = {k[2 * half], k[2 * half + 1]};
      ww::mma_m16n8k16(s[half], q, b, s[half]);
    }
    u32 p[4];
    for (u32 r = 0; r < 2; ++r) {
      const float here = row_max(ww::max(ww::max(s[0][2 * r], s[0][2 * r + 1]), ww::max(s[1][2 * r], s[1][2 * r + 1])));
      const float now = ww::max(largest[r], here * scale);
      const float shrink = ww::exp2(largest[r] - now);
      largest[r] = now;
      float part = 0.0f;
      for (u32 half = 0; half < 2; ++half) {
        for (u32 j = 2 * r; j < 2 * r + 2; ++j) {
          s[half][j] = ww::exp2(ww::fma(s[half][j], scale, -now));
          part += s[half][j];
          sums[half][j] *= shrink;
        }
        // The layout of C is that of A: columns 0..7 are a0, a1; columns 8..15 are a2, a3.
        p[2 * half + r] = ww::half_pair(s[half][2 * r], s[half][2 * r + 1]);
      }
      total[r] = ww::fma(total[r], shrink, row_sum(part));
    }
    for (u32 half = 0; half < 2; ++half) {
      const u32 b[2] = {v[2 * half], v[2 * half + 1]};
      ww::mma_m16n8k16(sums[half], p, b, sums[half]);
    }
  }
  f16* rows = out + blockIdx.x * 16 * kHead;
  for (u32 half = 0; half < 2; ++half)
    for (u32 r = 0; r < 2; ++r)
      *reinterpret_cast<u32*>(rows + (g + 8 * r) * kHead + half * 8 + 2 * t) =
          ww::half_pair(sums[half][2 * r] / total[r], sums[half][2 * r + 1] / total[r]);
}
