// Layer normalisation of rows of halves, one block of 128 threads a row: mean, variance, scale, shift.
#include "ww_guest.h"

namespace {

// The block's sum, for all threads of it.
WW_DEVICE float block_sum(float value, float (&sums)[4]) {
  for (u32 lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(ww::kFullMask, value, lanes);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

WW_KERNEL void __launch_bounds__(128)
    layer_norm(const f16* in, const float* scale, const float* shift, f16* out, u32 columns) {
  __shared__ float sums[4];
  const f16* row = in + blockIdx.x * columns;
  float sum = 0.0f;
  for (u32 i = threadIdx.x; i < columns; i += 128) sum += float(row[i]);
  const float mean = block_sum(sum, sums) / float(columns);
  float squares = 0.0f;
  for (u32 i = threadIdx.x; i < columns; i += 128) {
    const float d = float(row[i]) - mean;
    squares = ww::fma(d, d, squares);
  }
  const float inverse = 1.0f / ww::sqrt(block_sum(squares, sums) / float(columns) + 1e-5f);
  for (u32 i = threadIdx.x; i < columns; i += 128)
    out[blockIdx.x * columns + i] = ww::to_half(ww::fma((float(row[i]) - mean) * inverse, scale[i], shift[i]));
}
