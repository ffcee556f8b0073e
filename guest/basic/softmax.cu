// Softmax of rows, one warp a row: maximum, exponentials, sum, division. With our own exp, and with the hardware's ex2.
#include "ww_guest.h"

namespace {

WW_DEVICE float warp_max(float value) {
  for (u32 lanes = 16; lanes > 0; lanes /= 2) value = ww::max(value, __shfl_xor_sync(ww::kFullMask, value, lanes));
  return value;
}
WW_DEVICE float warp_sum(float value) {
  for (u32 lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(ww::kFullMask, value, lanes);
  return value;
}

template <bool kApproximate>
WW_DEVICE void softmax_row(const float* in, float* out, u32 columns) {
  const u32 lane = threadIdx.x;
  float largest = -ww::kInfinity;
  for (u32 i = lane; i < columns; i += 32) largest = ww::max(largest, in[i]);
  largest = warp_max(largest);
  float sum = 0.0f;
  for (u32 i = lane; i < columns; i += 32) {
    const float e = kApproximate ? ww::approx_exp(in[i] - largest) : ww::exp(in[i] - largest);
    out[i] = e;
    sum += e;
  }
  sum = warp_sum(sum);
  for (u32 i = lane; i < columns; i += 32) out[i] = kApproximate ? ww::approx_div(out[i], sum) : out[i] / sum;
}

}  // namespace

// Block: 32 x rows-a-block threads.
WW_KERNEL void softmax(const float* in, float* out, u32 rows, u32 columns) {
  const u32 row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row < rows) softmax_row<false>(in + row * columns, out + row * columns, columns);
}
WW_KERNEL void softmax_approx(const float* in, float* out, u32 rows, u32 columns) {
  const u32 row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row < rows) softmax_row<true>(in + row * columns, out + row * columns, columns);
}
