// From a place in the view to a sample: colour, depth and motion.
#pragma once
#include "shade.h"

namespace scene {

WW_DEVICE Vec3 view_direction(const Camera& c, float u, float v) {
  const float x = (2.0f * u - 1.0f) * c.tan_x, y = (1.0f - 2.0f * v) * c.tan_y;
  return normalize(madd(c.right, x, madd(c.up, y, c.forward)));
}

struct Place {
  float u, v;
};
// Where the view of camera c shows a direction from its eye.
WW_DEVICE Place project(const Camera& c, Vec3 d) {
  const float z = rcp(ww::max(dot(d, c.forward), 1e-2f));
  return {0.5f + 0.5f * dot(d, c.right) * z * rcp(c.tan_x), 0.5f - 0.5f * dot(d, c.up) * z * rcp(c.tan_y)};
}

struct Sample {
  Vec3 color;
  float depth;   // metres along the viewing axis; kFar for the sky
  float du, dv;  // view position before minus now
};

// Where the point that was hit was one frame earlier, as the game's motion vectors say.
WW_DEVICE Place place_before(const Scene& s, const Ray& ray, const Hit& hit) {
  if (hit.object == kSky) return project(s.before, ray.direction);
  if (hit.object == kStatic) return project(s.before, hit.local - s.before.eye);
  const Object& o = s.objects[hit.object];
  Vec3 p = hit.local;
  if ((o.shape_alpha & 0xff) == kQuad) p.x += sway_at(o, p.y, o.sway_before);
  return project(s.before, to_world(o.axis_before, p) + o.center_before - s.before.eye);
}

// One sample at (u, v) of the view. pixel_angle: an output pixel's size at distance 1.
template <bool kGuides>
WW_DEVICE Sample sample_view(const Scene& s, float u, float v, float pixel_angle, Candidates candidates,
                             u32 particles) {
  const Ray ray{s.now.eye, view_direction(s.now, u, v)};
  Hit hit;
  Sample out;
  const Vec3 bare = radiance(s, ray, candidates, pixel_angle, &hit);
  const Vec3 c = with_particles(s, bare, ray, hit.distance, particles);
  out.color = Vec3{ww::min(c.x, kBrightest), ww::min(c.y, kBrightest), ww::min(c.z, kBrightest)} * s.radiance;
  if (kGuides) {
    const Place before = place_before(s, ray, hit);
    out.depth = hit.object == kSky ? kFar : ww::min(hit.distance * dot(ray.direction, s.now.forward), kFar);
    out.du = before.u - u;
    out.dv = before.v - v;
  }
  return out;
}

// A cone around the rays of a tile of the view.
struct Cone {
  Vec3 apex, axis;
  float cosine, sine;
};
WW_DEVICE Cone cone_of(const Scene& s, float u0, float v0, float u1, float v1) {
  Cone c{s.now.eye, view_direction(s.now, 0.5f * (u0 + u1), 0.5f * (v0 + v1)), 1.0f, 0.0f};
  for (u32 i = 0; i < 4; ++i) {
    c.cosine = ww::min(c.cosine, dot(c.axis, view_direction(s.now, i & 1 ? u1 : u0, i & 2 ? v1 : v0)));
  }
  c.cosine -= 1e-5f;
  c.sine = root(ww::max(1.0f - c.cosine * c.cosine, 0.0f));
  return c;
}
// True if a ball may be seen within the cone.
WW_DEVICE bool may_meet(const Cone& c, Vec3 center, float radius) {
  const Vec3 v = center - c.apex;
  const float a = dot(v, c.axis), d2 = dot(v, v);
  if (d2 <= radius * radius) return true;
  const float b = root(ww::max(d2 - a * a, 0.0f));
  return b * c.cosine - a * c.sine <= radius * 1.001f && a > -radius;
}

}  // namespace scene
