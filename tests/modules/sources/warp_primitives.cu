// Lanes together: scans by shuffles, compaction by ballots, groups by match, redux, elections under divergence, tiles of eight lanes.
#include "device.h"

// Lanes of a power of two that act together.
template <u32 kSize>
struct Tile {
  u32 mask;
  __device__ Tile() : mask(kSize == 32 ? 0xffffffffu : ((1u << (kSize & 31)) - 1) << (lane() / kSize * kSize)) {}
  __device__ u32 rank() const { return lane() % kSize; }
  __device__ u32 sum(u32 x) const {
    for (u32 with = kSize / 2; with > 0; with /= 2) x += shuffle_xor(x, with, mask);
    return x;
  }
  __device__ u32 first(u32 x) const { return shuffle(x, lane() / kSize * kSize, mask); }
  __device__ void wait() const { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
};

static __device__ u32 same(u32 x, u32 mask) {
  u32 r;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(mask));
  return r;
}
static __device__ u32 total(u32 x, u32 mask) {
  u32 r;
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(mask));
  return r;
}

extern "C" __global__ void lanes(const u32* in, u32* out, u32 n) {
  __shared__ u32 compact[64], filled;
  const u32 i = global_x(), x = in[i % n];
  u32 scan = x & 0xff;
  for (u32 by = 1; by < 32; by *= 2) {
    const u32 other = shuffle_up(scan, by);
    if (lane() >= by) scan += other;
  }
  if (thread_x() == 0) filled = 0;
  if (thread_x() < 64) compact[thread_x()] = 0;
  sync();
  const u32 kept = votes_of(x & 1);
  if (thread_x() < 32 && (x & 1)) compact[population(kept & ((1u << lane()) - 1))] = x;
  if (lane() == 0) atomic_sum(&filled, population(kept));
  sync();
  const Tile<8> tile;
  u32 group = tile.sum(x >> 8 & 0xff) * 3 + tile.first(x);
  tile.wait();
  const u32 odd = votes_of(x & 2);
  if (x & 2) {
    const u32 members = same(x >> 4 & 3, odd);
    group ^= total(x & 0xffff, members) + population(members);
  } else {
    const Tile<32> all;
    group += all.mask & lane();
  }
  out[4 * i] = scan;
  out[4 * i + 1] = compact[thread_x() & 63];
  out[4 * i + 2] = group;
  out[4 * i + 3] = filled;
}
