// Bitonic sort: of 512 keys in shared memory, and one step of a larger sort in global memory.
#include "ww_guest.h"

// Sorts blocks of 512 (key, value) pairs by key, ascending; 256 threads.
WW_KERNEL void bitonic_block(u32* keys, u32* values) {
  __shared__ u32 key[512];
  __shared__ u32 value[512];
  const u32 t = threadIdx.x;
  u32* block_keys = keys + blockIdx.x * 512;
  u32* block_values = values + blockIdx.x * 512;
  for (u32 i = t; i < 512; i += 256) {
    key[i] = block_keys[i];
    value[i] = block_values[i];
  }
  for (u32 size = 2; size <= 512; size *= 2) {
    for (u32 stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const u32 low = 2 * t - (t & (stride - 1));
      const u32 high = low + stride;
      const bool ascending = (low & size) == 0;
      if ((key[low] > key[high]) == ascending) {
        const u32 k = key[low];
        key[low] = key[high];
        key[high] = k;
        const u32 v = value[low];
        value[low] = value[high];
        value[high] = v;
      }
    }
  }
  __syncthreads();
  for (u32 i = t; i < 512; i += 256) {
    block_keys[i] = key[i];
    block_values[i] = value[i];
  }
}

WW_KERNEL void bitonic_step(float* values, u32 size, u32 stride) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 partner = i ^ stride;
  if (partner <= i) return;
  const float a = values[i];
  const float b = values[partner];
  if ((a > b) == ((i & size) == 0)) {
    values[i] = b;
    values[partner] = a;
  }
}
