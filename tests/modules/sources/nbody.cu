// Bodies that attract each other: positions pass through shared memory a tile at a time; two steps, two buffers.
#include "device.h"

struct __align__(16) Body {
  float x, y, z, mass;
};

extern "C" __global__ void place(const u32* in, Body* bodies, Body* speeds) {
  const u32 i = global_x();
  bodies[i] = {unit(in[i]), unit(in[i] << 8), unit(in[i] * 2654435761u), 0.5f + unit(in[i] * 97u)};
  speeds[i] = {0, 0, 0, 0};
}

extern "C" __global__ void step(const Body* from, Body* to, Body* speeds, u32 n, float dt) {
  __shared__ Body tile[64];
  const u32 i = global_x();
  const Body me = from[i];
  float ax = 0, ay = 0, az = 0;
  for (u32 base = 0; base < n; base += 64) {
    sync();
    tile[thread_x()] = from[base + thread_x()];
    sync();
#pragma unroll 8
    for (u32 j = 0; j < 64; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float square = fused(dx, dx, fused(dy, dy, fused(dz, dz, 0.01f)));
      const float inverse = 1.0f / root(square);
      const float force = tile[j].mass * (inverse * inverse * inverse);
      ax = fused(force, dx, ax);
      ay = fused(force, dy, ay);
      az = fused(force, dz, az);
    }
  }
  Body v = speeds[i];
  v.x = fused(ax, dt, v.x);
  v.y = fused(ay, dt, v.y);
  v.z = fused(az, dt, v.z);
  speeds[i] = v;
  to[i] = {fused(v.x, dt, me.x), fused(v.y, dt, me.y), fused(v.z, dt, me.z), me.mass};
}
