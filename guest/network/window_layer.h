// A window layer: one block of four warps takes 64 tokens through normalisation, spatial mixing, projection and MLP,
// and keeps them on chip from load to store. docs/network.md, "Window layers".
#pragma once
#include "fragments.h"

namespace ww::network {

enum class Mixing { kPosition, kAttention };
enum class Load { kSame, kFeatures, kMerge };

// Where this warp's rows g and g+8 lie on the layer's grid.
struct Place {
  s32 x, y_g, y_g8;     // may lie outside the grid
  s32 mx, my_g, my_g8;  // mirrored into it
};

WW_DEVICE Place place_of(const NetworkLayer& p, const Lane& l) {
  Place w;
  w.x = s32(blockIdx.x * WW_NETWORK_WINDOW + l.g) - p.shift;
  w.y_g = s32(blockIdx.y * WW_NETWORK_WINDOW + 2 * l.warp) - p.shift;
  w.y_g8 = w.y_g + 1;
  w.mx = mirror(w.x, p.width);
  w.my_g = mirror(w.y_g, p.height);
  w.my_g8 = mirror(w.y_g8, p.height);
  return w;
}

// A 16x16 left operand from two rows of halves in memory, `columns` pointing at pairs.
WW_DEVICE LeftFragment left_of_rows(const u32* row_g, const u32* row_g8, u32 t) {
  return {{row_g[t], row_g8[t], row_g[t + 4], row_g8[t + 4]}};
}

template <int C, Load kLoad, int SourceC>
WW_DEVICE void load_tokens(const NetworkLayer& p, const Lane& l, const Place& w, Rows<C>& x) {
  const u32* source = pointer<const u32>(p.input);
  if constexpr (kLoad == Load::kSame) {
    const u32* row_g = source + u32(w.my_g * p.width + w.mx) * (C / 2);
    const u32* row_g8 = source + u32(w.my_g8 * p.width + w.mx) * (C / 2);
#pragma unroll
    for (int n = 0; n < C / 8; ++n) {
      const float2 a = to_float2(row_g[4 * n + l.t]), b = to_float2(row_g8[4 * n + l.t]);
      x.tile[n][0] = a.x;
      x.tile[n][1] = a.y;
      x.tile[n][2] = b.x;
      x.tile[n][3] = b.y;
    }
    return;
  }
#pragma unroll
  for (int n = 0; n < C / 8; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) x.tile[n][i] = 0.0f;
  const uint4* weights = pointer<const uint4>(p.load);
  constexpr int kParts = kLoad == Load::kMerge ? 4 : 1;
#pragma unroll 1
  for (int part = 0; part < kParts; ++part) {
    // Merging reads the 2x2 tokens under a token, the last row and column repeated where the source is odd.
    s32 sx = w.mx, sy_g = w.my_g, sy_g8 = w.my_g8;
    if constexpr (kLoad == Load::kMerge) {
      sx = min(2 * sx + (part & 1), p.source_width - 1);
      sy_g = min(2 * sy_g + (part >> 1), p.source_height - 1);
      sy_g8 = min(2 * sy_g8 + (part >> 1), p.source_height - 1);
    }
    const u32* row_g = source + u32(sy_g * p.source_width + sx) * (SourceC / 2);
    const u32* row_g8 = source + u32(sy_g8 * p.source_width + sx) * (SourceC / 2);
#pragma unroll 1
    for (int k = 0; k < SourceC / 16; ++k) {
      multiply_step(x.tile, left_of_rows(row_g + 8 * k, row_g8 + 8 * k, l.t), weights, l.lane);
      weights += C / 16 * 32;
    }
  }
}

// Position-only mixing: channels in groups of 8, each with a constant 64x64 matrix over the window.
template <int C>
WW_DEVICE void mix_by_position(const NetworkLayer& p, const Lane& l, Rows<C>& x, char* shared) {
  constexpr int kStride = (C + 8) * 2;  // bytes; the padding keeps rows of ldmatrix in different banks
  LeftFragment normal[C / 16];
  normalize(x, normal);
  u32* row_g = reinterpret_cast<u32*>(shared + (16 * l.warp + l.g) * kStride);
  u32* row_g8 = reinterpret_cast<u32*>(shared + (16 * l.warp + l.g + 8) * kStride);
#pragma unroll
  for (int k = 0; k < C / 16; ++k) {
    row_g[8 * k + l.t] = normal[k].a[0];
    row_g8[8 * k + l.t] = normal[k].a[1];
    row_g[8 * k + 4 + l.t] = normal[k].a[2];
    row_g8[8 * k + 4 + l.t] = normal[k].a[3];
  }
  __syncthreads();
  const uint4* matrices = pointer<const uint4>(p.mix) + l.warp * 4 * 32 + l.lane;
  const uint4* proj = pointer<const uint4>(p.proj);
  u32 column = shared_address(shared) + l.lane * kStride;
#pragma unroll 1
  for (int k = 0; k < C / 16; ++k) {
    float mixed[2][4] = {};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int rows = 0; rows < 2; ++rows) {
        u32 b[4];
        ldmatrix_x4_trans(b, column + rows * 32 * kStride);
#pragma unroll
        for (int step = 0; step < 2; ++step) {
          const uint4 m = matrices[(2 * rows + step) * 32];
          const u32 left[4] = {m.x, m.y, m.z, m.w}, right[2] = {b[2 * step], b[2 * step + 1]};
          mma_m16n8k16(mixed[half], left, right, mixed[half]);
        }
      }
      matrices += 4 * 4 * 32;
      column += 16;
    }
    multiply_step(x.tile, left_of_tiles(mixed[0], mixed[1], 1.0f, 1.0f), proj, l.lane);
    proj += C / 16 * 32;
  }
}

// Attention in heads of 32 channels, logits in powers of two, with a learned term for every pair of places.
template <int C>
WW_DEVICE void mix_by_attention(const NetworkLayer& p, const Lane& l, Rows<C>& x, char* shared) {
  constexpr int kStride = (32 + 8) * 2;
  constexpr int kPairs = 3 * C / 16;  // pairs of tiles in a step of the query, key and value weights
  LeftFragment normal[C / 16];
  normalize(x, normal);
  char* keys = shared;
  char* values = shared + 64 * kStride;
  const u32 key_address = shared_address(keys) + (l.lane % 8) * kStride + (l.lane / 8) * 16;
  const u32 value_address = shared_address(values) + l.lane * kStride;
  const uint4* qkv = pointer<const uint4>(p.mix);
  const uint4* bias = pointer<const uint4>(p.bias) + l.warp * 4 * 32 + l.lane;
  const uint4* proj = pointer<const uint4>(p.proj);
#pragma unroll 1
  for (int head = 0; head < C / 32; ++head) {
    LeftFragment query[2];
#pragma unroll 1
    for (int which = 2; which >= 0; --which) {  // values, keys, queries: the last stay in registers
      float out[4][4] = {};
#pragma unroll
      for (int k = 0; k < C / 16; ++k)
        multiply_step(out, normal[k], qkv + (k * kPairs + which * (C / 16) + 2 * head) * 32, l.lane);
      query[0] = left_of_tiles(out[0], out[1], 1.0f, 1.0f);
      query[1] = left_of_tiles(out[2], out[3], 1.0f, 1.0f);
      if (which == 0) break;
      char* plane = which == 1 ? keys : values;
      u32* row_g = reinterpret_cast<u32*>(plane + (16 * l.warp + l.g) * kStride);
      u32* row_g8 = reinterpret_cast<u32*>(plane + (16 * l.warp + l.g + 8) * kStride);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        row_g[8 * k + l.t] = query[k].a[0];
        row_g8[8 * k + l.t] = query[k].a[1];
        row_g[8 * k + 4 + l.t] = query[k].a[2];
        row_g8[8 * k + 4 + l.t] = query[k].a[3];
      }
    }
    __syncthreads();
    // Logits of 16 queries and 64 keys.
    float s[8][4];
    float max_g = -kInfinity, max_g8 = -kInfinity;
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {
      const uint4 b = bias[pair * 32];
      const float2 b0 = to_float2(b.x), b1 = to_float2(b.y), b2 = to_float2(b.z), b3 = to_float2(b.w);
      const float first[2][4] = {{b0.x, b0.y, b1.x, b1.y}, {b2.x, b2.y, b3.x, b3.y}};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int n = 2 * pair + i;
        u32 key[4];
        ldmatrix_x4(key, key_address + n * 8 * kStride);
        const u32 low[2] = {key[0], key[1]}, high[2] = {key[2], key[3]};
        mma_m16n8k16(s[n], query[0].a, low, first[i]);
        mma_m16n8k16(s[n], query[1].a, high, s[n]);
        max_g = max(max_g, max(s[n][0], s[n][1]));
        max_g8 = max(max_g8, max(s[n][2], s[n][3]));
      }
    }
    bias += 4 * 4 * 32;
    max_g = row_max(max_g);
    max_g8 = row_max(max_g8);
    float sum_g = 0.0f, sum_g8 = 0.0f;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      s[n][0] = small_exp2(s[n][0] - max_g);
      s[n][1] = small_exp2(s[n][1] - max_g);
      s[n][2] = small_exp2(s[n][2] - max_g8);
      s[n][3] = small_exp2(s[n][3] - max_g8);
      sum_g += s[n][0] + s[n][1];
      sum_g8 += s[n][2] + s[n][3];
    }
    const float scale_g = 1.0f / row_sum(sum_g), scale_g8 = 1.0f / row_sum(sum_g8);
    LeftFragment weight[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) weight[k] = left_of_tiles(s[2 * k], s[2 * k + 1], 1.0f, 1.0f);
    float out[4][4] = {};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
#pragma unroll
      for (int rows = 0; rows < 2; ++rows) {
        u32 v[4];
        ldmatrix_x4_trans(v, value_address + rows * 32 * kStride + n * 16);
        const u32 low[2] = {v[0], v[1]}, high[2] = {v[2], v[3]};
        mma_m16n8k16(out[n], weight[2 * rows].a, low, out[n]);
        mma_m16n8k16(out[n], weight[2 * rows + 1].a, high, out[n]);
      }
    }
    multiply_step(x.tile, left_of_tiles(out[0], out[1], scale_g, scale_g8), proj, l.lane);
    multiply_step(x.tile, left_of_tiles(out[2], out[3], scale_g, scale_g8), proj + C / 16 * 32, l.lane);
    proj += 2 * (C / 16) * 32;
    __syncthreads();  // before the next head's keys and values
  }
}

// max(x, 0)^2, small enough for a half.
WW_DEVICE float activate(float x) {
  const float r = min(max(x, 0.0f), 255.0f);
  return r * r;
}

// x += down * activate(up * normalize(x) + bias), 32 hidden channels at a time.
template <int C>
WW_DEVICE void mlp(const NetworkLayer& p, const Lane& l, Rows<C>& x) {
  LeftFragment normal[C / 16];
  normalize(x, normal);
  const uint4* up = pointer<const uint4>(p.up);
  const uint4* down = pointer<const uint4>(p.down);
  const float2* bias = pointer<const float2>(p.up_bias) + l.t;
#pragma unroll 1
  for (int chunk = 0; chunk < C / 8; ++chunk) {
    float hidden[4][4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const float2 b = bias[4 * n];
      hidden[n][0] = hidden[n][2] = b.x;
      hidden[n][1] = hidden[n][3] = b.y;
    }
#pragma unroll
    for (int k = 0; k < C / 16; ++k) multiply_step(hidden, normal[k], up + k * (C / 4) * 32, l.lane);
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) hidden[n][i] = activate(hidden[n][i]);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      multiply_step(x.tile, left_of_tiles(hidden[2 * k], hidden[2 * k + 1], 1.0f, 1.0f), down, l.lane);
      down += C / 16 * 32;
    }
    up += 2 * 32;
    bias += 16;
  }
}

// Writes accumulator tiles as halves to a token's row of `Columns` channels.
template <int Columns>
WW_DEVICE void store_row(u32* row, const float (*tile)[4], int first, u32 t) {
#pragma unroll
  for (int n = 0; n < Columns / 8; ++n) row[4 * n + t] = half_pair(tile[n][first], tile[n][first + 1]);
}

template <int C, Mixing kMixing, Load kLoad, int SourceC, bool kHead>
WW_DEVICE void window_layer(const NetworkLayer& p) {
  constexpr int kSharedBytes = kMixing == Mixing::kPosition ? 64 * (C + 8) * 2 : 2 * 64 * 40 * 2;
  alignas(16) __shared__ static char shared[kSharedBytes];
  const Lane l = this_lane();
  const Place w = place_of(p, l);
  Rows<C> x;
  load_tokens<C, kLoad, SourceC>(p, l, w, x);
  if constexpr (kMixing == Mixing::kPosition)
    mix_by_position<C>(p, l, x, shared);
  else
    mix_by_attention<C>(p, l, x, shared);
  mlp<C>(p, l, x);

  const bool in_x = w.x >= 0 && w.x < p.width;
  const bool in_g = in_x && w.y_g >= 0 && w.y_g < p.height, in_g8 = in_x && w.y_g8 >= 0 && w.y_g8 < p.height;
  u32* output = pointer<u32>(p.output);
  if constexpr (kHead) {
    LeftFragment normal[C / 16];
    normalize(x, normal);
    float head[WW_NETWORK_HEAD / 8 + 1][4];  // a whole number of pairs of tiles; the last tile is not stored
    const float2* bias = pointer<const float2>(p.head_bias) + l.t;
#pragma unroll
    for (int n = 0; n < WW_NETWORK_HEAD / 8 + 1; ++n) {
      const float2 b = bias[4 * n];
      head[n][0] = head[n][2] = b.x;
      head[n][1] = head[n][3] = b.y;
    }
#pragma unroll
    for (int k = 0; k < C / 16; ++k)
      multiply_step(head, normal[k], pointer<const uint4>(p.head) + k * (WW_NETWORK_HEAD / 8 + 1) / 2 * 32, l.lane);
    constexpr int kWords = WW_NETWORK_HEAD / 2;
    if (in_g) store_row<WW_NETWORK_HEAD>(output + u32(w.y_g * p.width + w.x) * kWords, head, 0, l.t);
    if (in_g8) store_row<WW_NETWORK_HEAD>(output + u32(w.y_g8 * p.width + w.x) * kWords, head, 2, l.t);
  } else {
    if (in_g) store_row<C>(output + u32(w.y_g * p.width + w.x) * (C / 2), x.tile, 0, l.t);
    if (in_g8) store_row<C>(output + u32(w.y_g8 * p.width + w.x) * (C / 2), x.tile, 2, l.t);
  }
}

// Expansion: a warp takes 16 tokens of the coarse grid (row-major) to their 2x2 tokens of the fine grid, and adds the
// encoder's tokens there.
template <int SourceC, int C>
WW_DEVICE void expand(const NetworkLayer& p) {
  const Lane l = this_lane();
  const s32 count = p.source_width * p.source_height;
  const s32 token_g = s32(blockIdx.x * 64 + l.warp * 16 + l.g), token_g8 = token_g + 8;
  const u32* row_g = pointer<const u32>(p.input) + u32(min(token_g, count - 1)) * (SourceC / 2);
  const u32* row_g8 = pointer<const u32>(p.input) + u32(min(token_g8, count - 1)) * (SourceC / 2);
#pragma unroll 1
  for (int part = 0; part < 4; ++part) {
    Rows<C> x = {};
    const uint4* weights = pointer<const uint4>(p.load) + part * (C / 16) * 32;
#pragma unroll 1
    for (int k = 0; k < SourceC / 16; ++k) {
      multiply_step(x.tile, left_of_rows(row_g + 8 * k, row_g8 + 8 * k, l.t), weights, l.lane);
      weights += 4 * (C / 16) * 32;
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const s32 token = half ? token_g8 : token_g;
      const s32 fx = 2 * (token % p.source_width) + (part & 1), fy = 2 * (token / p.source_width) + (part >> 1);
      if (token >= count || fx >= p.width || fy >= p.height) continue;
      const u32 at = u32(fy * p.width + fx) * (C / 2);
      const u32* skip = pointer<const u32>(p.skip) + at;
#pragma unroll
      for (int n = 0; n < C / 8; ++n) {
        const float2 s = to_float2(skip[4 * n + l.t]);
        x.tile[n][2 * half] += s.x;
        x.tile[n][2 * half + 1] += s.y;
      }
      store_row<C>(pointer<u32>(p.output) + at, x.tile, 2 * half, l.t);
    }
  }
}

}  // namespace ww::network
