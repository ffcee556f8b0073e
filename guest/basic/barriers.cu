// Barriers beyond __syncthreads: named ones with a part of the block, producers and consumers, and reductions at a
// barrier.
#include "ww_guest.h"

namespace {

// bar.sync: waits; bar.arrive: does not. `threads` counts both.
WW_DEVICE void barrier_sync(u32 name, u32 threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}
WW_DEVICE void barrier_arrive(u32 name, u32 threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

}  // namespace

// Warp 0 produces rows, warp 1 consumes them, through two buffers and four barriers.
WW_KERNEL void barrier_pipeline(const u32* in, u32* out, u32 rows) {
  __shared__ u32 buffers[2][32];
  const u32 lane = threadIdx.x % 32;
  const bool is_producer = threadIdx.x < 32;
  for (u32 row = 0; row < rows; ++row) {
    const u32 stage = row % 2;
    const u32 full = 1 + stage;
    const u32 empty = 3 + stage;
    if (is_producer) {
      if (row >= 2) barrier_sync(empty, 64);
      buffers[stage][lane] = in[row * 32 + lane] * 3 + row;
      __threadfence_block();
      barrier_arrive(full, 64);
    } else {
      barrier_sync(full, 64);
      out[row * 32 + lane] = buffers[stage][31 - lane];
      if (row + 2 < rows) barrier_arrive(empty, 64);
    }
  }
}

// Counts, ands and ors a predicate over the block.
WW_KERNEL void barrier_reduce(const u32* in, u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 x = in[i];
  u32 count, all, any;
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tbarrier.sync.aligned 0;\n\tbar.red.popc.u32 %0, 0, p;\n\t}"
      : "=r"(count)
      : "r"(x & 3)
      : "memory");
  asm volatile(
      "{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\tbar.red.and.pred q, 0, p;\n\tselp.u32 %0, 1, 0, q;\n\t}"
      : "=r"(all)
      : "r"(x | 1)
      : "memory");
  asm volatile(
      "{\n\t.reg .pred p, q;\n\tsetp.eq.u32 p, %1, 0;\n\tbar.red.or.pred q, 0, p;\n\tselp.u32 %0, 1, 0, q;\n\t}"
      : "=r"(any)
      : "r"(x & 0xfffff)
      : "memory");
  out[i] = count << 2 | all << 1 | any;
}
