// Hashes, random numbers and value noise. All integer at heart: the same everywhere.
#pragma once
#include "vec.h"

namespace scene {

WW_DEVICE u32 mix_bits(u32 h) {
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  return h ^ (h >> 15);
}
WW_DEVICE u32 hash(u32 x, u32 y, u32 seed) {
  return mix_bits(x * 0x8da6b343u + y * 0xd8163841u + seed * 0xcb1ab31fu + 0x165667b1u);
}
WW_DEVICE float unit(u32 h) {
  return float(h >> 8) * 5.9604645e-8f;
}
WW_DEVICE float hash_unit(s32 x, s32 y, u32 seed) {
  return unit(hash(u32(x), u32(y), seed));
}

// A stream of random numbers.
struct Random {
  u32 state;
  WW_DEVICE explicit Random(u32 seed) : state(mix_bits(seed ^ 0x9e3779b9u)) {}
  WW_DEVICE u32 next() {
    state += 0x9e3779b9u;
    return mix_bits(state);
  }
  WW_DEVICE float uniform() { return unit(next()); }
  WW_DEVICE float between(float low, float high) { return ww::fma(uniform(), high - low, low); }
  // An integer in low..high, both included.
  WW_DEVICE u32 integer(u32 low, u32 high) { return low + next() % (high - low + 1); }
};

// Value noise of period 1 in 0..1.
WW_DEVICE float noise(float x, float y, u32 seed) {
  const float fx = ww::floor(x), fy = ww::floor(y);
  const s32 ix = s32(fx), iy = s32(fy);
  const float tx = smooth(x - fx), ty = smooth(y - fy);
  const float a = ww::mix(hash_unit(ix, iy, seed), hash_unit(ix + 1, iy, seed), tx);
  const float b = ww::mix(hash_unit(ix, iy + 1, seed), hash_unit(ix + 1, iy + 1, seed), tx);
  return ww::mix(a, b, ty);
}

// Sum of octaves in 0..1; octaves finer than the footprint are left out, as a mip map would.
WW_DEVICE float fractal(float x, float y, u32 seed, float footprint, u32 octaves) {
  float sum = 0.0f, weight = 0.5f, total = 0.0f;
  WW_ROLLED
  for (u32 i = 0; i < octaves; ++i) {
    const float keep = ww::saturate(2.0f - 2.0f * footprint);
    if (keep <= 0.0f) break;
    sum += weight * keep * (noise(x, y, seed + i) - 0.5f);
    total += weight;
    weight *= 0.5f;
    x *= 2.03f;
    y *= 2.03f;
    footprint *= 2.03f;
  }
  return 0.5f + (total > 0.0f ? sum * 1.33f : 0.0f);
}

// Texture around 0 that is as fine as a footprint allows, at any distance: three octaves with periods between 2 and 16
// footprints, cross-faded as the footprint changes.
WW_DEVICE float fine_texture(float u, float v, u32 seed, float footprint) {
  const float f = 0.5f * rcp(ww::max(footprint, 0.001f));
  float frequency = ww::bits<float>(ww::bits<u32>(f) & 0x7f800000u);  // the power of two below
  const float t = f * rcp(frequency) - 1.0f;
  float weight = t, sum = 0.0f;
  WW_ROLLED
  for (u32 i = 0; i < 3; ++i) {
    sum += weight * (noise(u * frequency, v * frequency, seed + i) - 0.5f);
    weight = i == 0 ? 1.0f - 0.4f * t : 0.6f * (1.0f - t);
    frequency *= 0.5f;
  }
  return sum;
}

}  // namespace scene
