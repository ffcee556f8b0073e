// Breadth-first distances in a graph, a level a launch, with a queue in global memory; components by hooking; a count of triangles.
#include "device.h"

static __device__ u32 neighbour(const u32* in, u32 node, u32 k, u32 n) { return in[(node * 3 + k) % 768] % n; }

extern "C" __global__ void start(u32* distance, u32* component, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  distance[i] = i == 0 ? 0 : 0xffffffffu;
  component[i] = i;
}

extern "C" __global__ void level(const u32* in, u32* distance, const u32* queue, u32* next, u32 depth, u32 n) {
  const u32 i = global_x();
  if (i >= (depth == 0 ? 1 : queue[0])) return;
  const u32 node = depth == 0 ? 0 : queue[1 + i];
  for (u32 k = 0; k < 3; ++k) {
    const u32 to = neighbour(in, node, k, n);
    if (atomic_compare_swap(&distance[to], 0xffffffffu, depth + 1) == 0xffffffffu) next[1 + atomic_sum(&next[0], 1u)] = to;
  }
}

extern "C" __global__ void hook(const u32* in, u32* component, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  for (u32 k = 0; k < 1; ++k) {
    u32 a = i, b = neighbour(in, i, k, n);
    for (;;) {
      while (a != *const_cast<volatile u32*>(&component[a])) a = *const_cast<volatile u32*>(&component[a]);
      while (b != *const_cast<volatile u32*>(&component[b])) b = *const_cast<volatile u32*>(&component[b]);
      if (a == b) break;
      const u32 high = a > b ? a : b, low = a > b ? b : a;
      if (atomic_compare_swap(&component[high], high, low) == high) break;
    }
  }
}

extern "C" __global__ void flatten(const u32* in, u32* component, u32* triangles, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u32 at = i;
  while (component[at] != at) at = component[at];
  u32 count = 0;
  for (u32 a = 0; a < 3; ++a)
    for (u32 b = 0; b < 3; ++b)
      for (u32 c = 0; c < 3; ++c) count += neighbour(in, neighbour(in, neighbour(in, i, a, n), b, n), c, n) == i;
  triangles[i] = count | at << 8;
}
