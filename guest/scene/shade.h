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

template <bool kPrimary>
WW_DEVICE Surface surface(const Scene& s, const Ray& ray, const Hit& hit, float pixel_angle) {
  const Material& m = s.materials[hit.material];
  const float facing = ww::max(ww::abs(dot(hit.normal, ray.direction)), 0.05f);
  Spot spot{hit.u, hit.v, hit.half_u, hit.half_v, hit.distance * pixel_angle * rsqrt(facing), s.time};
  const Paint p = paint(m, spot);
  Vec3 n = hit.normal;
  if (p.bump_u != 0.0f || p.bump_v != 0.0f) {
    n = normalize(madd(hit.tangent_u, -p.bump_u, madd(hit.tangent_v, -p.bump_v, n)));
  }
  const Vec3 view = -ray.direction, at = madd(hit.normal, 2e-3f, madd(ray.direction, hit.distance, ray.origin));
  const Vec3 diffuse = p.albedo * (1.0f - p.metallic);
  const Vec3 f0 = mix({0.04f, 0.04f, 0.04f}, p.albedo, p.metallic);
  const float open = kPrimary ? openness(s, at, n, hit.object) : 0.8f;

  Surface out;
  const float up = 0.5f + 0.5f * n.y;
  out.color = diffuse * mix(s.bounce, (s.zenith + s.horizon) * 0.5f, up) * open + p.glow;
  const bool sun = s.sun_color.x + s.sun_color.y + s.sun_color.z > 0.0f;
  if (sun && dot(n, s.sun_direction) > 0.0f && dot(hit.normal, s.sun_direction) > 0.0f) {
    if (!blocked(s, {at, s.sun_direction}, 1000.0f)) {
      out.color = out.color + lit_by(s.sun_direction, s.sun_color, n, view, diffuse, f0, p.roughness);
    }
  }
  for (u32 i = 0; i < s.light_count; ++i) {
    const Light& light = s.lights[i];
    const Vec3 to = light.position - at;
    const float d2 = dot(to, to), fade = ww::saturate(1.0f - d2 * rcp(light.reach * light.reach));
    if (fade <= 0.0f) continue;
    const float inverse = rsqrt(d2 + 1e-4f);
    const Vec3 l = to * inverse;
    if (dot(n, l) <= 0.0f) continue;
    if (kPrimary && !sun && i == 0 && blocked(s, {at, l}, d2 * inverse - 0.3f)) continue;
    out.color = out.color + lit_by(l, light.color * (fade * fade * rcp(d2 + 0.5f)), n, view, diffuse, f0, p.roughness);
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

WW_DEVICE Vec3 fogged(const Scene& s, Vec3 c, const Ray& ray, float distance) {
  if (s.fog <= 0.0f) return c;
  const float clear = ww::exp2(-s.fog * distance);
  return mix(s.enclosure == kOpen ? sky_gradient(s, {ray.direction.x, 0.05f, ray.direction.z}) : s.horizon, c, clear);
}

// Radiance along a ray whose nearest hit is known.
WW_DEVICE Vec3 radiance(const Scene& s, const Ray& ray, const Hit& hit, float pixel_angle) {
  if (hit.object == kSky) return sky(s, ray.direction);
  const Surface first = surface<true>(s, ray, hit, pixel_angle);
  const Vec3 d = madd(first.normal, -2.0f * dot(first.normal, ray.direction), ray.direction);
  Vec3 image = surroundings(s, d);
  const float traced = ww::saturate((0.32f - first.roughness) * 6.0f);
  const float weight = ww::max(ww::max(first.mirror.x, first.mirror.y), first.mirror.z);
  if (traced * weight > 0.025f && dot(d, hit.normal) > 0.0f) {
    const Ray bounce{madd(hit.normal, 3e-3f, madd(ray.direction, hit.distance, ray.origin)), d};
    const Hit second = trace(s, bounce, everything(s), 1e-3f);
    Vec3 seen;
    if (second.object == kSky) {
      seen = sky_gradient(s, d);
    } else {
      const Surface other = surface<false>(s, bounce, second, pixel_angle * (2.0f + 4.0f * first.roughness));
      seen = fogged(s, other.color + other.mirror * surroundings(s, d) * 0.5f, bounce, second.distance);
    }
    image = mix(image, seen, traced);
  }
  return fogged(s, first.color + first.mirror * image, ray, hit.distance);
}

// Lays the particles before `distance` over a colour.
WW_DEVICE Vec3 with_particles(const Scene& s, Vec3 c, const Ray& ray, float distance, u32 candidates) {
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
