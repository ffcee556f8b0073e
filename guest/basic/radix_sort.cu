// One block sorts 1,024 keys by radix, a bit at a time: ballots, popcounts and scans.
#include "ww_guest.h"

// 1,024 threads, one key each; `bits` low bits are sorted.
WW_KERNEL void __launch_bounds__(1024) radix_sort(u32* keys, u32 bits) {
  __shared__ u32 buffer[1024];
  __shared__ u32 zeros_of_warp[32];
  const u32 t = threadIdx.x;
  const u32 lane = t % 32;
  u32 key = keys[t];
  for (u32 bit = 0; bit < bits; ++bit) {
    const bool is_zero = ((key >> bit) & 1) == 0;
    const u32 zeros = __ballot_sync(ww::kFullMask, is_zero);
    if (lane == 0) zeros_of_warp[t / 32] = ww::popcount(zeros);
    __syncthreads();
    u32 before = 0;
    u32 all = 0;
    for (u32 warp = 0; warp < 32; ++warp) {
      if (warp < t / 32) before += zeros_of_warp[warp];
      all += zeros_of_warp[warp];
    }
    before += ww::popcount(zeros & ((1u << lane) - 1));
    buffer[is_zero ? before : all + t - before] = key;
    __syncthreads();
    key = buffer[t];
    __syncthreads();
  }
  keys[t] = key;
}
