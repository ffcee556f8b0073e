// Motion search of a video encoder: sums of absolute differences of packed bytes by the video instructions, saturating averages.
#include "device.h"

static __device__ u32 differences(u32 a, u32 b, u32 sum) {
  u32 r;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
static __device__ u32 average(u32 a, u32 b) {
  u32 r;
  asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0));
  return r;
}
static __device__ u32 add_saturated(u32 a, u32 b) {
  u32 r;
  asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0));
  return r;
}
static __device__ s32 pick(u32 a, u32 b, s32 c) {
  s32 r;
  asm("vadd.s32.u32.s32.sat.max %0, %1.b1, %2.h1, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
static __device__ u32 permuted(u32 a, u32 b, u32 by) {
  u32 r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(by));
  return r;
}
static __device__ s32 dot(u32 a, u32 b, s32 c) {
  s32 r;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}

extern "C" __global__ void search(const u32* in, u32* out, u32 n) {
  const u32 i = global_x();
  u32 block[4];
  for (u32 k = 0; k < 4; ++k) block[k] = in[(i * 4 + k) % n] & 0x0f0f0f0fu;
  u32 best = 0xffffffffu, where = 0;
  for (u32 at = 0; at < 32; ++at) {
    u32 sum = 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 a = in[(at / 4 + k) % n] & 0x0f0f0f0fu, b = in[(at / 4 + k + 1) % n] & 0x0f0f0f0fu;
      sum = differences(block[k], permuted(a, b, 0x3210u + 0x1111u * (at & 3)), sum);
    }
    if (sum < best) {
      best = sum;
      where = at;
    }
  }
  u32 mean = block[0];
  s32 largest = -100, product = 5;
  for (u32 k = 1; k < 4; ++k) {
    mean = add_saturated(average(mean, block[k]), 0x70f00020u);
    largest = pick(in[(i + k) % n], in[(i + 2 * k) % n], largest);
    product = dot(block[k], in[(i + k) % n], product);
  }
  out[4 * i] = best | where << 16;
  out[4 * i + 1] = mean;
  out[4 * i + 2] = static_cast<u32>(largest);
  out[4 * i + 3] = static_cast<u32>(product);
}
