// Groups by hand: blocks that leave sums, the last of which adds them up; named barriers between producers and consumers; counts,
// unions and intersections at a barrier; sums of floats whose order does not matter.
#include "device.h"

__device__ u32 arrived = 0;
__device__ u64 partial[16];

extern "C" __global__ void sums(const u32* in, u64* out, u32 n) {
  __shared__ u64 total;
  __shared__ bool last;
  if (thread_x() == 0) total = 0;
  sync();
  u64 mine = 0;
  for (u32 i = global_x(); i < n; i += threads_x() * blocks_x()) mine += static_cast<u64>(in[i]) * in[(i + 1) % n];
  atomic_sum(&total, mine);
  sync();
  if (thread_x() == 0) {
    partial[block_x()] = total;
    fence();
    last = atomic_sum(&arrived, 1u) == blocks_x() - 1;
  }
  sync();
  if (!last) return;
  fence();
  if (thread_x() == 0) {
    u64 sum = 0;
    for (u32 i = 0; i < blocks_x(); ++i) sum = sum * 3 + *const_cast<volatile u64*>(&partial[i]);
    out[0] = sum;
    arrived = 0;
  }
}

extern "C" __global__ void stages(const u32* in, u32* out, u32 rounds) {
  __shared__ u32 buffer[2][64], result[64];
  const u32 t = thread_x() & 63;
  u32 sum = 0;
  // Threads 0 to 63 make, 64 to 127 use: barriers 1 and 2 say full, 3 and 4 empty.
  if (thread_x() < 64) {
    for (u32 k = 0; k < rounds; ++k) {
      if (k >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + (k & 1)) : "memory");
      buffer[k & 1][t] = mixed(in[(block_x() * 64 + t) & 255], k);
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + (k & 1)) : "memory");
    }
  } else {
    for (u32 k = 0; k < rounds; ++k) {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + (k & 1)) : "memory");
      sum = sum * 5 + buffer[k & 1][63 - t];
      if (k + 2 < rounds) asm volatile("bar.arrive %0, 128;" ::"r"(3 + (k & 1)) : "memory");
    }
    result[t] = sum;
  }
  sync();
  u32 count, all, any;
  asm volatile(
      "{\n\t.reg .pred p, q, r;\n\tsetp.gt.u32 p, %3, 0x80000000;\n\tbar.red.popc.u32 %0, 0, p;\n\tbar.red.and.pred q, 0, p;\n\t"
      "bar.red.or.pred r, 0, p;\n\tselp.u32 %1, 1, 0, q;\n\tselp.u32 %2, 1, 0, r;\n\t}"
      : "=r"(count), "=r"(all), "=r"(any)
      : "r"(in[thread_x()])
      : "memory");
  out[global_x()] = result[t] ^ count << 24 ^ all << 1 ^ any;
}
