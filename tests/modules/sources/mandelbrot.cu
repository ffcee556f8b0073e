// The Mandelbrot set and Newton's fractal in double precision; loops that lanes leave at different times.
#include "device.h"

extern "C" __global__ void mandelbrot(u32* out, double left, double top, double step, u32 width, u32 limit) {
  const u32 x = block_x() * 8 + thread_x(), y = block_y() * 4 + thread_y();
  const double a = left + step * static_cast<double>(x), b = top - step * static_cast<double>(y);
  double u = 0, v = 0;
  u32 n = 0;
  while (n < limit) {
    const double uu = u * u, vv = v * v;
    if (uu + vv > 4.0) break;
    v = fused(u + u, v, b);
    u = uu - vv + a;
    ++n;
  }
  // Newton's steps for z^3 = 1 from the same point.
  double p = a, q = b + 0.125;
  u32 steps = 0;
  for (; steps < 24; ++steps) {
    const double pp = p * p - q * q, qq = 2 * p * q;
    const double re = pp * p - qq * q - 1, im = pp * q + qq * p;
    const double size = 3 * (pp * pp + qq * qq);
    if (!(re * re + im * im > 1e-12) || size == 0) break;
    p -= (re * pp + im * qq) / size;
    q -= (im * pp - re * qq) / size;
  }
  const u64 bits = bits_of(u) ^ bits_of(p) * 3;
  out[2 * (y * width + x)] = n | steps << 16;
  out[2 * (y * width + x) + 1] = static_cast<u32>(bits >> 32) ^ static_cast<u32>(bits);
}
