// Light among spheres: paths with diffuse, mirroring and glass surfaces, random numbers of each thread's own, arrays in local memory.
#include "device.h"

struct Vector {
  float x, y, z;
  __device__ Vector operator+(const Vector& o) const { return {x + o.x, y + o.y, z + o.z}; }
  __device__ Vector operator-(const Vector& o) const { return {x - o.x, y - o.y, z - o.z}; }
  __device__ Vector operator*(float s) const { return {x * s, y * s, z * s}; }
  __device__ float dot(const Vector& o) const { return fused(x, o.x, fused(y, o.y, z * o.z)); }
  __device__ Vector unit() const { return *this * (1.0f / root(dot(*this))); }
};

enum class Surface { kDiffuse, kMirror, kGlass, kLight };
struct Sphere {
  Vector centre;
  float radius;
  Surface surface;
  float colour;
};

__constant__ Sphere scene[5] = {{{0, -1000, 0}, 1000, Surface::kDiffuse, 0.5f},
                                {{0, 1, 4}, 1, Surface::kGlass, 1.0f},
                                {{-2, 1, 5}, 1, Surface::kMirror, 0.9f},
                                {{2, 1.25f, 5}, 1.25f, Surface::kDiffuse, 0.7f},
                                {{0, 6, 3}, 2, Surface::kLight, 8.0f}};

struct Random {
  u32 state;
  __device__ float next() {
    state = state * 747796405u + 2891336453u;
    return ::unit(mixed(state, 77));
  }
};

static __device__ bool nearest(const Vector& from, const Vector& way, float& t, int& which) {
  t = 1e20f;
  for (int i = 0; i < 5; ++i) {
    const Vector to = scene[i].centre - from;
    const float along = to.dot(way), square = fused(along, along, scene[i].radius * scene[i].radius - to.dot(to));
    if (square < 0) continue;
    const float half = root(square);
    const float at = along - half > 1e-3f ? along - half : along + half;
    if (at > 1e-3f && at < t) {
      t = at;
      which = i;
    }
  }
  return t < 1e20f;
}

static __device__ Vector sample(Random& random, const Vector& normal) {
  Vector v;
  do v = {random.next() * 2 - 1, random.next() * 2 - 1, random.next() * 2 - 1};
  while (v.dot(v) > 1.0f || v.dot(v) < 1e-4f);
  return (normal + v.unit() * 0.999f).unit();
}

extern "C" __global__ void paths(const u32* in, float* out, u32 width, u32 samples) {
  const u32 i = global_x();
  Random random = {in[i]};
  float sum = 0, depths[6] = {0, 0, 0, 0, 0, 0};
  for (u32 s = 0; s < samples; ++s) {
    Vector from = {0, 1.5f, -2};
    Vector way = Vector{(static_cast<float>(i % width) + random.next()) / static_cast<float>(width) - 0.5f,
                        0.25f - (static_cast<float>(i / width) + random.next()) / static_cast<float>(width), 1.0f}
                     .unit();
    float strength = 1.0f;
    int bounce = 0;
    for (; bounce < 5; ++bounce) {
      float t = 0;
      int which = 0;
      if (!nearest(from, way, t, which)) {
        sum += strength * (0.5f + 0.5f * way.y);
        break;
      }
      const Sphere& sphere = scene[which];
      if (sphere.surface == Surface::kLight) {
        sum += strength * sphere.colour;
        break;
      }
      from = from + way * t;
      Vector normal = (from - sphere.centre).unit();
      strength *= sphere.colour;
      const float cosine = way.dot(normal);
      switch (sphere.surface) {
        case Surface::kMirror: way = way - normal * (2 * cosine); break;
        case Surface::kGlass: {
          const float ratio = cosine < 0 ? 1 / 1.5f : 1.5f;
          if (cosine > 0) normal = normal * -1.0f;
          const float c = absolute(cosine), square = 1 - ratio * ratio * (1 - c * c);
          const float base = 1 - c;
          const bool reflected = square < 0 || random.next() < 0.04f + 0.96f * base * base * base * base * base;
          way = reflected ? way + normal * (2 * c) : way * ratio + normal * (ratio * c - root(square));
          way = way.unit();
          break;
        }
        default: way = sample(random, normal); break;
      }
    }
    depths[bounce] += 1.0f;
  }
  float weighted = 0;
  for (int k = 0; k < 6; ++k) weighted = fused(depths[k], static_cast<float>(k), weighted);
  out[2 * i] = sum / static_cast<float>(samples);
  out[2 * i + 1] = weighted;
}
