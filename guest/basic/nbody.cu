// N-body gravity: tiles of positions in shared memory, correctly rounded arithmetic throughout.
#include "ww_guest.h"

// bodies: x, y, z, mass. Block of 64 threads; the number of bodies need not be a multiple.
WW_KERNEL void __launch_bounds__(64) nbody_step(const float4* bodies, const float4* velocities, float4* new_bodies,
                                                float4* new_velocities, u32 count, float dt) {
  __shared__ float4 tile[64];
  const u32 i = blockIdx.x * 64 + threadIdx.x;
  const float4 self = i < count ? bodies[i] : float4{};
  float3 pull = {};
  for (u32 first = 0; first < count; first += 64) {
    __syncthreads();
    tile[threadIdx.x] = first + threadIdx.x < count ? bodies[first + threadIdx.x] : float4{};
    __syncthreads();
    for (u32 j = 0; j < 64; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - self.x;
      const float dy = other.y - self.y;
      const float dz = other.z - self.z;
      const float square = ww::fma(dx, dx, ww::fma(dy, dy, ww::fma(dz, dz, 0.01f)));
      const float inverse = 1.0f / ww::sqrt(square);
      const float s = other.w * (inverse * inverse * inverse);
      pull.x = ww::fma(dx, s, pull.x);
      pull.y = ww::fma(dy, s, pull.y);
      pull.z = ww::fma(dz, s, pull.z);
    }
  }
  if (i >= count) return;
  float4 v = velocities[i];
  v.x = ww::fma(pull.x, dt, v.x);
  v.y = ww::fma(pull.y, dt, v.y);
  v.z = ww::fma(pull.z, dt, v.z);
  new_velocities[i] = v;
  new_bodies[i] = {ww::fma(v.x, dt, self.x), ww::fma(v.y, dt, self.y), ww::fma(v.z, dt, self.z), self.w};
}
