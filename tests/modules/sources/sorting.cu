// Sorts: a bitonic network in dynamic shared memory with keys and values, a radix sort of a warp by ballots, heap sort of one
// thread's own array, a merge of two sorted runs by binary search.
#include "device.h"

extern __shared__ u64 pairs[];

extern "C" __global__ void bitonic(const u32* in, u64* out, u32 n) {
  const u32 t = thread_x(), base = block_x() * n;
  for (u32 i = t; i < n; i += threads_x()) pairs[i] = static_cast<u64>(in[base + i]) << 32 | i;
  for (u32 size = 2; size <= n; size *= 2) {
    for (u32 stride = size / 2; stride > 0; stride /= 2) {
      sync();
      for (u32 i = t; i < n; i += threads_x()) {
        const u32 other = i ^ stride;
        if (other > i) {
          const u64 a = pairs[i], b = pairs[other];
          if ((a > b) == ((i & size) == 0)) {
            pairs[i] = b;
            pairs[other] = a;
          }
        }
      }
    }
  }
  sync();
  for (u32 i = t; i < n; i += threads_x()) out[base + i] = pairs[i];
}

extern "C" __global__ void radix(const u32* in, u32* out, u32 bits) {
  u32 key = in[global_x()];
  for (u32 bit = 0; bit < bits; ++bit) {
    const u32 ones = votes_of(key >> bit & 1), below = (1u << lane()) - 1;
    const u32 zeros = 32 - population(ones);
    const u32 rank = key >> bit & 1 ? zeros + population(ones & below) : population(~ones & below);
    __shared__ u32 exchange[4][32];
    exchange[thread_x() / 32][rank] = key;
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    key = exchange[thread_x() / 32][lane()];
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  }
  out[global_x()] = key;
}

template <class T, class Less>
static __device__ void sift(T* heap, u32 root, u32 count, Less less) {
  for (;;) {
    u32 child = 2 * root + 1;
    if (child >= count) return;
    if (child + 1 < count && less(heap[child], heap[child + 1])) ++child;
    if (!less(heap[root], heap[child])) return;
    const T saved = heap[root];
    heap[root] = heap[child];
    heap[child] = saved;
    root = child;
  }
}

struct Descending {
  __device__ bool operator()(s16 a, s16 b) const { return a > b; }
};

extern "C" __global__ void heap(const u32* in, s16* out, u32 n) {
  s16 mine[16];
  for (u32 i = 0; i < 16; ++i) mine[i] = static_cast<s16>(in[(global_x() * 16 + i) % n] >> (i & 15));
  const Descending less{};
  for (u32 i = 8; i-- > 0;) sift(mine, i, 16, less);
  for (u32 i = 15; i > 0; --i) {
    const s16 saved = mine[0];
    mine[0] = mine[i];
    mine[i] = saved;
    sift(mine, 0, i, less);
  }
  for (u32 i = 0; i < 16; ++i) out[global_x() * 16 + i] = mine[i];
}
