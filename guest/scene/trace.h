// Rays against a scene: nearest hit, and whether anything lies between.
#pragma once
#include "cutouts.h"
#include "patterns.h"

namespace scene {

constexpr float kNoHit = 1e9f;

// Which of a scene's objects a tile of rays can meet: one bit an object.
struct Candidates {
  u32 word[2];
};

struct Ray {
  Vec3 origin, direction;  // direction of length 1
};

// What a ray met.
struct Hit {
  float distance;
  u32 material;  // index; kMaxMaterials: sky
  s32 object;    // index; -1: ground or room (at rest); -2: nothing
  Vec3 local;    // in the object's frame, for motion
  Vec3 normal;   // world, towards the ray's origin
  Vec3 tangent_u, tangent_v;
  float u, v, half_u, half_v;
};
constexpr s32 kStatic = -1, kSky = -2;

// Where a surface is in its own frame: which face, and the coordinates on it.
struct Face {
  Vec3 normal, tangent_u, tangent_v;
  float u, v, half_u, half_v;
};

WW_DEVICE Face box_face(Vec3 p, Vec3 half, Vec3 weights) {
  // The axis along which the point is farthest out.
  const float x = ww::abs(weights.x), y = ww::abs(weights.y), z = ww::abs(weights.z);
  if (x >= y && x >= z) {
    const float s = weights.x < 0.0f ? -1.0f : 1.0f;
    return {{s, 0, 0}, {0, 0, s}, {0, 1, 0}, s * p.z, p.y, half.z, half.y};
  }
  if (y >= z) {
    const float s = weights.y < 0.0f ? -1.0f : 1.0f;
    return {{0, s, 0}, {1, 0, 0}, {0, 0, s}, p.x, s * p.z, half.x, half.z};
  }
  const float s = weights.z < 0.0f ? -1.0f : 1.0f;
  return {{0, 0, s}, {-s, 0, 0}, {0, 1, 0}, -s * p.x, p.y, half.x, half.y};
}

WW_DEVICE Face face_of(const Object& o, Vec3 p, Vec3 d) {
  const u32 shape = o.shape_alpha & 0xff;
  const Vec3 inverse{rcp(o.half.x), rcp(o.half.y), rcp(ww::max(o.half.z, 1e-3f))};
  if (shape == kBox) return box_face(p, o.half, p * inverse);
  if (shape == kSphere) {
    const Vec3 q = p * inverse;
    Face f = box_face(p, o.half, q);
    f.normal = normalize(q * inverse);
    return f;
  }
  if (shape == kCylinder) {
    const float y = p.y * inverse.y;
    if (ww::abs(y) > 0.9995f) {
      const float s = y < 0.0f ? -1.0f : 1.0f;
      return {{0, s, 0}, {1, 0, 0}, {0, 0, s}, p.x, s * p.z, o.half.x, o.half.x};
    }
    const Vec3 n{p.x * inverse.x, 0, p.z * inverse.x};
    const float around = 6.2831853f * o.half.x;
    return {n, {n.z, 0, -n.x}, {0, 1, 0}, turns(p.x, -p.z) * around, p.y, around * 0.5f, o.half.y};
  }
  const float s = d.z < 0.0f ? 1.0f : -1.0f;
  return {{0, 0, s}, {-s, 0, 0}, {0, 1, 0}, -s * p.x, p.y, o.half.x, o.half.y};
}

// Sideways shift of a swaying quad at height y.
WW_DEVICE float sway_at(const Object& o, float y, float amount) {
  const float h = (y + o.half.y) * rcp(2.0f * o.half.y);
  return amount * h * h;
}

// The two distances at which a ray in the object's frame crosses its surface (the second may be the same).
struct Crossings {
  float first, second;
};
WW_DEVICE Crossings cross_shape(const Object& o, Vec3 p, Vec3 d) {
  const u32 shape = o.shape_alpha & 0xff;
  if (shape == kQuad) {
    if (ww::abs(d.z) < 1e-6f) return {kNoHit, kNoHit};
    const float t = -p.z * rcp(d.z);
    const float y = ww::fma(d.y, t, p.y);
    const float x = ww::fma(d.x, t, p.x) - sway_at(o, y, o.sway);
    const bool inside = ww::abs(x) <= o.half.x && ww::abs(y) <= o.half.y;
    return inside ? Crossings{t, t} : Crossings{kNoHit, kNoHit};
  }
  if (shape == kBox) {
    const Vec3 i{rcp(ww::abs(d.x) < 1e-7f ? 1e-7f : d.x), rcp(ww::abs(d.y) < 1e-7f ? 1e-7f : d.y),
                 rcp(ww::abs(d.z) < 1e-7f ? 1e-7f : d.z)};
    const Vec3 c = p * i;
    const Vec3 e{o.half.x * ww::abs(i.x), o.half.y * ww::abs(i.y), o.half.z * ww::abs(i.z)};
    const float t0 = ww::max(ww::max(-c.x - e.x, -c.y - e.y), -c.z - e.z);
    const float t1 = ww::min(ww::min(-c.x + e.x, -c.y + e.y), -c.z + e.z);
    return t0 <= t1 ? Crossings{t0, t1} : Crossings{kNoHit, kNoHit};
  }
  if (shape == kSphere) {
    const Vec3 i{rcp(o.half.x), rcp(o.half.y), rcp(o.half.z)};
    const Vec3 q = p * i, e = d * i;
    const float a = dot(e, e), ia = rcp(a), b = dot(q, e) * ia;
    // Relative to the point nearest the centre: keeps precision for small far spheres.
    const Vec3 n = madd(e, -b, q);
    const float disc = (1.0f - dot(n, n)) * ia;
    if (disc < 0.0f) return {kNoHit, kNoHit};
    const float s = root(disc + 1e-12f);
    return {-b - s, -b + s};
  }
  // Cylinder: the infinite tube, then its caps.
  const float a = ww::max(d.x * d.x + d.z * d.z, 1e-9f), ia = rcp(a);
  const float b = (p.x * d.x + p.z * d.z) * ia;
  const float nx = ww::fma(d.x, -b, p.x), nz = ww::fma(d.z, -b, p.z);
  const float disc = (o.half.x * o.half.x - nx * nx - nz * nz) * ia;
  if (disc < 0.0f) return {kNoHit, kNoHit};
  const float s = root(disc + 1e-12f);
  const float iy = rcp(ww::abs(d.y) < 1e-7f ? 1e-7f : d.y);
  const float c = p.y * iy, e = o.half.y * ww::abs(iy);
  const float t0 = ww::max(-b - s, -c - e), t1 = ww::min(-b + s, -c + e);
  return t0 <= t1 ? Crossings{t0, t1} : Crossings{kNoHit, kNoHit};
}

// True if the object's surface is there at distance t of the local ray.
WW_DEVICE bool present(const Object& o, u32 seed, Vec3 p, Vec3 d, float t) {
  const u32 cutout = o.shape_alpha >> 8;
  if (cutout == kSolid) return true;
  Vec3 q = madd(d, t, p);
  if ((o.shape_alpha & 0xff) == kQuad) q.x -= sway_at(o, q.y, o.sway);
  const Face f = face_of(o, q, d);
  return opaque(cutout, f.u, f.v, f.half_u, f.half_v, o.alpha_cell, seed);
}

// Nearest crossing in (low, high) of one object, or kNoHit.
WW_DEVICE float meet(const Object& o, u32 seed, const Ray& ray, float low, float high) {
  const Vec3 to = o.center - ray.origin;
  const float b = dot(to, ray.direction);
  const Vec3 off = madd(ray.direction, -b, to);
  if (dot(off, off) > o.radius * o.radius || b + o.radius < low || b - o.radius > high) return kNoHit;
  const Vec3 p = to_local(o.axis, -to), d = to_local(o.axis, ray.direction);
  const Crossings c = cross_shape(o, p, d);
  float t = c.first;
  WW_ROLLED
  for (u32 side = 0; side < 2; ++side) {
    if (t > low && t < high && present(o, seed, p, d, t)) return t;
    t = c.second;
  }
  return kNoHit;
}

WW_DEVICE u32 object_seed(const Scene& s, u32 i) {
  return s.seed + i * 0x1234567u;
}

// The room's inside: distance to the wall met, or kNoHit through an opening.
WW_DEVICE float meet_room(const Scene& s, const Ray& ray, Face* face) {
  const Vec3 center = (s.room_low + s.room_high) * 0.5f, half = (s.room_high - s.room_low) * 0.5f;
  const Vec3 p = ray.origin - center, d = ray.direction;
  const Vec3 i{rcp(ww::abs(d.x) < 1e-7f ? 1e-7f : d.x), rcp(ww::abs(d.y) < 1e-7f ? 1e-7f : d.y),
               rcp(ww::abs(d.z) < 1e-7f ? 1e-7f : d.z)};
  const float tx = -p.x * i.x + half.x * ww::abs(i.x), ty = -p.y * i.y + half.y * ww::abs(i.y),
              tz = -p.z * i.z + half.z * ww::abs(i.z);
  const float t = ww::min(ww::min(tx, ty), tz);
  const Vec3 q = madd(d, t, p);
  // Which wall: the axis that gave the distance.
  const Vec3 which{tx <= t ? ww::copysign(2.0f, d.x) : 0.0f, tx > t && ty <= t ? ww::copysign(2.0f, d.y) : 0.0f,
                   tx > t && ty > t ? ww::copysign(2.0f, d.z) : 0.0f};
  *face = box_face(q, half, which);
  face->normal = -face->normal;
  face->tangent_u = -face->tangent_u;
  face->u = -face->u;
  u32 cutout = s.wall_alpha;
  float cell = s.wall_cell;
  if (face->normal.y < -0.5f) {
    cutout = s.ceiling_alpha;
    cell = s.ceiling_cell;
  } else if (face->normal.y > 0.5f) {
    cutout = kSolid;
  }
  return wall_opaque(cutout, face->u, face->v, face->half_u, face->half_v, cell) ? t : kNoHit;
}

// The nearest thing along a ray.
WW_DEVICE Hit trace(const Scene& s, const Ray& ray, Candidates candidates, float low) {
  Hit hit;
  hit.distance = kNoHit;
  hit.object = kSky;
  hit.material = kMaxMaterials;
  Face face;
  if (s.enclosure == kRoom) {
    const float t = meet_room(s, ray, &face);
    if (t < kNoHit) {
      hit.distance = t;
      hit.object = kStatic;
      hit.material = kMaxObjects + (face.normal.y > 0.5f ? 0u : face.normal.y < -0.5f ? 2u : 1u);
    }
  } else if (ray.direction.y < -1e-5f) {
    const float t = -ray.origin.y * rcp(ray.direction.y);
    if (t > low && t < 900.0f) {
      hit.distance = t;
      hit.object = kStatic;
      hit.material = kMaxObjects;
      const Vec3 p = madd(ray.direction, t, ray.origin);
      face = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, p.x, p.z, 0.0f, 0.0f};
    }
  }
  WW_ROLLED
  for (u32 w = 0; w < 2; ++w) {
    WW_ROLLED
    for (u32 rest = candidates.word[w]; rest != 0; rest &= rest - 1) {
      const u32 i = 32u * w + u32(__builtin_ctz(rest));
      const float t = meet(s.objects[i], object_seed(s, i), ray, low, hit.distance);
      if (t < hit.distance) {
        hit.distance = t;
        hit.object = s32(i);
      }
    }
  }
  if (hit.object >= 0) {
    const Object& o = s.objects[hit.object];
    hit.material = u32(hit.object);
    const Vec3 d = to_local(o.axis, ray.direction);
    Vec3 p = madd(d, hit.distance, to_local(o.axis, ray.origin - o.center));
    if ((o.shape_alpha & 0xff) == kQuad) p.x -= sway_at(o, p.y, o.sway);
    hit.local = p;
    face = face_of(o, p, d);
    hit.normal = to_world(o.axis, face.normal);
    hit.tangent_u = to_world(o.axis, face.tangent_u);
    hit.tangent_v = to_world(o.axis, face.tangent_v);
    if (dot(hit.normal, ray.direction) > 0.0f) hit.normal = -hit.normal;
  } else if (hit.object == kStatic) {
    hit.local = madd(ray.direction, hit.distance, ray.origin);
    hit.normal = face.normal;
    hit.tangent_u = face.tangent_u;
    hit.tangent_v = face.tangent_v;
  }
  if (hit.object != kSky) {
    hit.u = face.u;
    hit.v = face.v;
    hit.half_u = face.half_u;
    hit.half_v = face.half_v;
  }
  return hit;
}

WW_DEVICE Candidates everything(const Scene& s) {
  const u32 n = s.object_count;
  return {{n >= 32 ? ~0u : (1u << n) - 1u, n >= 64 ? ~0u : n > 32 ? (1u << (n - 32)) - 1u : 0u}};
}

// True if something lies on the ray before `high`.
WW_DEVICE bool blocked(const Scene& s, const Ray& ray, float high) {
  if (s.enclosure == kRoom && high > 900.0f) {
    Face face;
    if (meet_room(s, ray, &face) < kNoHit) return true;
  }
  WW_ROLLED
  for (u32 i = 0; i < s.object_count; ++i) {
    if (meet(s.objects[i], object_seed(s, i), ray, 1e-3f, high) < high) return true;
  }
  return false;
}

}  // namespace scene
