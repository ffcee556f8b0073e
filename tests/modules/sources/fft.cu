// A 128-point transform a block in shared memory (radix 2, decimation in time), forward and back, with the roots of unity in a
// table that the host has written.
#include "device.h"

struct Complex {
  float re, im;
  __device__ Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
  __device__ Complex operator-(const Complex& o) const { return {re - o.re, im - o.im}; }
  __device__ Complex operator*(const Complex& o) const {
    return {fused(re, o.re, -(im * o.im)), fused(re, o.im, im * o.re)};
  }
};

// cos and sin of 2 pi k / 16.
__constant__ float quarter[17] = {1.0f,         0.923879533f, 0.707106781f,  0.382683432f,  0.0f, -0.382683432f,
                                  -0.707106781f, -0.923879533f, -1.0f,       -0.923879533f, -0.707106781f, -0.382683432f,
                                  0.0f,         0.382683432f, 0.707106781f,  0.923879533f, 1.0f};

// e^(-2 pi i k / 128) by three half-angle steps from the table.
static __device__ Complex twiddle(u32 k) {
  const u32 coarse = k >> 3;
  Complex w = {quarter[coarse], -quarter[(coarse + 12) & 15]};
  const Complex step = {0.998795456f, -0.0490676743f};
  for (u32 i = 0; i < (k & 7); ++i) w = w * step;
  return w;
}

static __device__ u32 reversed(u32 x, u32 bits) {
  u32 r;
  asm("brev.b32 %0, %1;" : "=r"(r) : "r"(x));
  return r >> (32 - bits);
}

template <bool inverse>
static __device__ void transform(Complex* data, u32 t) {
  for (u32 half = 1; half < 128; half <<= 1) {
    sync();
    const u32 group = t / half, k = t % half, at = group * 2 * half + k;
    Complex w = twiddle(k * (64 / half));
    if (inverse) w.im = -w.im;
    const Complex a = data[at], b = data[at + half] * w;
    data[at] = a + b;
    data[at + half] = a - b;
  }
  sync();
}

extern "C" __global__ void fft(const u32* in, Complex* out, u32 n) {
  __shared__ Complex data[128];
  const u32 t = thread_x(), base = block_x() * 128;
  for (u32 i = t; i < 128; i += 64) {
    const u32 word = in[(base + i) % n];
    data[reversed(i, 7)] = {unit(word) - 0.5f, unit(word * 747796405u) - 0.5f};
  }
  transform<false>(data, t);
  for (u32 i = t; i < 128; i += 64) out[base + i] = data[i];
  sync();
  const Complex a = data[t], b = data[t + 64];
  sync();
  data[reversed(t, 7)] = a;
  data[reversed(t + 64, 7)] = b;
  transform<true>(data, t);
  for (u32 i = t; i < 128; i += 64) out[n + base + i] = {data[i].re / 128.0f, data[i].im / 128.0f};
}
