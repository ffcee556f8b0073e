// Breadth-first search on a graph of adjacency lists, one launch a level, with a queue filled through compare and swap.
#include "ww_guest.h"

constexpr u32 kUnseen = ~0u;

// queue_sizes: one counter a level. Only the set of a level's vertices is fixed, not their order in the queue.
WW_KERNEL void bfs_level(const u32* first_edge, const u32* edges, u32* depth, u32* queues, u32* queue_sizes,
                         u32 vertices, u32 level) {
  const u32* queue = queues + level % 2 * vertices;
  u32* next = queues + (level + 1) % 2 * vertices;
  const u32 size = queue_sizes[level];
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    const u32 vertex = queue[i];
    for (u32 e = first_edge[vertex]; e < first_edge[vertex + 1]; ++e) {
      const u32 neighbour = edges[e];
      if (atomicCAS(&depth[neighbour], kUnseen, level + 1) == kUnseen)
        next[atomicAdd(&queue_sizes[level + 1], 1u)] = neighbour;
    }
  }
}

// Marks all vertices as unseen and seeds the queue; one block.
WW_KERNEL void bfs_start(u32* depth, u32* queues, u32* queue_sizes, u32 vertices, u32 start) {
  for (u32 i = threadIdx.x; i < vertices; i += blockDim.x) depth[i] = i == start ? 0 : kUnseen;
  if (threadIdx.x == 0) {
    queues[0] = start;
    queue_sizes[0] = 1;
  }
}
