// Calls: recursion with a stack of unknown depth, function pointers from a table, and from data.
#include "ww_guest.h"

namespace {

__device__ __attribute__((noinline)) u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Sorts in place by recursion, the way nobody should on a GPU: each lane its own array, depths differ.
__device__ __attribute__((noinline)) void quick_sort(s32* values, s32 low, s32 high) {
  if (low >= high) return;
  const s32 pivot = values[(low + high) / 2];
  s32 i = low;
  s32 j = high;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i <= j) {
      const s32 swap = values[i];
      values[i++] = values[j];
      values[j--] = swap;
    }
  }
  quick_sort(values, low, j);
  quick_sort(values, i, high);
}

__device__ __attribute__((noinline)) float op_add(float a, float b) {
  return a + b;
}
__device__ __attribute__((noinline)) float op_subtract(float a, float b) {
  return a - b;
}
__device__ __attribute__((noinline)) float op_multiply(float a, float b) {
  return a * b;
}
__device__ __attribute__((noinline)) float op_largest(float a, float b) {
  return ww::max(a, b);
}

using Operation = float (*)(float, float);
__device__ Operation operations[4] = {op_add, op_subtract, op_multiply, op_largest};

}  // namespace

WW_KERNEL void recursion_ackermann(u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = ackermann(i % 3, i % 7);
}

WW_KERNEL void recursion_sort(s32* values, u32 arrays, u32 length) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < arrays) quick_sort(values + i * length, 0, s32(length) - 1);
}

// A small stack machine: each lane follows its own program through the table.
WW_KERNEL void function_pointers(const u8* programs, const float* values, float* out, u32 count, u32 length) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float accumulator = values[i];
  for (u32 step = 0; step < length; ++step)
    accumulator = operations[programs[i * length + step] & 3](accumulator, values[(i + step) % count]);
  out[i] = accumulator;
}
