// Inclusive prefix sums of blocks of 256 by warp shuffles, then the blocks' offsets added.
#include "ww_guest.h"

// sums: one total a block.
WW_KERNEL void scan_blocks(const u32* in, u32* out, u32* sums, u32 count) {
  __shared__ u32 totals[8];
  const u32 t = threadIdx.x;
  const u32 i = blockIdx.x * 256 + t;
  const u32 lane = t % 32;
  u32 value = i < count ? in[i] : 0;
  for (u32 delta = 1; delta < 32; delta *= 2) {
    const u32 below = __shfl_up_sync(ww::kFullMask, value, delta);
    if (lane >= delta) value += below;
  }
  if (lane == 31) totals[t / 32] = value;
  __syncthreads();
  u32 before = 0;
  for (u32 warp = 0; warp < t / 32; ++warp) before += totals[warp];
  value += before;
  if (i < count) out[i] = value;
  if (t == 255) sums[blockIdx.x] = value;
}

WW_KERNEL void scan_add(u32* out, const u32* sums, u32 count) {
  const u32 i = blockIdx.x * 256 + threadIdx.x;
  u32 before = 0;
  for (u32 block = 0; block < blockIdx.x; ++block) before += sums[block];
  if (i < count) out[i] += before;
}
