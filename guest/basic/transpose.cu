// Matrix transpose through a padded tile of shared memory: 32x32 tiles, 32x8 threads, any size.
#include "ww_guest.h"

WW_KERNEL void transpose(const float* in, float* out, u32 width, u32 height) {
  __shared__ float tile[32][33];
  const u32 x0 = blockIdx.x * 32;
  const u32 y0 = blockIdx.y * 32;
  for (u32 y = threadIdx.y; y < 32; y += 8)
    if (x0 + threadIdx.x < width && y0 + y < height) tile[y][threadIdx.x] = in[(y0 + y) * width + x0 + threadIdx.x];
  __syncthreads();
  for (u32 y = threadIdx.y; y < 32; y += 8)
    if (y0 + threadIdx.x < height && x0 + y < width) out[(x0 + y) * height + y0 + threadIdx.x] = tile[threadIdx.x][y];
}
