// Alpha tests: which points of a surface are there at all. Binary, like a game's alpha test, so that only more samples
// make them smooth.
#pragma once
#include "noise.h"

namespace scene {

enum Cutout : u32 {
  kSolid,
  kChain,    // chain-link fence
  kBars,     // railings
  kLeaves,   // foliage
  kBlades,   // grass
  kCables,   // sagging wires
  kLattice,  // truss
  kFan,      // blades around the centre
  kHoles,    // perforated sheet
  // For the walls and ceilings of rooms only:
  kWindows,   // window openings with bars
  kSkylight,  // roof glazing: mostly open
};

// True where the surface is. u, v: metres from the centre, v up; half_u, half_v: the face's half extents.
WW_DEVICE bool opaque(u32 cutout, float u, float v, float half_u, float half_v, float cell, u32 seed) {
  const float scale = rcp(cell);
  switch (cutout) {
    case kChain: {
      const float a = ww::abs(ww::fract((u + v) * scale) - 0.5f), b = ww::abs(ww::fract((u - v) * scale) - 0.5f);
      const float rail = ww::min(half_v - ww::abs(v), half_u - ww::abs(u));
      return a > 0.44f || b > 0.44f || rail < 0.03f;
    }
    case kBars: {
      const float a = ww::abs(ww::fract(u * scale) - 0.5f);
      const float rail = ww::min(ww::abs(v - half_v * 0.85f), ww::abs(v + half_v * 0.8f));
      return a < 0.13f || rail < 0.035f;
    }
    case kLeaves: {
      // Each cell holds one leaf: a lens of random place and direction.
      const float r = ww::fma(u * rcp(half_u), u * rcp(half_u), v * rcp(half_v) * v * rcp(half_v));
      const float x = u * scale, y = v * scale;
      WW_ROLLED
      for (s32 layer = 0; layer < 2; ++layer) {
        const float ox = layer ? 0.5f : 0.0f;
        const float gx = ww::floor(x + ox), gy = ww::floor(y + ox);
        const u32 h = hash(u32(s32(gx)), u32(s32(gy)), seed + u32(layer));
        if (unit(h) < r - 0.35f) continue;  // thinner towards the rim
        const float px = x + ox - gx - 0.35f - 0.3f * unit(mix_bits(h)), py = y + ox - gy - 0.5f;
        const float c = 2.0f * unit(mix_bits(h + 7)) - 1.0f, q = root(1.0f - c * c + 1e-6f);
        const float along = px * c + py * q, across = ww::abs(py * c - px * q);
        if (across < 0.17f - 0.9f * along * along) return true;
      }
      return false;
    }
    case kBlades: {
      const float x = u * scale, fx = ww::floor(x), height = (v + half_v) * rcp(2.0f * half_v);
      WW_ROLLED
      for (s32 side = -1; side <= 1; ++side) {
        const s32 i = s32(fx) + side;
        const u32 h = hash(u32(i), 3, seed);
        const float tall = 0.45f + 0.55f * unit(h);
        if (height > tall) continue;
        const float lean = (unit(mix_bits(h)) - 0.5f) * 1.6f * height * height;
        const float d = ww::abs(x - float(i) - 0.5f - lean);
        if (d < 0.34f * (1.0f - height * rcp(tall)) + 0.02f) return true;
      }
      return false;
    }
    case kCables: {
      const float x = u * rcp(half_u), sag = x * x - 1.0f;
      WW_ROLLED
      for (s32 i = 0; i < 4; ++i) {
        const float h = unit(hash(u32(i), 11, seed));
        const float y = half_v * (0.95f - 0.5f * float(i)) + sag * half_v * (0.2f + 0.5f * h);
        if (ww::abs(v - y) < cell) return true;
      }
      return false;
    }
    case kLattice: {
      const float a = ww::abs(ww::fract((u + v) * scale) - 0.5f), b = ww::abs(ww::fract((u - v) * scale) - 0.5f);
      const float rim = ww::min(half_v - ww::abs(v), half_u - ww::abs(u));
      return rim < 0.08f * cell || a > 0.45f || b > 0.45f;
    }
    case kFan: {
      const float r2 = u * u + v * v;
      if (r2 > half_u * half_u) return false;
      if (r2 < 0.04f * half_u * half_u || r2 > 0.94f * half_u * half_u) return true;
      const float blades = 3.0f + float(seed & 3u);
      return ww::fract(turns(v, u) * blades + root(r2) * rcp(half_u) * 0.35f) < 0.45f;
    }
    case kHoles: {
      const float y = v * scale, fy = ww::floor(y), x = u * scale + ((s32(fy) & 1) ? 0.5f : 0.0f);
      const float px = ww::fract(x) - 0.5f, py = y - fy - 0.5f;
      return px * px + py * py > 0.1f;
    }
    default:
      return true;
  }
}

// The same for the openings of rooms.
WW_DEVICE bool wall_opaque(u32 cutout, float u, float v, float half_u, float half_v, float cell) {
  const float scale = rcp(cell);
  switch (cutout) {
    case kWindows: {
      const float x = ww::fract(u * scale), y = v * rcp(half_v);
      if (x < 0.25f || x > 0.75f || y < -0.35f || y > 0.8f) return true;
      const float bar = ww::min(ww::abs(ww::fract(x * 8.0f) - 0.5f), ww::abs(ww::fract(y * 5.0f) - 0.5f));
      return bar < 0.05f;
    }
    case kSkylight: {
      if (ww::abs(u) > half_u * 0.55f) return true;
      const float a = ww::abs(ww::fract(u * scale) - 0.5f), b = ww::abs(ww::fract(v * scale) - 0.5f);
      return ww::min(a, b) < 0.06f || ww::fract(v * scale * 0.25f) < 0.22f;
    }
    default:
      return true;
  }
}

}  // namespace scene
