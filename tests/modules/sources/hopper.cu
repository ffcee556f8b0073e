// Blocks that work as a cluster (sm_90): barriers in shared memory with transactions, bulk copies, another block's shared memory.
#include "device.h"

static __device__ u32 shared_address(const void* p) {
  u32 r;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(r) : "l"(p));
  return r;
}

#ifdef __clang__
#define WW_CLUSTER __attribute__((cluster_dims(2, 1, 1)))
#else
#define WW_CLUSTER __cluster_dims__(2, 1, 1)
#endif

extern "C" __global__ void WW_CLUSTER exchange(const u32* in, u32* out, u32 rounds) {
  __shared__ __align__(128) u32 tile[64];
  __shared__ __align__(8) u64 barrier;
  const u32 b = shared_address(&barrier);
  if (thread_x() == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
  sync();
  u32 sum = 0;
  for (u32 k = 0; k < rounds; ++k) {
    if (thread_x() == 0) {
      asm volatile(
          "{\n\t.reg .b64 s;\n\tmbarrier.arrive.expect_tx.shared.b64 s, [%0], 256;\n\t"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 256, [%0];\n\t}" ::"r"(b),
          "r"(shared_address(tile)), "l"(in + ((block_x() * 64 + k * 64) & 255))
          : "memory");
    }
    u32 done = 0;
    while (done == 0) {
      asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                   : "=r"(done)
                   : "r"(b), "r"(k & 1)
                   : "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    u32 other;
    asm volatile(
        "{\n\t.reg .u32 a, r;\n\tmov.u32 r, %%cluster_ctarank;\n\txor.b32 r, r, 1;\n\tmapa.shared::cluster.u32 a, %1, r;\n\t"
        "ld.shared::cluster.u32 %0, [a];\n\t}"
        : "=r"(other)
        : "r"(shared_address(&tile[thread_x() & 63]))
        : "memory");
    sum = mixed(sum, other) + tile[63 - (thread_x() & 63)];
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  }
  out[global_x()] = sum;
}
