// Functions that call themselves: Ackermann's, quicksort, permutations, two that call each other, a tree's expression.
#include "device.h"

static __device__ __noinline__ u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static __device__ __noinline__ void quicksort(s32* v, s32 low, s32 high) {
  if (low >= high) return;
  const s32 pivot = v[(low + high) / 2];
  s32 i = low, j = high;
  while (i <= j) {
    while (v[i] < pivot) ++i;
    while (v[j] > pivot) --j;
    if (i <= j) {
      const s32 saved = v[i];
      v[i++] = v[j];
      v[j--] = saved;
    }
  }
  quicksort(v, low, j);
  quicksort(v, i, high);
}

static __device__ __noinline__ bool odd(u32 n);
static __device__ __noinline__ bool even(u32 n) { return n == 0 || odd(n - 1); }
static __device__ __noinline__ bool odd(u32 n) { return n != 0 && even(n - 1); }

// The value of a prefix expression: an operator in the low bits takes two more, else a number.
static __device__ __noinline__ double value(const u32* tokens, u32& at, u32 depth) {
  const u32 token = tokens[at++ & 31];
  if (depth == 0 || (token & 3) == 0) return static_cast<double>(static_cast<s32>(token) >> 20);
  const double a = value(tokens, at, depth - 1);
  const double b = value(tokens, at, depth - 1);
  switch (token & 3) {
    case 1: return a + b;
    case 2: return a - b;
    default: return b != 0 ? a / b : a;
  }
}

static __device__ __noinline__ u32 queens(u32 n, u32 columns, u32 left, u32 right) {
  const u32 all = (1u << n) - 1;
  if (columns == all) return 1;
  u32 count = 0;
  for (u32 open = all & ~(columns | left | right); open != 0; open &= open - 1) {
    const u32 bit = open & -open;
    count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}

extern "C" __global__ void recurse(const u32* in, u32* out, u32 size) {
  s32 v[24];
  for (u32 i = 0; i < 24; ++i) v[i] = static_cast<s32>(in[(global_x() * 5 + i) & 255]);
  quicksort(v, 0, 23);
  u32 sum = 0;
  for (u32 i = 0; i < 24; ++i) sum = mixed(sum, static_cast<u32>(v[i]));
  u32 at = 0;
  const u64 bits = bits_of(value(in + global_x(), at, 5));
  u32* mine = out + global_x() * 5;
  mine[0] = sum;
  mine[1] = static_cast<u32>(bits) ^ static_cast<u32>(bits >> 32);
  mine[2] = ackermann(2, in[global_x()] & 3) | static_cast<u32>(even(in[global_x()] & 31)) << 16;
  mine[3] = queens(size + (global_x() & 1), 0, 0, 0);
  mine[4] = at;
}
