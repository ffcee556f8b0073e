// Arrays of a thread's own that are indexed by data, byte and bit access, structs by value, generic pointers to every
// space.
#include "ww_guest.h"

namespace {

__constant__ u16 kPrimes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

}  // namespace

// A counting sort of 24 digits in local memory.
WW_KERNEL void local_sort(const u8* in, u8* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  u8 counts[16] = {};
  u8 sorted[24];
  for (u32 k = 0; k < 24; ++k) ++counts[in[i * 24 + k] & 15];
  u32 place = 0;
  for (u32 digit = 0; digit < 16; ++digit)
    for (u32 n = 0; n < counts[digit]; ++n) sorted[place++] = u8(digit);
  for (u32 k = 0; k < 24; ++k) out[i * 24 + k] = sorted[(k * 5) % 24];
}

struct Settings {
  u8 shift;
  u16 factor;
  u32 offset;
  float4 weights;
  u64 mask;
};

// A struct by value, with padding between its members.
WW_KERNEL void by_value(Settings settings, const u32* in, u64* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float w = (&settings.weights.x)[i % 4];
  out[i] = ((u64(in[i]) * settings.factor >> settings.shift) + settings.offset + u32(w)) & settings.mask;
}

// One function on pointers to global, shared, constant and local memory.
WW_DEVICE u32 sum_of(const u16* values, u32 count) {
  u32 sum = 0;
  for (u32 i = 0; i < count; ++i) sum = sum * 31 + values[i];
  return sum;
}
__device__ __attribute__((noinline)) u32 sum_generic(const u16* values, u32 count) {
  return sum_of(values, count);
}
WW_KERNEL void generic_pointers(const u16* in, u32* out) {
  __shared__ u16 shared[64];
  u16 local[16];
  const u32 t = threadIdx.x;
  shared[t] = u16(in[t] + t);
  for (u32 i = 0; i < 16; ++i) local[i] = u16(in[(t * i) % 64] ^ i);
  __syncthreads();
  const u16* choice = t % 4 == 0 ? in + t % 32 : t % 4 == 1 ? shared + t % 32 : t % 4 == 2 ? kPrimes : local;
  out[t] = sum_generic(choice, 16);
}

// Dynamic shared memory, sized at the launch: reverses rows.
WW_KERNEL void dynamic_shared(const u32* in, u32* out, u32 width) {
  extern __shared__ u32 row[];
  for (u32 i = threadIdx.x; i < width; i += blockDim.x) row[i] = in[blockIdx.x * width + i];
  __syncthreads();
  for (u32 i = threadIdx.x; i < width; i += blockDim.x) out[blockIdx.x * width + i] = row[width - 1 - i];
}
