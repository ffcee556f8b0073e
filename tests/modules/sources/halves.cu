// Half precision and bfloat16: sums, products, fused steps, comparisons, packed pairs, conversions there and back.
#include "device.h"

class Half {
 public:
  explicit __device__ Half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits_) : "f"(x)); }
  explicit __device__ Half(u16 bits) : bits_(bits) {}
  __device__ Half operator+(Half o) const { return binary<0>(o); }
  __device__ Half operator-(Half o) const { return binary<1>(o); }
  __device__ Half operator*(Half o) const { return binary<2>(o); }
  __device__ bool operator<(Half o) const {
    u32 r;
    asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "h"(bits_), "h"(o.bits_));
    return r != 0;
  }
  explicit __device__ operator float() const {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(bits_));
    return r;
  }
  __device__ u16 bits() const { return bits_; }

 private:
  template <int kOperation>
  __device__ Half binary(Half o) const {
    u16 r;
    if (kOperation == 0) asm("add.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(bits_), "h"(o.bits_));
    if (kOperation == 1) asm("sub.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(bits_), "h"(o.bits_));
    if (kOperation == 2) asm("mul.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(bits_), "h"(o.bits_));
    return Half(r);
  }
  u16 bits_;
};

static __device__ u32 fused_pair(u32 a, u32 b, u32 c) {
  u32 r;
  asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
static __device__ u32 fused_bfloats(u32 a, u32 b, u32 c) {
  u32 r;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
static __device__ u32 packed_halves(float high, float low) {
  u32 r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
static __device__ u32 packed_bfloats(float high, float low) {
  u32 r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
static __device__ u32 largest_pair(u32 a, u32 b) {
  u32 r;
  asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

extern "C" __global__ void halves(const u32* in, u32* out, u32 rounds) {
  const u32 i = global_x();
  Half sum(0.0f), best(-60000.0f);
  u32 pair = packed_halves(0.5f, -0.25f), bfloats = packed_bfloats(1.0f, -1.0f);
  for (u32 k = 0; k < rounds; ++k) {
    const float x = unit(in[(i + k * 64) & 1023]) * 8 - 4, y = unit(in[(i * 3 + k) & 1023]) * 0.01f;
    const Half h(x);
    sum = sum * Half(0.75f) + h - Half(y);
    if (best < h) best = h;
    pair = fused_pair(pair, packed_halves(x, y), packed_halves(y, 0.5f));
    pair = largest_pair(pair, 0x3c00bc00u);
    bfloats = fused_bfloats(bfloats, packed_bfloats(y, 0.99f), packed_bfloats(x, -y));
  }
  out[4 * i] = sum.bits() | static_cast<u32>(best.bits()) << 16;
  out[4 * i + 1] = pair;
  out[4 * i + 2] = bfloats;
  out[4 * i + 3] = bits_of(static_cast<float>(sum));
}
