// Approximate instructions, one buffer each: their last bits are the hardware's own, the manual gives bounds.
#include "ww_guest.h"

#define APPROX(name, expression)                                \
  WW_KERNEL void name(const float* in, float* out, u32 count) { \
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;        \
    if (i >= count) return;                                     \
    const float x = in[i];                                      \
    out[i] = expression;                                        \
  }
WW_DEVICE float sqrt_ftz(float x) {
  float d;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  return d;
}
WW_DEVICE float rsqrt_ftz(float x) {
  float d;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  return d;
}
WW_DEVICE float exp2_ftz(float x) {
  float d;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  return d;
}
WW_DEVICE float div_full(float a, float b) {
  float d;
  asm("div.full.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}
APPROX(approx_rcp, ww::approx_rcp(x))
APPROX(approx_sqrt, ww::approx_sqrt(x))
APPROX(approx_sqrt_ftz, sqrt_ftz(x))
APPROX(approx_rsqrt, ww::approx_rsqrt(x))
APPROX(approx_rsqrt_ftz, rsqrt_ftz(x))
APPROX(approx_exp2, ww::approx_exp2(x))
APPROX(approx_exp2_ftz, exp2_ftz(x))
APPROX(approx_log2, ww::approx_log2(x))
APPROX(approx_sin, ww::approx_sin(x))
APPROX(approx_cos, ww::approx_cos(x))
APPROX(approx_tanh, ww::approx_tanh(x))
APPROX(approx_div, ww::approx_div(x, 3.0f))
APPROX(full_div, div_full(x, 3.0f))
