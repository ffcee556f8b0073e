// Every atomic operation, with results that do not depend on the order in which threads come.
#include "ww_guest.h"

// words: 12 accumulators.
WW_KERNEL void atomic_words(const u32* in, u32* words, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u32 x = in[i];
  atomicAdd(&words[0], x);
  atomicSub(&words[1], x);
  atomicAnd(&words[2], x | 0xff00ff00u);
  atomicOr(&words[3], x & 0x00f0f0f0u);
  atomicXor(&words[4], x);
  atomicMin(&words[5], x);
  atomicMax(&words[6], x);
  atomicMin(reinterpret_cast<s32*>(&words[7]), s32(x));
  atomicMax(reinterpret_cast<s32*>(&words[8]), s32(x));
  u32 old;
  asm volatile("atom.global.inc.u32 %0, [%1], 99;" : "=r"(old) : "l"(&words[9]) : "memory");
  asm volatile("atom.global.dec.u32 %0, [%1], 99;" : "=r"(old) : "l"(&words[10]) : "memory");
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&words[11]), "r"(1u) : "memory");
}

// Sums of small integers in f32, f64, f16x2 and u64: exact, so that the order doesn't matter.
WW_KERNEL void atomic_sums(const u32* in, float* f, double* d, u32* h, u64* w, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u32 x = in[i] & 7;
  atomicAdd(f, float(x));
  atomicAdd(d, double(x) * 0.5);
  u32 old;
  asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(old)
               : "l"(h), "r"(ww::half_pair(1.0f, float(x & 1)))
               : "memory");
  atomicAdd(w, (u64(x) << 40) + 1);
  atomicMax(w + 1, u64(in[i]) * 3);
}

// A maximum of floats by compare and swap, and a stack of unique tickets by exchange.
WW_KERNEL void atomic_swap(const float* in, u32* largest, u32* seen, u32* next, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  u32 current = *static_cast<volatile u32*>(largest);
  while (ww::bits<float>(current) < in[i]) {
    const u32 before = atomicCAS(largest, current, ww::bits<u32>(in[i]));
    if (before == current) break;
    current = before;
  }
  const u32 ticket = atomicAdd(next, 1u);
  atomicExch(&seen[ticket], 1u);
}

// The same on shared memory.
WW_KERNEL void atomic_shared(const u32* in, u32* out) {
  __shared__ u32 words[4];
  if (threadIdx.x < 4) words[threadIdx.x] = threadIdx.x == 1 ? ~0u : 0;
  __syncthreads();
  const u32 x = in[threadIdx.x];
  atomicAdd(&words[0], x);
  atomicMin(&words[1], x);
  atomicMax(&words[2], x);
  atomicXor(&words[3], x * 7);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = words[threadIdx.x];
}
