// What the sources here share: the words of CUDA C++ that clang without headers lacks, and the instructions that no operator
// stands for, as inline PTX. Nothing of NVIDIA's headers is used, so that the PTX holds our own code alone.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short s16;
typedef int s32;
typedef long long s64;

#ifdef __clang__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
static __device__ __forceinline__ u32 thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
static __device__ __forceinline__ u32 thread_y() { return __nvvm_read_ptx_sreg_tid_y(); }
static __device__ __forceinline__ u32 block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static __device__ __forceinline__ u32 block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
static __device__ __forceinline__ u32 threads_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
static __device__ __forceinline__ u32 blocks_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
static __device__ __forceinline__ void sync() { __nvvm_bar_sync(0); }
#else
static __device__ __forceinline__ u32 thread_x() { return threadIdx.x; }
static __device__ __forceinline__ u32 thread_y() { return threadIdx.y; }
static __device__ __forceinline__ u32 block_x() { return blockIdx.x; }
static __device__ __forceinline__ u32 block_y() { return blockIdx.y; }
static __device__ __forceinline__ u32 threads_x() { return blockDim.x; }
static __device__ __forceinline__ u32 blocks_x() { return gridDim.x; }
static __device__ __forceinline__ void sync() { __syncthreads(); }
#endif

static __device__ __forceinline__ u32 global_x() { return block_x() * threads_x() + thread_x(); }
static __device__ __forceinline__ u32 lane() {
  u32 r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}

// Bits of floats.
static __device__ __forceinline__ u32 bits_of(float x) {
  u32 r;
  asm("mov.b32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
}
static __device__ __forceinline__ float float_of(u32 x) {
  float r;
  asm("mov.b32 %0, %1;" : "=f"(r) : "r"(x));
  return r;
}
static __device__ __forceinline__ u64 bits_of(double x) {
  u64 r;
  asm("mov.b64 %0, %1;" : "=l"(r) : "d"(x));
  return r;
}
static __device__ __forceinline__ double double_of(u64 x) {
  double r;
  asm("mov.b64 %0, %1;" : "=d"(r) : "l"(x));
  return r;
}

// Correctly rounded operations.
static __device__ __forceinline__ float fused(float a, float b, float c) {
  float r;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
  return r;
}
static __device__ __forceinline__ double fused(double a, double b, double c) {
  double r;
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(r) : "d"(a), "d"(b), "d"(c));
  return r;
}
static __device__ __forceinline__ float root(float a) {
  float r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}
static __device__ __forceinline__ double root(double a) {
  double r;
  asm("sqrt.rn.f64 %0, %1;" : "=d"(r) : "d"(a));
  return r;
}
static __device__ __forceinline__ float absolute(float a) { return float_of(bits_of(a) & 0x7fffffffu); }
static __device__ __forceinline__ float smaller(float a, float b) { return a < b ? a : b; }
static __device__ __forceinline__ float larger(float a, float b) { return a > b ? a : b; }

// A number in [0, 1) of the upper 24 bits of a word.
static __device__ __forceinline__ float unit(u32 x) { return static_cast<float>(x >> 8) * 0x1p-24f; }

// e^x by its series after a reduction to [-ln2/2, ln2/2]; x within +-80.
static __device__ __forceinline__ float exponential(float x) {
  const float scaled = x * 1.44269504f;
  const s32 k = static_cast<s32>(scaled + (scaled < 0 ? -0.5f : 0.5f));
  const float t = fused(static_cast<float>(k), -0.693145752f, x) - static_cast<float>(k) * 1.42860677e-6f;
  float y = 1.0f / 720.0f;
  y = fused(y, t, 1.0f / 120.0f);
  y = fused(y, t, 1.0f / 24.0f);
  y = fused(y, t, 1.0f / 6.0f);
  y = fused(y, t, 0.5f);
  y = fused(y, t, 1.0f);
  y = fused(y, t, 1.0f);
  return y * float_of(static_cast<u32>(k + 127) << 23);
}

// Atomics.
static __device__ __forceinline__ u32 atomic_sum(u32* p, u32 x) {
  u32 r;
  asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(x) : "memory");
  return r;
}
static __device__ __forceinline__ u64 atomic_sum(u64* p, u64 x) {
  u64 r;
  asm volatile("atom.add.u64 %0, [%1], %2;" : "=l"(r) : "l"(p), "l"(x) : "memory");
  return r;
}
static __device__ __forceinline__ u32 atomic_smallest(u32* p, u32 x) {
  u32 r;
  asm volatile("atom.min.u32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(x) : "memory");
  return r;
}
static __device__ __forceinline__ u32 atomic_exclusive_or(u32* p, u32 x) {
  u32 r;
  asm volatile("atom.xor.b32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(x) : "memory");
  return r;
}
static __device__ __forceinline__ u32 atomic_swap(u32* p, u32 x) {
  u32 r;
  asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(x) : "memory");
  return r;
}
static __device__ __forceinline__ u32 atomic_compare_swap(u32* p, u32 expected, u32 desired) {
  u32 r;
  asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(p), "r"(expected), "r"(desired) : "memory");
  return r;
}
static __device__ __forceinline__ u64 atomic_compare_swap(u64* p, u64 expected, u64 desired) {
  u64 r;
  asm volatile("atom.cas.b64 %0, [%1], %2, %3;" : "=l"(r) : "l"(p), "l"(expected), "l"(desired) : "memory");
  return r;
}
static __device__ __forceinline__ void fence() { asm volatile("membar.gl;" ::: "memory"); }

// Lanes of a warp.
static __device__ __forceinline__ u32 shuffle(u32 x, u32 from, u32 mask = 0xffffffffu) {
  u32 r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(r) : "r"(x), "r"(from), "r"(mask));
  return r;
}
static __device__ __forceinline__ u32 shuffle_xor(u32 x, u32 with, u32 mask = 0xffffffffu) {
  u32 r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, %3;" : "=r"(r) : "r"(x), "r"(with), "r"(mask));
  return r;
}
static __device__ __forceinline__ u32 shuffle_up(u32 x, u32 by, u32 mask = 0xffffffffu) {
  u32 r;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, %3;" : "=r"(r) : "r"(x), "r"(by), "r"(mask));
  return r;
}
static __device__ __forceinline__ u32 votes_of(bool x, u32 mask = 0xffffffffu) {
  u32 r;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
               : "=r"(r)
               : "r"(static_cast<u32>(x)), "r"(mask));
  return r;
}
static __device__ __forceinline__ u32 population(u32 x) {
  u32 r;
  asm("popc.b32 %0, %1;" : "=r"(r) : "r"(x));
  return r;
}

// A word that depends on all bits of two.
static __device__ __forceinline__ u32 mixed(u32 a, u32 b) {
  a = (a ^ (b + 0x9e3779b9u)) * 0x85ebca6bu;
  a = (a ^ a >> 15) * 0xc2b2ae35u;
  return a ^ a >> 13;
}
