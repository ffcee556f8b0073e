// C = A B in f32: 16x16 tiles in shared memory, one element a thread; any sizes. Also with cp.async into a double
// buffer.
#include "ww_guest.h"

WW_KERNEL void sgemm(const float* a, const float* b, float* c, u32 m, u32 n, u32 k) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const u32 tx = threadIdx.x;
  const u32 ty = threadIdx.y;
  const u32 row = blockIdx.y * 16 + ty;
  const u32 column = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (u32 k0 = 0; k0 < k; k0 += 16) {
    tile_a[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    tile_b[ty][tx] = k0 + ty < k && column < n ? b[(k0 + ty) * n + column] : 0.0f;
    __syncthreads();
    for (u32 i = 0; i < 16; ++i) sum = ww::fma(tile_a[ty][i], tile_b[i][tx], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

namespace {

// 16 bytes from global to shared memory, asynchronously.
WW_DEVICE void copy_async(u32 shared, const float* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}
WW_DEVICE void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kPending>
WW_DEVICE void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace

// The same for sizes that are multiples of 16: while one pair of tiles is used, the next is on its way.
WW_KERNEL void sgemm_async(const float* a, const float* b, float* c, u32 n, u32 k) {
  __shared__ alignas(16) float tiles[2][2][16][16];
  const u32 t = threadIdx.y * 16 + threadIdx.x;
  const u32 row0 = blockIdx.y * 16;
  const u32 column0 = blockIdx.x * 16;
  const auto load = [&](u32 stage, u32 k0) {
    const u32 part = t % 64;  // four floats each
    const u32 y = part / 4;
    const u32 x = part % 4 * 4;
    if (t < 64)
      copy_async(ww::shared_address(&tiles[stage][0][y][x]), a + (row0 + y) * k + k0 + x);
    else if (t < 128)
      copy_async(ww::shared_address(&tiles[stage][1][y][x]), b + (k0 + y) * n + column0 + x);
    commit_copies();
  };
  load(0, 0);
  float sum = 0.0f;
  const u32 steps = k / 16;
  for (u32 step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      load((step + 1) % 2, (step + 1) * 16);
      wait_copies<1>();
    } else {
      wait_copies<0>();
    }
    __syncthreads();
    for (u32 i = 0; i < 16; ++i)
      sum = ww::fma(tiles[step % 2][0][threadIdx.y][i], tiles[step % 2][1][i][threadIdx.x], sum);
    __syncthreads();
  }
  c[(row0 + threadIdx.y) * n + column0 + threadIdx.x] = sum;
}
