// What surfaces look like: a pattern's colour, gloss, glow and bump at a point.
//
// Coordinates are metres on the surface, v up. `footprint` is the size of an output pixel there; detail finer than that
// fades out, as a mip map with the usual bias of an upscaled game would do.
#pragma once
#include "font.h"
#include "noise.h"

namespace scene {

enum Pattern : u32 {
  kFlat,
  kChecker,
  kTiles,
  kBrick,
  kWood,
  kMarble,
  kFacade,
  kText,
  kStripes,
  kPanels,
  kGrid,
  kPainting,
  kAsphalt,
  kGrass,
  kPlate,
  kDots,
  kWater,
  kSand,
  kBark,
  kScreen,
  kCrate,
  kBooks,
  kContainer,
  kShingles,
};

// A point on a surface, as patterns see it.
struct Spot {
  float u, v;
  float half_u, half_v;  // of the face; infinite ground: 0
  float footprint;
  float time;
};

struct Paint {
  Vec3 albedo;
  Vec3 glow;
  float roughness;
  float metallic;
  float bump_u, bump_v;  // slopes
};

// Coverage of a pixel by the side of an edge where distance > 0.
WW_DEVICE float edge(float distance, float inverse_footprint) {
  return ww::saturate(ww::fma(distance, inverse_footprint, 0.5f));
}
// How much of a detail of this period is left at this footprint.
WW_DEVICE float keep(float period, float footprint) {
  return ww::saturate(2.0f - 2.0f * footprint * rcp(period));
}
// A colour of any hue.
WW_DEVICE Vec3 hue(float h, float saturation, float value) {
  const float r = ww::saturate(ww::abs(ww::fract(h) * 6.0f - 3.0f) - 1.0f);
  const float g = ww::saturate(ww::abs(ww::fract(h + 0.6666667f) * 6.0f - 3.0f) - 1.0f);
  const float b = ww::saturate(ww::abs(ww::fract(h + 0.3333333f) * 6.0f - 3.0f) - 1.0f);
  return mix({1, 1, 1}, {r, g, b}, saturation) * value;
}

// Where a point lies in a grid of cells: the cell and the distance to its nearest border, in metres.
struct Cell {
  s32 x, y;
  float fu, fv;  // 0..1 inside the cell
  float border;
};
WW_DEVICE Cell cell_of(float u, float v, float width, float height, float stagger) {
  const float y = v * rcp(height), fy = ww::floor(y);
  const float x = u * rcp(width) + ((s32(fy) & 1) ? stagger : 0.0f), fx = ww::floor(x);
  Cell c{s32(fx), s32(fy), x - fx, y - fy, 0};
  c.border = ww::min(ww::min(c.fu, 1.0f - c.fu) * width, ww::min(c.fv, 1.0f - c.fv) * height);
  return c;
}

// Joints of `joint` metres around cells, each cell of its own brightness. t: 0 in the cell, 1 in the joint.
struct Tiled {
  float joint, shade;
};
WW_DEVICE Tiled tiled(Cell c, float joint, float period, float spread, u32 seed, float footprint, float inverse) {
  const float fine = keep(period, footprint);
  return {edge(joint - c.border, inverse) * fine, 1.0f + spread * fine * (hash_unit(c.x, c.y, seed) - 0.5f)};
}

WW_DEVICE void paint_painting(Paint& p, const Material& m, Spot s, float inverse) {
  const float inset = ww::min(s.half_u - ww::abs(s.u), s.half_v - ww::abs(s.v));
  const float border = 0.09f;
  if (inset < border) {
    const float groove = ww::abs(inset - border * 0.5f) - border * 0.2f;
    p.albedo = m.b * ww::mix(0.55f, 1.0f, edge(groove, inverse));
    p.metallic = 0.7f;
    p.roughness = 0.35f;
    p.bump_u = 0.4f * (inset > border * 0.5f ? 1.0f : -1.0f);
    return;
  }
  const float base = unit(mix_bits(m.seed));
  Vec3 c = mix(hue(base, 0.5f, 0.5f), hue(base + 0.1f, 0.6f, 0.15f), 0.5f + 0.5f * s.v * rcp(s.half_v));
  WW_ROLLED
  for (u32 i = 0; i < 6; ++i) {
    Random r(m.seed + 77u * i);
    const float x = r.between(-0.8f, 0.8f) * s.half_u, y = r.between(-0.8f, 0.8f) * s.half_v;
    const float size = r.between(0.1f, 0.45f) * s.half_v;
    const float turn = r.between(-0.2f, 0.6f), saturation = r.between(0.3f, 0.95f), value = r.between(0.1f, 0.9f);
    const Vec3 tint = hue(base + turn, saturation, value);
    const float du = s.u - x, dv = s.v - y;
    float d;
    if (i & 1) {
      d = size - root(du * du + dv * dv + 1e-9f);
      if (i == 3) d = ww::min(d, size * 0.12f - ww::abs(ww::fract(d * rcp(size * 0.25f)) - 0.5f) * size * 0.25f);
    } else {
      const float slant = r.between(-1.0f, 1.0f);
      d = size * 0.3f - ww::abs(dv + slant * du) * (i == 4 ? 3.0f : 1.0f);
    }
    c = mix(c, tint, edge(d, inverse));
  }
  const float canvas = fractal(s.u * 60.0f, s.v * 90.0f, m.seed, s.footprint * 60.0f, 2);
  p.albedo = c * (0.8f + 0.4f * canvas);
}

WW_DEVICE void paint_facade(Paint& p, const Material& m, Spot s, float inverse) {
  const float width = m.cell, height = m.cell * 1.25f;
  const Cell c = cell_of(s.u, s.v, width, height, 0.0f);
  const float fine = keep(width, s.footprint);
  const float left = ww::min(c.fu - 0.18f, 0.82f - c.fu) * width, low = ww::min(c.fv - 0.22f, 0.85f - c.fv) * height;
  const float inside = ww::min(left, low);
  const float glass = edge(inside, inverse) * fine;
  const float bar = edge(0.035f - ww::min(ww::abs(c.fu - 0.5f) * width, ww::abs(c.fv - 0.6f) * height), inverse);
  const float sill = edge(0.07f - ww::abs(low + 0.05f), inverse) * edge(left + 0.1f, inverse) * fine;
  const u32 h = hash(u32(c.x), u32(c.y), m.seed);
  const float wall = 0.85f + 0.3f * fractal(s.u * 3.0f, s.v * 3.0f, m.seed, s.footprint * 3.0f, 3);
  const float pane = glass * (1.0f - bar);
  p.albedo = mix(mix(m.a * wall, m.a * 1.35f, sill), m.b * (0.6f + 0.8f * unit(h)), glass);
  p.albedo = mix(p.albedo, {0.7f, 0.7f, 0.68f}, glass * bar * 0.8f);
  p.roughness = ww::mix(p.roughness, 0.06f, pane);
  const bool lit = unit(mix_bits(h)) < m.bump;  // for facades, `bump` is the share of lit windows
  if (lit) {
    const float curtain = 0.6f + 0.4f * noise(c.fu * 6.0f, c.fv * 2.0f, h);
    p.glow = Vec3{1.0f, 0.75f, 0.4f} * (m.emission * pane * curtain * (0.4f + unit(mix_bits(h + 5))));
    p.roughness = ww::max(p.roughness, 0.3f);
  }
}

// Lines of words. The letters' colour is b.
WW_DEVICE float text_cover(const Material& m, Spot s, float size) {
  const float dot = size * 0.125f;
  const float x = (s.u + s.half_u) * rcp(dot), y = (s.half_v - s.v) * rcp(dot);
  const s32 ix = s32(ww::floor(x)) - 3, iy = s32(ww::floor(y)) - 3;
  if (ix < 0 || iy < 0) return 0.0f;
  const s32 column = ix / 6, row = iy / 10;
  if (column >= s32(s.half_u * 2.0f * rcp(dot)) / 6 - 1 || row >= (s32(s.half_v * 2.0f * rcp(dot)) - 4) / 9)
    return 0.0f;
  const bool ink = text_dot(column, row, ix % 6, iy % 10, hash(u32(column), u32(row), m.seed));
  return ww::mix(0.3f, ink ? 1.0f : 0.0f, keep(dot * 2.0f, s.footprint));
}

WW_DEVICE void paint_panels(Paint& p, const Material& m, Spot s, float inverse) {
  float shade = 1.0f, joint = 0.0f, size = m.cell;
  u32 h = m.seed;
  WW_ROLLED
  for (u32 level = 0; level < 3; ++level) {
    const bool tall = (h >> 3) & 1;
    const Cell c = cell_of(s.u, s.v, tall ? size * 0.5f : size, tall ? size : size * 0.5f, 0.0f);
    h = hash(u32(c.x), u32(c.y), h);
    const float fine = keep(size * 0.5f, s.footprint);
    joint = ww::max(joint, edge(0.02f * size - c.border, inverse) * fine);
    shade += (unit(h) - 0.5f) * 0.35f * fine;
    if (level == 2 && (h & 31u) < 2u) {
      const float light = edge(c.border - size * 0.08f, inverse) * fine;
      p.glow = (h & 32u ? m.b : Vec3{0.2f, 0.8f, 1.0f}) * (light * (m.emission + 0.4f));
    }
    if (unit(mix_bits(h)) < 0.4f) break;
    size *= 0.5f;
  }
  p.albedo = mix(m.a * shade, m.a * 0.15f, joint);
  p.roughness = ww::saturate(p.roughness + (shade - 1.0f) * 0.4f);
}

WW_DEVICE void paint_asphalt(Paint& p, const Material& m, Spot s, float inverse) {
  const float grain = fractal(s.u * 14.0f, s.v * 14.0f, m.seed, s.footprint * 14.0f, 2);
  const float patch = fractal(s.u * 0.4f, s.v * 0.4f, m.seed + 9, 0.0f, 2);
  p.albedo = m.a * (0.6f + 0.5f * grain + 0.4f * patch);
  const float x = ww::abs(s.u);
  float line = edge(0.07f - ww::abs(x - 4.4f), inverse);
  const float dash = ww::abs(ww::fract(s.v * 0.2f) - 0.5f) * 5.0f;
  line = ww::max(line, edge(0.08f - x, inverse) * edge(1.2f - dash, inverse));
  const float crossing = ww::abs(ww::fract(s.v * 0.025f + 0.3f) - 0.5f) * 40.0f;
  const float zebra = ww::abs(ww::fract(s.u + 0.25f) - 0.5f);
  line = ww::max(line, edge(1.4f - crossing, inverse) * edge(4.2f - x, inverse) *
                           ww::mix(0.5f, edge(0.27f - zebra, inverse), keep(1.0f, s.footprint)));
  p.albedo = mix(p.albedo, m.b, line * (0.6f + 0.4f * grain));
  p.roughness = ww::saturate(p.roughness + 0.5f * (patch - 0.5f));
  p.bump_u = (grain - 0.5f) * m.bump;
}

WW_DEVICE void paint_books(Paint& p, const Material& m, Spot s, float inverse) {
  const float shelf = m.cell, y = s.v * rcp(shelf), row = ww::floor(y), fy = (y - row) * shelf;
  const float board = edge(0.03f - ww::min(fy, shelf - fy), inverse);
  const float width = 0.055f;
  const float x = s.u * rcp(width) + hash_unit(s32(row), 1, m.seed);
  const s32 book = s32(ww::floor(x));
  const float fx = (x - ww::floor(x)) * width;
  const u32 h = hash(u32(book), u32(s32(row)), m.seed);
  const float height = shelf * (0.62f + 0.3f * unit(h));
  const float fine = keep(width, s.footprint);
  Vec3 c = hue(unit(mix_bits(h + 1)), 0.55f, 0.12f + 0.4f * unit(mix_bits(h + 2)));
  const float band = edge(0.012f - ww::abs(fy - height * (0.25f + 0.5f * unit(mix_bits(h + 3)))), inverse);
  c = mix(c, {0.75f, 0.6f, 0.25f}, band);
  c = c * ww::mix(1.0f, edge(ww::min(fx, width - fx) - 0.004f, inverse), 0.8f);
  c = mix({0.16f, 0.12f, 0.1f}, c, fine);
  c = mix({0.02f, 0.015f, 0.01f}, c, edge(height - fy, inverse));
  if ((h & 15u) == 0) c = {0.03f, 0.02f, 0.015f};
  p.albedo = mix(c, m.a, board);
}

WW_DEVICE void paint_water(Paint& p, const Material& m, Spot s) {
  const float scale = rcp(m.cell);
  const float x = s.u * scale, y = s.v * scale, t = s.time, fp = s.footprint * scale;
  const float a = fractal(x + t * 0.6f, y + t * 0.3f, m.seed, fp, 3);
  const float b = fractal(x + 0.15f + t * 0.6f, y + t * 0.3f, m.seed, fp, 3);
  const float c = fractal(x + t * 0.6f, y + 0.15f + t * 0.3f, m.seed, fp, 3);
  p.bump_u = (b - a) * m.bump;
  p.bump_v = (c - a) * m.bump;
  p.albedo = mix(m.a, m.b, a);
}

WW_DEVICE Paint paint(const Material& m, Spot s) {
  Paint p{m.a, {0, 0, 0}, m.roughness, m.metallic, 0, 0};
  const float inverse = rcp(ww::max(s.footprint, 1e-5f));
  const float scale = rcp(m.cell);
  switch (m.pattern) {
    case kFlat:
      p.albedo = mix(m.a, m.b, fractal(s.u * scale, s.v * scale, m.seed, s.footprint * scale, 3));
      p.glow = p.albedo * m.emission;
      break;
    case kChecker: {
      const Cell c = cell_of(s.u, s.v, m.cell, m.cell, 0.0f);
      const float odd = ((c.x + c.y) & 1) ? 1.0f : 0.0f;
      const float soft = edge(c.border, inverse * 2.0f);
      p.albedo = mix(m.a, m.b, ww::mix(0.5f, ww::mix(0.5f, odd, soft), keep(m.cell, s.footprint)));
      const float worn = fractal(s.u * 5.0f, s.v * 5.0f, m.seed, s.footprint * 5.0f, 2);
      p.albedo = p.albedo * (0.8f + 0.4f * worn);
      break;
    }
    case kTiles:
    case kBrick:
    case kShingles: {
      const bool brick = m.pattern != kTiles;
      const Cell c = cell_of(s.u, s.v, m.cell, brick ? m.cell * 0.42f : m.cell, brick ? 0.5f : 0.0f);
      const Tiled t = tiled(c, m.cell * 0.035f, m.cell * 0.5f, 0.5f, m.seed, s.footprint, inverse);
      const float grain = fractal(s.u * scale * 9.0f, s.v * scale * 9.0f, m.seed, s.footprint * scale * 9.0f, 2);
      float shade = t.shade * (0.8f + 0.4f * grain);
      if (m.pattern == kShingles) shade *= 0.55f + 0.6f * c.fv;
      p.albedo = mix(m.a * shade, m.b, t.joint);
      p.roughness = ww::saturate(p.roughness + 0.5f * t.joint + 0.1f * (t.shade - 1.0f));
      break;
    }
    case kWood: {
      const Cell c = cell_of(s.u, s.v, m.cell, m.cell * 9.0f, 0.37f);
      const u32 plank = hash(u32(c.x), u32(c.y), m.seed);
      const float rings =
          fractal(s.u * scale * 9.0f + unit(plank) * 40.0f, s.v * scale * 0.7f, plank, s.footprint * scale * 9.0f, 3);
      const Tiled t = tiled(c, m.cell * 0.03f, m.cell * 0.6f, 0.5f, m.seed, s.footprint, inverse);
      p.albedo = mix(m.a, m.b, rings) * (t.shade * (1.0f - 0.85f * t.joint));
      break;
    }
    case kMarble: {
      const float warp = fractal(s.u * scale, s.v * scale, m.seed, s.footprint * scale, 2);
      const float f = fractal(s.u * scale * 1.7f + 2.0f * warp, s.v * scale + warp, m.seed + 3, s.footprint * scale, 3);
      const float vein = ww::saturate(1.0f - ww::abs(f - 0.5f) * 14.0f);
      p.albedo = mix(m.a * (0.85f + 0.3f * warp), m.b, vein * vein);
      break;
    }
    case kFacade:
      paint_facade(p, m, s, inverse);
      break;
    case kText: {
      const float ink = text_cover(m, s, m.cell);
      const float rim =
          edge(0.03f - ww::abs(ww::min(s.half_u - ww::abs(s.u), s.half_v - ww::abs(s.v)) - 0.06f), inverse);
      p.albedo = mix(m.a, m.b, ww::max(ink, rim));
      p.glow = p.albedo * m.emission;
      break;
    }
    case kStripes: {
      const float x = ww::abs(ww::fract((s.u + s.v) * scale) - 0.5f);
      p.albedo =
          mix(m.a, m.b, ww::mix(0.5f, edge((x - 0.25f) * m.cell * 0.7f, inverse), keep(m.cell * 0.6f, s.footprint)));
      p.albedo = p.albedo * (0.75f + 0.5f * fractal(s.u * 4.0f, s.v * 4.0f, m.seed, s.footprint * 4.0f, 2));
      break;
    }
    case kPanels:
      paint_panels(p, m, s, inverse);
      break;
    case kGrid: {
      const Cell c = cell_of(s.u, s.v, m.cell, m.cell, 0.0f);
      const float line = edge(0.012f + 0.01f * m.cell - c.border, inverse);
      p.albedo = mix(m.a, m.b, line);
      p.glow = m.b * (line * m.emission);
      break;
    }
    case kPainting:
      paint_painting(p, m, s, inverse);
      break;
    case kAsphalt:
      paint_asphalt(p, m, s, inverse);
      break;
    case kGrass: {
      const float tufts = fractal(s.u * 1.3f, s.v * 1.3f, m.seed, s.footprint * 1.3f, 3);
      const float blades = fractal(s.u * 37.0f, s.v * 19.0f, m.seed + 5, s.footprint * 37.0f, 2);
      p.albedo = mix(m.a, m.b, tufts) * (0.35f + 1.3f * blades);
      const Cell c = cell_of(s.u, s.v, 0.45f, 0.45f, 0.0f);
      const u32 h = hash(u32(c.x), u32(c.y), m.seed + 8);
      if ((h & 7u) == 0) {
        const float du = (c.fu - 0.3f - 0.4f * unit(h)) * 0.45f, dv = (c.fv - 0.5f) * 0.45f;
        const float flower = edge(0.035f - root(du * du + dv * dv + 1e-9f), inverse) * keep(0.09f, s.footprint);
        p.albedo = mix(p.albedo, hue(unit(mix_bits(h)), 0.6f, 0.8f), flower);
      }
      p.bump_u = (blades - 0.5f) * 0.6f;
      break;
    }
    case kPlate: {
      const Cell c = cell_of(s.u, s.v, m.cell, m.cell, 0.5f);
      const Tiled t = tiled(c, 0.012f, m.cell * 0.5f, 0.3f, m.seed, s.footprint, inverse);
      const float ru = ww::min(c.fu, 1.0f - c.fu) * m.cell - 0.06f,
                  rv = (ww::fract(c.fv * 6.0f) - 0.5f) * m.cell * 0.1667f;
      const float rivet = edge(0.018f - root(ru * ru + rv * rv + 1e-9f), inverse) * keep(0.06f, s.footprint);
      const float stain = fractal(s.u * 2.0f, s.v * 0.7f, m.seed, s.footprint * 2.0f, 3);
      p.albedo = mix(m.a, m.b, ww::saturate(stain * 2.2f - 0.9f)) * (t.shade * (1.0f - 0.7f * t.joint) + 0.35f * rivet);
      p.roughness = ww::saturate(p.roughness + 0.5f * (stain - 0.4f));
      p.bump_u = rivet * ru * 18.0f;
      break;
    }
    case kDots: {
      const Cell c = cell_of(s.u, s.v, m.cell, m.cell, 0.5f);
      const float du = c.fu - 0.5f, dv = c.fv - 0.5f;
      const float d = (0.3f - root(du * du + dv * dv + 1e-9f)) * m.cell;
      p.albedo = mix(m.a, m.b, ww::mix(0.28f, edge(d, inverse), keep(m.cell, s.footprint)));
      break;
    }
    case kWater:
      paint_water(p, m, s);
      break;
    case kSand: {
      const float f = fractal(s.u * 0.5f, s.v * 0.5f, m.seed, s.footprint * 0.5f, 3);
      const float ripple = ww::abs(ww::fract((s.u * 0.3f + s.v) * scale + 2.5f * f) - 0.5f) * 2.0f;
      const float fine = keep(m.cell, s.footprint);
      const float grain = fractal(s.u * 40.0f, s.v * 40.0f, m.seed + 1, s.footprint * 40.0f, 1);
      p.albedo = mix(m.a, m.b, f) * (0.85f + 0.3f * grain);
      p.bump_v = (ripple - 0.5f) * fine * m.bump;
      break;
    }
    case kBark: {
      const float f = fractal(s.u * scale * 3.0f, s.v * scale * 0.6f, m.seed, s.footprint * scale * 3.0f, 3);
      p.albedo = mix(m.a, m.b, f) * (0.3f + 1.2f * f);
      p.bump_u = (f - 0.5f) * 2.0f;
      break;
    }
    case kScreen: {
      const float ink = text_cover(m, s, m.cell);
      const float bar =
          s.v * rcp(s.half_v) < 2.0f * noise(s.u * scale * 3.0f, s.time * 0.8f, m.seed) - 1.8f ? 0.6f : 0.0f;
      const float line = 0.8f + 0.2f * edge(ww::abs(ww::fract(s.v * 60.0f) - 0.5f) - 0.2f, inverse * 0.016f);
      p.albedo = m.a * 0.1f;
      p.glow = mix(m.a, m.b, ww::max(ink, bar)) * (m.emission * line);
      break;
    }
    case kCrate: {
      const float inset = ww::min(s.half_u - ww::abs(s.u), s.half_v - ww::abs(s.v));
      const float rim = 0.12f * ww::min(s.half_u, s.half_v) + 0.02f;
      const float diagonal =
          ww::abs(s.u * s.half_v - s.v * s.half_u) * rsqrt(s.half_u * s.half_u + s.half_v * s.half_v);
      const bool frame = inset < rim || diagonal < rim * 0.8f;
      const float along = frame ? s.u + s.v : s.u;
      const float grain =
          fractal(along * 25.0f, (frame ? s.u - s.v : s.v) * 3.0f, m.seed + frame, s.footprint * 25.0f, 2);
      const float gap = edge(0.006f - ww::abs(ww::fract(s.u * scale) - 0.5f) * m.cell, inverse) * (frame ? 0.0f : 1.0f);
      const float rim_line = edge(0.008f - ww::abs(inset - rim), inverse);
      p.albedo = mix(m.a, m.b, grain) * ((frame ? 1.15f : 0.8f) * (1.0f - 0.8f * ww::max(gap, rim_line)));
      break;
    }
    case kBooks:
      paint_books(p, m, s, inverse);
      break;
    case kContainer: {
      const float x = ww::abs(ww::fract(s.u * scale) - 0.5f) * 2.0f, fine = keep(m.cell, s.footprint);
      const float slope =
          ww::saturate(1.0f - ww::abs(x - 0.5f) * 6.0f) * (ww::fract(s.u * scale) < 0.5f ? -1.0f : 1.0f);
      const float rust = fractal(s.u * 1.5f, s.v * 0.8f, m.seed, s.footprint * 1.5f, 3);
      const float ink = text_cover(m, s, ww::min(0.5f, s.half_v * 0.5f)) * (s.v > 0.0f ? 0.85f : 0.0f);
      p.bump_u = slope * fine * 1.2f;
      p.albedo = mix(m.a * (0.8f + 0.3f * fine * (x - 0.5f)), {0.75f, 0.75f, 0.72f}, ink);
      p.albedo = mix(p.albedo, {0.16f, 0.07f, 0.03f}, ww::saturate(rust * 5.0f - 3.1f));
      break;
    }
    default:
      break;
  }
  return p;
}

}  // namespace scene
