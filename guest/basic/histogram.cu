// Histograms of bytes: atomics in shared memory, then in global memory.
#include "ww_guest.h"

WW_KERNEL void histogram(const u8* in, u32* bins, u32 count) {
  __shared__ u32 local[256];
  for (u32 i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (u32 i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
}

// Lanes with equal bytes agree on one that adds for all of them.
WW_KERNEL void histogram_match(const u8* in, u32* bins, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 taking_part = __ballot_sync(ww::kFullMask, i < count);
  if (i >= count) return;
  const u32 byte = in[i];
  const u32 peers = __match_any_sync(taking_part, byte);
  if ((peers & ((1u << ww::lane_id()) - 1)) == 0) atomicAdd(&bins[byte], ww::popcount(peers));
}
