// Every kind of atomic in shared and global memory at several scopes, with results that no order changes: counts, sums of integers
// in 32 and 64 bits and of whole floats, minima, bits, wrapping counters, a maximum of doubles by compare and swap, reductions.
#include "device.h"

struct Totals {
  u32 sum, low, high, ones, zeros, flips, wrapped, unused;
  u64 wide, widest;
  float real;
  u32 padding;
  double precise, largest;
};

static __device__ void raise(double* p, double x) {
  u64* word = reinterpret_cast<u64*>(p);
  u64 seen = *const_cast<volatile u64*>(word);
  while (double_of(seen) < x) {
    const u64 before = atomic_compare_swap(word, seen, bits_of(x));
    if (before == seen) break;
    seen = before;
  }
}

extern "C" __global__ void prepare(Totals* totals) {
  totals[thread_x()].low = totals[thread_x()].zeros = 0xffffffffu;
  totals[thread_x()].largest = -1.0;
}

extern "C" __global__ void count(const u32* in, Totals* totals, u32* out) {
  __shared__ u32 bins[9];
  if (thread_x() < 9) bins[thread_x()] = 0;
  sync();
  const u32 x = in[global_x()];
  Totals* t = totals + (x & 1);
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&t->sum), "r"(x >> 8) : "memory");
  asm volatile("red.relaxed.gpu.global.min.u32 [%0], %1;" ::"l"(&t->low), "r"(x) : "memory");
  asm volatile("red.release.sys.global.max.u32 [%0], %1;" ::"l"(&t->high), "r"(x) : "memory");
  asm volatile("red.global.or.b32 [%0], %1;" ::"l"(&t->ones), "r"(x & 0x10101010u) : "memory");
  asm volatile("red.global.and.b32 [%0], %1;" ::"l"(&t->zeros), "r"(x | 0xfff00fffu) : "memory");
  asm volatile("red.global.xor.b32 [%0], %1;" ::"l"(&t->flips), "r"(x) : "memory");
  u32 old;
  asm volatile("atom.global.inc.u32 %0, [%1], 36;" : "=r"(old) : "l"(&t->wrapped) : "memory");
  u64 before;
  asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(&t->wide), "l"(static_cast<u64>(x) << 20) : "memory");
  asm volatile("red.global.max.u64 [%0], %1;" ::"l"(&t->widest), "l"(static_cast<u64>(x) * x) : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&t->real), "f"(static_cast<float>(x & 63) - 20.0f) : "memory");
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(&t->precise), "d"(static_cast<double>(x >> 12) * 0.5) : "memory");
  raise(&t->largest, static_cast<double>(x) * 1.5);
  atomic_sum(&bins[x & 7], 1u);
  u32 shared_old;
  asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; atom.cta.shared.exch.b32 %0, [a], %2; }"
               : "=r"(shared_old)
               : "l"(&bins[8]), "r"(99)
               : "memory");
  sync();
  out[global_x()] = (old < 37) | static_cast<u32>(before < 1ull << 62) << 1 | bins[thread_x() % 7] << 8 | bins[8] << 20;
}
