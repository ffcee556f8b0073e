// What lanes of a warp tell each other: votes, matches, shuffles of every kind, reductions, also on part of a warp.
#include "ww_guest.h"

WW_DEVICE u32 match_all(u32 mask, u32 value, u32& agreed) {
  u32 d;
  asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b32 %0|p, %2, %3;\n\tselp.u32 %1, 1, 0, p;\n\t}"
               : "=r"(d), "=r"(agreed)
               : "r"(value), "r"(mask));
  return d;
}
#define REDUX(name, instruction)                                                              \
  WW_DEVICE u32 name(u32 mask, u32 value) {                                                   \
    u32 d;                                                                                    \
    asm volatile("redux.sync." instruction " %0, %1, %2;" : "=r"(d) : "r"(value), "r"(mask)); \
    return d;                                                                                 \
  }
REDUX(redux_add, "add.u32")
REDUX(redux_min, "min.s32")
REDUX(redux_max, "max.u32")
REDUX(redux_and, "and.b32")
REDUX(redux_or, "or.b32")
REDUX(redux_xor, "xor.b32")
#undef REDUX

// Whole warps. out: 8 words a thread.
WW_KERNEL void warp_votes(const u32* in, u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 x = in[i];
  u32* r = out + 8 * i;
  r[0] = __ballot_sync(ww::kFullMask, x & 1);
  r[1] = u32(__any_sync(ww::kFullMask, (x & 63) == 0)) << 1 | u32(__all_sync(ww::kFullMask, (x >> 28) < 15));
  r[2] = __match_any_sync(ww::kFullMask, x & 7);
  u32 agreed;
  r[3] = match_all(ww::kFullMask, i / 64, agreed);
  r[3] += agreed;
  r[4] = redux_add(ww::kFullMask, x) ^ redux_xor(ww::kFullMask, x);
  r[5] = redux_min(ww::kFullMask, x) + redux_max(ww::kFullMask, x);
  r[6] = redux_and(ww::kFullMask, x | 0xfff0) ^ redux_or(ww::kFullMask, x & 0xff);
  r[7] = ww::lane_id() | (threadIdx.x / 32) << 8;
}

// Shuffles over segments of every width, with lanes out of range. out: 8 words a thread.
WW_KERNEL void warp_shuffles(const u32* in, u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 x = in[i];
  u32* r = out + 8 * i;
  r[0] = __shfl_sync(ww::kFullMask, x, x & 31);
  r[1] = __shfl_sync(ww::kFullMask, x, x >> 3, 8);
  r[2] = __shfl_up_sync(ww::kFullMask, x, 5);
  r[3] = __shfl_up_sync(ww::kFullMask, x, 3, 16);
  r[4] = __shfl_down_sync(ww::kFullMask, x, 9);
  r[5] = __shfl_down_sync(ww::kFullMask, x, 1, 4);
  r[6] = __shfl_xor_sync(ww::kFullMask, x, 21);
  // The predicate says whether the source lane was in range.
  u32 d, in_range;
  asm volatile("{\n\t.reg .pred p;\n\tshfl.sync.down.b32 %0|p, %2, 7, 0x1f, -1;\n\tselp.u32 %1, 1, 0, p;\n\t}"
               : "=r"(d), "=r"(in_range)
               : "r"(x));
  r[7] = d ^ in_range;
}

// Lanes that diverged speak among themselves: odd and even lanes, then lanes below a bound.
WW_KERNEL void warp_partial(const u32* in, u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 lane = ww::lane_id();
  const u32 x = in[i];
  u32 result;
  if (lane & 1) {
    result = __shfl_xor_sync(0xaaaaaaaau, x, 2) + __ballot_sync(0xaaaaaaaau, x & 2);
  } else {
    result = __shfl_up_sync(0x55555555u, x, 4) ^ redux_add(0x55555555u, x);
  }
  __syncwarp();
  if (lane < 11) {
    u32 sum = x;
    for (u32 delta = 1; delta < 11; delta *= 2) {
      const u32 below = __shfl_up_sync(0x7ffu, sum, delta);
      if (lane >= delta) sum += below;
    }
    result ^= sum;
    result += __match_any_sync(0x7ffu, x & 3);
  }
  out[i] = result;
}
