// Rays against a tree of boxes, walked with a stack in local memory; the tree is implicit (node i has children 2i+1 and 2i+2),
// its boxes are made from the input by every block for itself.
#include "device.h"

struct Vector {
  float x, y, z;
};
struct Box {
  Vector low, high;
};

static __device__ float component(const Vector& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static __device__ __noinline__ bool hit(const Box& box, const Vector& from, const Vector& inverse, float& nearest) {
  float enter = 0.0f, leave = nearest;
  for (int axis = 0; axis < 3; ++axis) {
    const float a = (component(box.low, axis) - component(from, axis)) * component(inverse, axis);
    const float b = (component(box.high, axis) - component(from, axis)) * component(inverse, axis);
    enter = larger(enter, smaller(a, b));
    leave = smaller(leave, larger(a, b));
  }
  if (enter > leave) return false;
  nearest = enter;
  return true;
}

// 0 for the root, 1 for its children, ...
static __device__ u32 level_of(u32 node) {
  u32 r;
  asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(node + 1));
  return r;
}

extern "C" __global__ void trace(const u32* in, u32* out, u32 depth) {
  __shared__ Box boxes[127];
  const u32 nodes = (1u << depth) - 1;
  for (u32 i = thread_x(); i < nodes; i += threads_x()) {
    const Vector centre = {unit(in[3 * i]) * 8 - 4, unit(in[3 * i + 1]) * 8 - 4, unit(in[3 * i + 2]) * 8};
    const float radius = i == 0 ? 16.0f : 4.0f / static_cast<float>(level_of(i) + 1);
    boxes[i].low = {centre.x - radius, centre.y - radius, centre.z - radius};
    boxes[i].high = {centre.x + radius, centre.y + radius, centre.z + radius};
  }
  sync();
  const u32 seed = in[400 + global_x()];
  const Vector from = {0.25f, -0.5f, -3.0f};
  const Vector direction = {unit(seed) - 0.5f, unit(seed << 8) - 0.5f, 1.0f};
  const Vector inverse = {1.0f / direction.x, 1.0f / direction.y, 1.0f / direction.z};
  u32 stack[32], top = 0, visited = 0, best = 0xffff;
  float nearest = 1e30f;
  stack[top++] = 0;
  while (top != 0) {
    const u32 node = stack[--top];
    ++visited;
    float t = nearest;
    if (!hit(boxes[node], from, inverse, t)) continue;
    if (2 * node + 2 < nodes) {
      const bool swap = seed >> (node & 31) & 1;
      stack[top++] = 2 * node + 1 + swap;
      stack[top++] = 2 * node + 2 - swap;
    } else if (t < nearest) {
      nearest = t;
      best = node;
    }
  }
  out[2 * global_x()] = bits_of(nearest);
  out[2 * global_x() + 1] = best | visited << 16;
}
