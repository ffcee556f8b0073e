// Light: the sky, the sun with its shadow, lamps, one mirror bounce, fog and particles.
#pragma once
#include "trace.h"

namespace scene {

constexpr float kBrightest = 48.0f;  // radiance is cut here, in units of a white surface in the sun

WW_DEVICE Vec3 sky_gradient(const Scene& s, Vec3 d) {
  const float up = ww::saturate(d.y);
  const float t = 1.0f - (1.0f - up) * (1.0f - up) * (1.0f - up);
  const Vec3 above = mix(s.horizon, s.zenith, t);
  return mix(above, s.bounce, ww::saturate(-d.y * 3.0f));
}

WW_DEVICE Vec3 sky(const Scene& s, Vec3 d) {
  Vec3 c = sky_gradient(s, d);
  if (d.y > 0.0f) {
    const float k = 1.2f * rcp(d.y + 0.08f);
    if (s.clouds > 0.0f) {
      const float x = d.x * k + s.time * 0.01f, z = d.z * k;
      const float f = fractal(x * 1.5f, z * 1.5f, s.seed, 0.02f * k, 4);
      const float cover = smooth(ww::saturate((f - 1.0f + s.clouds) * 4.0f)) * ww::saturate(d.y * 8.0f);
      const Vec3 lit = s.horizon * 0.5f + s.sun_color * 0.3f;
      c = mix(c, lit * (1.1f - 0.5f * f), cover * 0.9f);
    }
    if (s.stars > 0.0f) {
      const Cell cell = cell_of(d.x * k * 30.0f, d.z * k * 30.0f, 1.0f, 1.0f, 0.0f);
      const u32 h = hash(u32(cell.x), u32(cell.y), s.seed);
      const float du = cell.fu - 0.5f, dv = cell.fv - 0.5f;
      if ((h & 15u) == 0 && du * du + dv * dv < 0.012f) c = c + Vec3{1, 1, 1} * (s.stars * unit(h));
    }
  }
  const float to_sun = dot(d, s.sun_direction);
  if (to_sun > 0.9994f) c = c + s.sun_color * 12.0f;
  if (to_sun > 0.9f) {
    const float glow = (to_sun - 0.9f) * 10.0f;
    c = c + s.sun_color * (0.15f * glow * glow * glow);
  }
  return c;
}

// Distribution term of a specular highlight (Trowbridge and Reitz), without its 1/pi.
WW_DEVICE float highlight(float n_dot_h, float roughness) {
  const float a = ww::max(roughness * roughness, 0.004f), a2 = a * a;
  const float q = ww::fma(n_dot_h * n_dot_h, a2 - 1.0f, 1.0f);
  return ww::min(a2 * rcp(q * q), 120.0f);
}

// What a light of direction l gives: diffuse and specular together.
WW_DEVICE Vec3 lit_by(Vec3 l, Vec3 light, Vec3 n, Vec3 view, Vec3 diffuse, Vec3 f0, float roughness) {
  const float cosine = dot(n, l);
  if (cosine <= 0.0f) return {0, 0, 0};
  const Vec3 h = normalize(l + view);
  const float spec = 0.25f * highlight(ww::saturate(dot(n, h)), roughness);
  return light * (diffuse + f0 * spec) * cosine;
}

// How much of the sky the nearest objects hide from a point, each object taken as a ball.
WW_DEVICE float openness(const Scene& s, Vec3 p, Vec3 n, s32 self) {
  float hidden = 0.0f;
  WW_ROLLED
  for (u32 i = 0; i < s.object_count; ++i) {
    const Object& o = s.objects[i];
    if ((o.shape_alpha >> 8) != kSolid || s32(i) == self || (o.shape_alpha & 0xff) == kQuad) continue;
    const Vec3 d = o.center - p;
    const float r = ww::min(ww::min(o.half.x, o.half.y), o.half.z), d2 = dot(d, d);
    if (d2 > 25.0f * r * r) continue;
    const float facing = dot(n, d) * rsqrt(d2 + 1e-6f);
    hidden += ww::saturate(facing + 0.1f) * ww::min(r * r * rcp(d2 + 0.2f * r * r), 1.0f);
  }
  return 1.0f - 0.75f * ww::min(hidden, 1.0f);
}

struct Surface {
  Vec3 color;   // radiance towards the viewer, without mirror image
  Vec3 mirror;  // weight of the mirror image
  Vec3 normal;
  float roughness;
};

// `seen` is true where the eye itself looks: there, nearby objects darken the ambient light.
WW_DEVICE Surface surface(const Scene& s, const Ray& ray, const Hit& hit, float pixel_angle, bool seen) {
  const Material& m = s.materials[hit.material];
  const float facing = ww::max(ww::abs(dot(hit.normal, ray.direction)), 0.05f);
  const Spot spot{hit.u, hit.v, hit.half_u, hit.half_v, hit.distance * pixel_angle * rsqrt(facing), s.time};
  Paint p = paint(m, spot);
  Vec3 n = hit.normal;
  if (p.bump_u != 0.0f || p.bump_v != 0.0f) {
    n = normalize(madd(hit.tangent_u, -p.bump_u, madd(hit.tangent_v, -p.bump_v, n)));
  }
  const Vec3 view = -ray.direction, at = madd(hit.normal, 2e-3f, madd(ray.direction, hit.distance, ray.origin));
  if (seen && m.grain > 0.0f) {
    p.albedo = p.albedo * ww::max(1.0f + m.grain * fine_texture(spot.u, spot.v, m.seed, spot.footprint), 0.1f);
  }
  const Vec3 diffuse = p.albedo * (1.0f - p.metallic);
  const Vec3 f0 = mix({0.04f, 0.04f, 0.04f}, p.albedo, p.metallic);
  const float open = seen ? openness(s, at, n, hit.object) : 0.8f;

  Surface out;
  out.color = diffuse * mix(s.bounce, (s.zenith + s.horizon) * 0.5f, 0.5f + 0.5f * n.y) * open + p.glow;

  // One light casts a shadow: the sun, or the first lamp where there is none.
  const bool sun = s.sun_color.x + s.sun_color.y + s.sun_color.z > 0.0f;
  Vec3 caster = s.sun_direction;
  float reach = 1000.0f;
  if (!sun) {
    caster = s.lights[0].position - at;
    const float inverse = rsqrt(dot(caster, caster) + 1e-4f);
    caster = caster * inverse;
    reach = s.light_count > 0 ? rcp(inverse) - 0.3f : 0.0f;
  }
  const bool lit =
      reach > 0.0f && dot(n, caster) > 0.0f && dot(hit.normal, caster) > 0.0f && !blocked(s, {at, caster}, reach);

  // Light 0 is the sun, lamps follow.
  WW_ROLLED
  for (u32 i = sun ? 0 : 1; i <= s.light_count; ++i) {
    if (i == (sun ? 0u : 1u) && !lit) continue;
    Vec3 l = s.sun_direction, light = s.sun_color;
    if (i > 0) {
      const Light& lamp = s.lights[i - 1];
      l = lamp.position - at;
      const float d2 = dot(l, l), fade = ww::saturate(1.0f - d2 * rcp(lamp.reach * lamp.reach));
      l = l * rsqrt(d2 + 1e-4f);
      light = lamp.color * (fade * fade * rcp(d2 + 0.5f));
    }
    out.color = out.color + lit_by(l, light, n, view, diffuse, f0, p.roughness);
  }
  const float c = 1.0f - ww::saturate(dot(n, view)), c2 = c * c;
  const float fresnel = c2 * c2 * c * (1.0f - p.roughness);
  out.mirror = mix(f0, {1, 1, 1}, fresnel) * open;
  out.normal = n;
  out.roughness = p.roughness;
  return out;
}

// What a mirror shows where nothing is traced: the sky outside, a room's mean light inside.
WW_DEVICE Vec3 surroundings(const Scene& s, Vec3 d) {
  if (s.enclosure == kOpen) return sky_gradient(s, d);
  return mix(s.bounce, s.zenith, 0.5f + 0.5f * d.y);
}

WW_DEVICE Vec3 fog_color(const Scene& s, Vec3 d) {
  return s.enclosure == kOpen ? sky_gradient(s, {d.x, 0.05f, d.z}) : s.horizon;
}

// Radiance along a ray; `first` becomes what it hits. Follows one mirror image.
WW_DEVICE Vec3 radiance(const Scene& s, Ray ray, Candidates candidates, float pixel_angle, Hit* first) {
  Vec3 sum{0, 0, 0}, weight{1, 1, 1};
  float low = kNear;
  WW_ROLLED
  for (u32 bounce = 0;; ++bounce) {
    const Hit hit = trace(s, ray, candidates, low);
    if (bounce == 0) *first = hit;
    if (hit.object == kSky) {
      return sum + weight * (bounce == 0 ? sky(s, ray.direction) : sky_gradient(s, ray.direction));
    }
    const Surface surf = surface(s, ray, hit, pixel_angle, bounce == 0);
    if (s.fog > 0.0f) {
      const float clear = ww::exp2(-s.fog * hit.distance);
      sum = sum + weight * fog_color(s, ray.direction) * (1.0f - clear);
      weight = weight * clear;
    }
    sum = sum + weight * surf.color;
    weight = weight * surf.mirror;
    const Vec3 d = madd(surf.normal, -2.0f * dot(surf.normal, ray.direction), ray.direction);
    const float traced = ww::saturate((0.32f - surf.roughness) * 6.0f);
    const float most = ww::max(ww::max(weight.x, weight.y), weight.z);
    if (bounce > 0 || traced * most < 0.025f || dot(d, hit.normal) <= 0.0f) return sum + weight * surroundings(s, d);
    // Rougher surfaces see less of the image and more of its mean.
    sum = sum + weight * surroundings(s, d) * (1.0f - traced);
    weight = weight * traced;
    ray = {madd(hit.normal, 3e-3f, madd(ray.direction, hit.distance, ray.origin)), d};
    candidates = everything(s);
    low = 1e-3f;
    pixel_angle *= 2.0f + 4.0f * surf.roughness;
  }
}

// Lays the particles before `distance` over a colour.
WW_DEVICE Vec3 with_particles(const Scene& s, Vec3 c, const Ray& ray, float distance, u32 candidates) {
  WW_ROLLED
  for (u32 rest = candidates; rest != 0; rest &= rest - 1) {
    const Particle& p = s.particles[__builtin_ctz(rest)];
    const Vec3 to = p.center - ray.origin;
    const float b = dot(to, ray.direction);
    if (b < 0.2f || b > distance) continue;
    const Vec3 off = madd(ray.direction, -b, to);
    const float k = 1.0f - dot(off, off) * rcp(p.radius * p.radius);
    if (k <= 0.0f) continue;
    c = p.opacity < 0.0f ? madd(p.color, -p.opacity * k, c) : mix(c, p.color, p.opacity * ww::min(k * 2.0f, 1.0f));
  }
  return c;
}

}  // namespace scene
