// Locks that threads of one warp and of several blocks take in turns; a ticket lock; a queue of messages between two warps.
#include "device.h"

struct Shared {
  u32 lock, ticket, serving, plain, tickets, largest;
};

static __device__ u32 load_acquire(const u32* p) {
  u32 r;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
  return r;
}
static __device__ void store_release(u32* p, u32 x) { asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); }

extern "C" __global__ void lock(const u32* in, Shared* shared, u32 rounds) {
  const u32 word = in[global_x()];
  for (u32 k = 0; k < rounds; ++k) {
    bool done = false;
    while (!done) {
      if (atomic_compare_swap(&shared->lock, 0u, 1u) == 0) {
        fence();
        *const_cast<volatile u32*>(&shared->plain) += word & 0xffff;
        fence();
        atomic_swap(&shared->lock, 0u);
        done = true;
      }
    }
  }
  const u32 mine = atomic_sum(&shared->ticket, 1u);
  for (;;) {
    if (load_acquire(&shared->serving) == mine) {
      const u32 seen = *const_cast<volatile u32*>(&shared->largest);
      *const_cast<volatile u32*>(&shared->largest) = seen > word ? seen : word;
      *const_cast<volatile u32*>(&shared->tickets) += 1;
      store_release(&shared->serving, mine + 1);
      break;
    }
  }
}

extern "C" __global__ void queue(const u32* in, u32* out, u32 n) {
  __shared__ u32 slots[8], head, tail;
  if (thread_x() == 0) head = tail = 0;
  sync();
  if (thread_x() == 0) {
    for (u32 i = 0; i < n; ++i) {
      while (i - *const_cast<volatile u32*>(&tail) >= 8) {
      }
      *const_cast<volatile u32*>(&slots[i & 7]) = in[i] * 3 + block_x();
      asm volatile("membar.cta;" ::: "memory");
      *const_cast<volatile u32*>(&head) = i + 1;
    }
  } else if (thread_x() == 32) {
    u32 sum = 0;
    for (u32 i = 0; i < n; ++i) {
      while (*const_cast<volatile u32*>(&head) == i) {
      }
      asm volatile("membar.cta;" ::: "memory");
      sum = mixed(sum, *const_cast<volatile u32*>(&slots[i & 7]));
      asm volatile("membar.cta;" ::: "memory");
      *const_cast<volatile u32*>(&tail) = i + 1;
    }
    out[block_x()] = sum;
  }
}
