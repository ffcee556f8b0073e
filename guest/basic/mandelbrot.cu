// Escape times of the Mandelbrot set: a loop that every lane leaves at its own time.
#include "ww_guest.h"

WW_KERNEL void mandelbrot(u16* out, u32 width, u32 height, float x0, float y0, float step, u32 limit) {
  const u32 x = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = x0 + float(x) * step;
  const float cy = y0 + float(y) * step;
  float zx = 0.0f;
  float zy = 0.0f;
  u32 n = 0;
  while (n < limit) {
    const float xx = zx * zx;
    const float yy = zy * zy;
    if (xx + yy > 4.0f) break;
    zy = 2.0f * zx * zy + cy;
    zx = xx - yy + cx;
    ++n;
  }
  out[y * width + x] = u16(n);
}
