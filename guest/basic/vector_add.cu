// Element-wise kernels: the first thing anybody runs. Odd lengths, so that the last block is partly idle.
#include "ww_guest.h"

WW_KERNEL void vector_add(const float* a, const float* b, float* c, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

// Grid-stride loop with a fused multiply-add.
WW_KERNEL void saxpy(float alpha, const float* x, float* y, u32 count) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    y[i] = ww::fma(alpha, x[i], y[i]);
}

// Four elements a thread, one 16-byte access each.
WW_KERNEL void vector_scale4(const float4* in, float4* out, u32 count, float scale) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 v = in[i];
  out[i] = {v.x * scale, v.y * scale, v.z * scale, v.w * scale};
}
