// Sums and maxima: by shuffles, through shared memory, and over the whole grid with a ticket.
#include "ww_guest.h"

namespace {

template <class T>
WW_DEVICE T warp_sum(T value) {
  for (u32 lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(ww::kFullMask, value, lanes);
  return value;
}

}  // namespace

// One sum a warp; the tail of the input counts as zeros.
WW_KERNEL void reduce_shuffle(const float* in, float* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = warp_sum(i < count ? in[i] : 0.0f);
  if (ww::lane_id() == 0) out[i / 32] = sum;
}

// One sum a block of 256 threads, two elements a thread, by halving in shared memory.
WW_KERNEL void reduce_shared(const float* in, float* out, u32 count) {
  __shared__ float partial[256];
  const u32 t = threadIdx.x;
  const u32 i = blockIdx.x * 512 + t;
  partial[t] = (i < count ? in[i] : 0.0f) + (i + 256 < count ? in[i + 256] : 0.0f);
  __syncthreads();
  for (u32 half = 128; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

// The largest value and its place, by shuffles of pairs.
WW_KERNEL void reduce_argmax(const float* in, u32* out, u32 count) {
  const u32 lane = threadIdx.x;
  float best = -ww::kInfinity;
  u32 place = ~0u;
  for (u32 i = lane; i < count; i += 32) {
    if (in[i] > best) {
      best = in[i];
      place = i;
    }
  }
  for (u32 delta = 16; delta > 0; delta /= 2) {
    const float other = __shfl_down_sync(ww::kFullMask, best, delta);
    const u32 other_place = __shfl_down_sync(ww::kFullMask, place, delta);
    if (other > best || (other == best && other_place < place)) {
      best = other;
      place = other_place;
    }
  }
  if (lane == 0) {
    out[0] = ww::bits<u32>(best);
    out[1] = place;
  }
}

// The last block to finish adds up what all blocks left: integers, so that the order doesn't matter.
WW_KERNEL void reduce_grid(const u32* in, u64* partial, u32* ticket, u64* out, u32 count) {
  __shared__ u64 sums[4];
  __shared__ bool is_last;
  const u32 t = threadIdx.x;
  u32 low = 0;
  for (u32 i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x) low += in[i] >> 8;
  const u32 sum = warp_sum(low);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t == 0) {
    partial[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
    __threadfence();
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || t != 0) return;
  __threadfence();
  u64 total = 0;
  for (u32 block = 0; block < gridDim.x; ++block) total += static_cast<volatile u64*>(partial)[block];
  *out = total;
}
