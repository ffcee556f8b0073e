// A complex FFT of 256 points in shared memory (Stockham, radix 2), and its inverse; 128 threads, one transform a
// block.
#include "ww_guest.h"

// direction: -1 forward, +1 inverse (not scaled).
WW_KERNEL void fft256(const float2* in, float2* out, float direction) {
  __shared__ float2 buffers[2][256];
  const u32 t = threadIdx.x;
  const float2* row = in + blockIdx.x * 256;
  buffers[0][t] = row[t];
  buffers[0][t + 128] = row[t + 128];
  u32 from = 0;
  for (u32 span = 1; span < 256; span *= 2) {
    __syncthreads();
    const u32 k = t & (span - 1);
    const float angle = direction * ww::kPi * float(k) / float(span);
    const float c = ww::cos(angle);
    const float s = ww::sin(angle);
    const float2 a = buffers[from][t];
    const float2 b = buffers[from][t + 128];
    const float2 rotated = {b.x * c - b.y * s, b.x * s + b.y * c};
    const u32 place = 2 * t - k;
    buffers[1 - from][place] = {a.x + rotated.x, a.y + rotated.y};
    buffers[1 - from][place + span] = {a.x - rotated.x, a.y - rotated.y};
    from = 1 - from;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = buffers[from][t];
  out[blockIdx.x * 256 + t + 128] = buffers[from][t + 128];
}
