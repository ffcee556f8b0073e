// 8-bit floats: every code widened, and values narrowed with saturation.
#include "ww_guest.h"

// One thread a pair of codes: low byte the index, high byte its complement. out: e4m3 and e5m2, as half pairs.
WW_KERNEL void e4m3_widen(u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 256) return;
  const u16 codes = u16(i | (255 - i) << 8);
  out[2 * i] = ww::half_pair_of_e4m3(codes);
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(out[2 * i + 1]) : "h"(codes));
}

// Pairs of floats, and of halves, to e4m3 and e5m2: 2 words a pair.
WW_KERNEL void e4m3_narrow(const float* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = in[2 * i];
  const float b = in[2 * i + 1];
  u16 e5m2, from_halves, relu;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(e5m2) : "f"(b), "f"(a));
  out[2 * i] = u32(ww::e4m3_pair(a, b)) << 16 | e5m2;
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(from_halves) : "r"(ww::half_pair(a, b)));
  asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(relu) : "f"(b), "f"(a));
  out[2 * i + 1] = u32(from_halves) << 16 | relu;
}

// A layer's quantisation: scale, narrow, widen, rescale.
WW_KERNEL void e4m3_quantise(const float* in, float* out, u32 count, float scale) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count / 2) return;
  const u16 codes = ww::e4m3_pair(in[2 * i] * scale, in[2 * i + 1] * scale);
  const float2 wide = ww::to_float2(ww::half_pair_of_e4m3(codes));
  out[2 * i] = wide.x / scale;
  out[2 * i + 1] = wide.y / scale;
}
