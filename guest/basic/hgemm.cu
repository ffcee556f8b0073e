// C = A B on tensor cores: A row-major f16, B row-major f16, one warp a 16x16 tile of C, ldmatrix for both operands.
// Sizes are multiples of 16.
#include "ww_guest.h"

namespace {

constexpr u32 kPadded = 24;  // halves a row in shared memory: rows of 48 bytes stay aligned to 16 and spread over banks

// A 16x16 tile of halves into shared memory: 8 halves a lane.
WW_DEVICE void load_tile(f16 (&tile)[16][kPadded], const f16* from, u32 pitch) {
  const u32 lane = threadIdx.x;
  const u32 row = lane / 2;
  const u32 column = lane % 2 * 8;
  *reinterpret_cast<uint4*>(&tile[row][column]) = *reinterpret_cast<const uint4*>(from + row * pitch + column);
}

struct Fragments {
  u32 a[4];
  u32 b[2][2];  // columns 0..7 and 8..15
};

WW_DEVICE Fragments load_fragments(const f16 (&tile_a)[16][kPadded], const f16 (&tile_b)[16][kPadded]) {
  const u32 lane = threadIdx.x;
  Fragments f;
  ww::ldmatrix_x4(f.a, ww::shared_address(&tile_a[lane % 16][lane / 16 * 8]));
  u32 b[4];
  ww::ldmatrix_x4_trans(b, ww::shared_address(&tile_b[lane % 16][lane / 16 * 8]));
  f.b[0][0] = b[0];
  f.b[0][1] = b[1];
  f.b[1][0] = b[2];
  f.b[1][1] = b[3];
  return f;
}

}  // namespace

// f32 accumulators and result.
WW_KERNEL void hgemm_f32(const f16* a, const f16* b, float* c, u32 n, u32 k) {
  __shared__ alignas(16) f16 tile_a[16][kPadded];
  __shared__ alignas(16) f16 tile_b[16][kPadded];
  const u32 row0 = blockIdx.y * 16;
  const u32 column0 = blockIdx.x * 16;
  float sums[2][4] = {};
  for (u32 k0 = 0; k0 < k; k0 += 16) {
    load_tile(tile_a, a + row0 * k + k0, k);
    load_tile(tile_b, b + k0 * n + column0, n);
    __syncthreads();
    const Fragments f = load_fragments(tile_a, tile_b);
    for (u32 half = 0; half < 2; ++half) ww::mma_m16n8k16(sums[half], f.a, f.b[half], sums[half]);
    __syncthreads();
  }
  const u32 g = threadIdx.x / 4;
  const u32 t = threadIdx.x % 4;
  for (u32 half = 0; half < 2; ++half) {
    float* corner = c + (row0 + g) * n + column0 + half * 8 + 2 * t;
    corner[0] = sums[half][0];
    corner[1] = sums[half][1];
    corner[8 * n] = sums[half][2];
    corner[8 * n + 1] = sums[half][3];
  }
}

// f16 accumulators and result.
WW_KERNEL void hgemm_f16(const f16* a, const f16* b, f16* c, u32 n, u32 k) {
  __shared__ alignas(16) f16 tile_a[16][kPadded];
  __shared__ alignas(16) f16 tile_b[16][kPadded];
  const u32 row0 = blockIdx.y * 16;
  const u32 column0 = blockIdx.x * 16;
  u32 sums[2][2] = {};
  for (u32 k0 = 0; k0 < k; k0 += 16) {
    load_tile(tile_a, a + row0 * k + k0, k);
    load_tile(tile_b, b + k0 * n + column0, n);
    __syncthreads();
    const Fragments f = load_fragments(tile_a, tile_b);
    for (u32 half = 0; half < 2; ++half) ww::mma_m16n8k16_f16(sums[half], f.a, f.b[half], sums[half]);
    __syncthreads();
  }
  const u32 g = threadIdx.x / 4;
  const u32 t = threadIdx.x % 4;
  for (u32 half = 0; half < 2; ++half) {
    f16* corner = c + (row0 + g) * n + column0 + half * 8 + 2 * t;
    *reinterpret_cast<u32*>(corner) = sums[half][0];
    *reinterpret_cast<u32*>(corner + 8 * n) = sums[half][1];
  }
}

// One step on given fragments and accumulators, for arbitrary values: A 16x16, B 16x8, C and D 16x8, one warp a matrix.
WW_KERNEL void mma_step(const u32* a, const u32* b, const float* c, float* d) {
  const u32 lane = threadIdx.x;
  const u32 i = blockIdx.x * 32 + lane;
  u32 fa[4], fb[2];
  float fc[4], fd[4];
  for (u32 j = 0; j < 4; ++j) fa[j] = a[4 * i + j];
  for (u32 j = 0; j < 2; ++j) fb[j] = b[2 * i + j];
  for (u32 j = 0; j < 4; ++j) fc[j] = c[4 * i + j];
  ww::mma_m16n8k16(fd, fa, fb, fc);
  for (u32 j = 0; j < 4; ++j) d[4 * i + j] = fd[j];
}
WW_KERNEL void mma_step_f16(const u32* a, const u32* b, const u32* c, u32* d) {
  const u32 lane = threadIdx.x;
  const u32 i = blockIdx.x * 32 + lane;
  u32 fa[4], fb[2], fc[2], fd[2];
  for (u32 j = 0; j < 4; ++j) fa[j] = a[4 * i + j];
  for (u32 j = 0; j < 2; ++j) fb[j] = b[2 * i + j];
  for (u32 j = 0; j < 2; ++j) fc[j] = c[2 * i + j];
  ww::mma_m16n8k16_f16(fd, fa, fb, fc);
  for (u32 j = 0; j < 2; ++j) d[2 * i + j] = fd[j];
}
