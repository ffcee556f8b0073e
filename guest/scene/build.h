// Builds a scene from a request: the family's tables, filled with random numbers that follow from the seed alone, and
// posed at the request's time and at the frame before.
#pragma once
#include "camera.h"

namespace scene {

struct Pose {
  Vec3 center;
  Vec3 axis[3];
  float sway;
};

WW_DEVICE Vec3 rotated(Vec3 a, Vec3 about, float s, float c) {
  return a * c + cross(about, a) * s + about * (dot(about, a) * (1.0f - c));
}
WW_DEVICE void rotate(Pose& p, Vec3 about, float cycles) {
  const float s = sine(cycles), c = cosine(cycles);
  for (u32 k = 0; k < 3; ++k) p.axis[k] = rotated(p.axis[k], about, s, c);
}

WW_DEVICE Vec3 color_of(u32 palette, Random& r) {
  if (palette == kAny) palette = r.integer(0, kPaletteCount - 2);  // any but neon
  const PaletteRange& p = kPalettes[palette];
  const float h = r.between(p.hue_low, p.hue_high), s = r.between(p.saturation_low, p.saturation_high);
  return hue(h, s, r.between(p.value_low, p.value_high));
}

WW_DEVICE void set_material(Material& m, u32 pattern, u32 palette_a, u32 palette_b, u32 gloss, float cell, float glow,
                            Random& r) {
  if (pattern == kAny) {
    const u32 pick = r.integer(0, 21);
    pattern = pick == kAsphalt ? u32(kShingles) : pick == kWater ? u32(kContainer) : pick;
  }
  if (gloss == kAny) gloss = r.integer(0, kGlossCount - 1);
  m.pattern = pattern;
  m.a = color_of(palette_a, r);
  m.b = color_of(palette_b, r);
  m.cell = cell * r.between(0.85f, 1.2f);
  m.roughness = r.between(kGlosses[gloss].roughness_low, kGlosses[gloss].roughness_high);
  m.metallic = kGlosses[gloss].metallic;
  m.emission = glow * r.between(0.7f, 1.3f);
  m.seed = r.next();
  const float coarse = unit(mix_bits(m.seed));
  m.grain = kGlosses[gloss].grain * (0.15f + coarse);
  m.bump = pattern == kFacade ? (glow > 0.5f ? r.between(0.1f, 0.5f) : 0.03f) : r.between(0.3f, 0.9f);
}

// What a rule decided for one object, apart from time.
struct Placed {
  Vec3 base;   // centre, before motion; in the base object's frame if attached
  float yaw;   // cycles
  Vec3 about;  // axis of tumbling
  float tilt;
  float speed, phase;
  u32 turn, motion;
  bool enclosed;
};

WW_DEVICE Pose pose_at(const Placed& o, float time, float time_now) {
  Pose p;
  p.center = o.base;
  p.sway = 0.0f;
  const float s = sine(o.yaw), c = cosine(o.yaw);
  p.axis[0] = {c, 0, -s};
  p.axis[1] = {0, 1, 0};
  p.axis[2] = {s, 0, c};
  if (o.turn == kLying) {
    p.axis[1] = {0, 0, 1};
    p.axis[2] = {0, -1, 0};
  } else if (o.turn == kAcross) {
    p.axis[0] = {0, -1, 0};
    p.axis[1] = {1, 0, 0};
  } else if (o.turn == kFlatTurn) {
    p.axis[1] = {0, 0, 1};
    p.axis[2] = {0, 1, 0};
  } else if (o.turn == kTilted) {
    rotate(p, o.about, o.tilt);
  }
  const float swing = time * o.speed * 0.16f + o.phase;
  switch (o.motion) {
    case kSpin:
      rotate(p, {0, 1, 0}, swing);
      break;
    case kTumble:
      rotate(p, o.about, swing);
      break;
    case kWheel:
      rotate(p, p.axis[2], swing);
      break;
    case kSwing:
      rotate(p, p.axis[2], 0.08f * sine(swing * 2.0f));
      break;
    case kSlideX:
    case kSlideZ: {
      float along;
      if (o.enclosed) {
        along = 6.0f * sine(time * o.speed * 0.0265f + o.phase);
      } else {
        const float lap = ww::floor(time_now * o.speed * 0.016667f + o.phase);
        along = 60.0f * (time * o.speed * 0.016667f + o.phase - lap) - 30.0f;
      }
      (o.motion == kSlideX ? p.center.x : p.center.z) += along;
      break;
    }
    case kBob:
      p.center.y += 0.25f * sine(swing);
      p.center.x += 0.3f * sine(swing * 0.7f);
      rotate(p, {0, 1, 0}, 0.1f * sine(swing));
      break;
    case kOrbit:
      p.center.x += 3.0f * cosine(swing);
      p.center.z += 3.0f * sine(swing);
      rotate(p, {0, 1, 0}, -swing);
      break;
    case kSway:
      p.sway = o.speed * (sine(time * 0.3f + o.phase) + 0.4f * sine(time * 0.83f + o.phase)) * 0.7f;
      break;
    default:
      break;
  }
  return p;
}

WW_DEVICE Pose on(const Pose& base, Pose local) {
  local.center = to_world(base.axis, local.center) + base.center;
  for (u32 k = 0; k < 3; ++k) local.axis[k] = to_world(base.axis, local.axis[k]);
  return local;
}

WW_DEVICE float spread_value(u32 how, float low, float high, u32 i, u32 n, Random& r) {
  const float jitter = r.uniform();
  if (how == kEvenly) return ww::mix(low, high, (float(i) + 0.3f + 0.4f * jitter) * rcp(float(n)));
  if (how == kAlternating) return (i & 1) ? high : low;
  if (how == kPairwise) return ww::mix(low, high, (float(i >> 1) + 0.5f) * rcp(float((n + 1) >> 1)));
  return ww::mix(low, high, jitter);
}

WW_DEVICE Pose pose_of(const Object& o, bool before) {
  Pose p;
  p.center = before ? o.center_before : o.center;
  for (u32 k = 0; k < 3; ++k) p.axis[k] = before ? o.axis_before[k] : o.axis[k];
  p.sway = 0.0f;
  return p;
}

// The i-th of n objects of a rule, as object number `index` of the scene; base: the object it stands on, or none.
WW_DEVICE void place(Scene& s, const Rule& rule, u32 i, u32 n, u32 index, const Object* base, Random r, u32 flags) {
  Object& o = s.objects[index];
  const u32 shape = rule.shape == kAny ? r.integer(0, 3) : rule.shape;
  Vec3 half{r.between(rule.half_low[0], rule.half_high[0]), r.between(rule.half_low[1], rule.half_high[1]),
            r.between(rule.half_low[2], rule.half_high[2])};
  if (rule.half_high[1] == 0.0f) half.y = half.x;
  if (rule.half_high[2] == 0.0f) half.z = half.x;
  if (shape == kQuad) half.z = 1e-3f;
  u32 cutout = rule.cutout;
  if (cutout == kAny) cutout = r.uniform() < 0.3f ? u32(kSolid) : r.integer(kChain, kHoles);
  o.half = half;
  o.shape_alpha = shape | (cutout << 8);
  o.alpha_cell = cutout == kCables ? ww::min(rule.cutout_cell, 0.03f) : rule.cutout_cell;

  Placed p;
  p.turn = rule.turn;
  p.motion = rule.motion;
  if (p.motion == kAny) p.motion = r.uniform() < 0.35f ? u32(kStill) : r.integer(kSpin, kSway);
  if (p.motion == kSway && shape != kQuad) p.motion = kStill;
  p.enclosed = s.enclosure == kRoom;
  p.phase = r.uniform();
  const float pace = r.between(0.6f, 1.4f);
  p.speed = rule.speed * pace * (r.next() & 1 ? 1.0f : -1.0f);
  p.tilt = r.between(-0.5f, 0.5f);
  p.about = normalize({r.between(-1, 1), r.between(-1, 1) + 0.01f, r.between(-1, 1)});
  if (base) {
    p.base = {base->half.x * rule.low[0] + rule.high[0], base->half.y * rule.low[1] + rule.high[1],
              base->half.z * rule.low[2] + rule.high[2]};
  } else {
    const float x = spread_value(rule.spread & 3, rule.low[0], rule.high[0], i, n, r);
    const float y = spread_value((rule.spread >> 2) & 3, rule.low[1], rule.high[1], i, n, r);
    const float z = spread_value((rule.spread >> 4) & 3, rule.low[2], rule.high[2], i, n, r);
    const bool lies = p.turn == kLying || p.turn == kAcross;
    p.base = {x, y + (p.turn == kFlatTurn ? 0.0f : lies ? half.x : half.y), z};
  }
  p.yaw = 0.0f;
  if (p.turn == kAnyYaw) p.yaw = r.uniform();
  if (p.turn == kQuarter) p.yaw = 0.25f * float(r.integer(0, 3));
  if (p.turn == kInward) p.yaw = p.base.x > 0.0f ? 0.25f : -0.25f;

  Pose now{}, before{};
  WW_ROLLED
  for (u32 past = 0; past < 2; ++past) {
    Pose pose = pose_at(p, past ? s.time_before : s.time, s.time);
    if (base) pose = on(pose_of(*base, past), pose);
    (past ? before : now) = pose;
  }
  if ((flags & kFlagMotionErrors) && r.uniform() < 0.08f) before = now;
  o.center = now.center;
  o.center_before = before.center;
  for (u32 k = 0; k < 3; ++k) {
    o.axis[k] = now.axis[k];
    o.axis_before[k] = before.axis[k];
  }
  o.sway = now.sway;
  o.sway_before = before.sway;
  const float z = shape == kCylinder ? half.x : half.z;
  o.radius = root(half.x * half.x + half.y * half.y + z * z) + ww::abs(o.sway) + 1e-3f;
  set_material(s.materials[index], rule.pattern, rule.palette_a, rule.palette_b, rule.gloss, rule.cell, rule.glow, r);
}

WW_DEVICE void place_all(Scene& s, const Family& f, u32 seed, u32 flags) {
  u32 first[16], count[16], used = 0;
  WW_ROLLED
  for (u32 k = 0; k < f.count && k < 16; ++k) {
    const Rule& rule = kRules[f.first + k];
    Random r(hash(seed, k, 0x0b1ec7));
    const u32 target = rule.attach ? k - rule.attach : 0;
    u32 n = rule.attach ? count[target] : r.integer(rule.count_low, rule.count_high);
    n = ww::min(n, kMaxObjects - used);
    first[k] = used;
    count[k] = n;
    WW_ROLLED
    for (u32 i = 0; i < n; ++i) {
      const Object* base = rule.attach ? &s.objects[first[target] + i] : nullptr;
      place(s, rule, i, n, used + i, base, Random(hash(seed, k * 64 + i, 0x91ace)), flags);
    }
    used += n;
  }
  s.object_count = used;
}

WW_DEVICE Vec3 vec(const float (&a)[3]) {
  return {a[0], a[1], a[2]};
}
WW_DEVICE float luminance(Vec3 c) {
  return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

// Sun, sky and lamps. Returns the light that falls on an average surface.
WW_DEVICE float set_light(Scene& s, const Family& f, u32 seed) {
  Random r(hash(seed, 1, 0x116471));
  const bool open = f.enclosure == kOpen;
  const float weather = r.uniform();
  const bool night = open && weather < 0.1f && f.sun_strength > 0.0f, overcast = open && weather > 0.85f;
  const float elevation = r.between(f.sun_low, f.sun_high), azimuth = r.uniform();
  const float across = ww::cos(elevation);
  s.sun_direction = {across * sine(azimuth), ww::sin(elevation), across * cosine(azimuth)};
  const Vec3 tint = mix({1.0f, 0.62f, 0.32f}, {1.0f, 0.94f, 0.86f}, ww::saturate(elevation * 1.6f));
  const float strength = f.sun_strength * r.between(0.8f, 1.4f) * (night ? 0.02f : overcast ? 0.0f : 1.0f);
  s.sun_color = tint * strength;
  const float ambient = f.ambient * r.between(0.45f, 1.0f) * (night ? 0.03f : overcast ? 1.3f : 1.0f);
  s.zenith = vec(f.zenith) * ambient;
  s.horizon = vec(f.horizon) * ambient;
  s.bounce = vec(f.bounce) * ambient;
  if (overcast) s.zenith = mix(s.zenith, s.horizon, 0.8f);
  s.fog = f.fog * r.between(0.3f, 1.5f);
  s.clouds = f.clouds * r.between(0.4f, 1.3f);
  s.stars = night ? 0.3f : f.stars;

  u32 lamps = f.lamps;
  if (night) lamps = 3;
  s.light_count = ww::min(lamps, kMaxLights);
  float lamp_light = 0.0f;
  WW_ROLLED
  for (u32 i = 0; i < s.light_count; ++i) {
    const float lamp_strength = (f.lamp_strength > 0.0f ? f.lamp_strength : 5.0f) * r.between(0.5f, 1.5f);
    const Vec3 c = color_of(f.lamps ? f.lamp_palette : u32(kGold), r);
    const float x = open ? 4.0f : 0.35f * (f.room_high[0] - f.room_low[0]);
    s.lights[i].position = {r.between(-x, x), f.lamp_height > 0.0f ? f.lamp_height : 3.5f,
                            -1.0f + 7.0f * float(i) + r.between(-2.0f, 2.0f)};
    s.lights[i].reach = 18.0f;
    s.lights[i].color = c * lamp_strength;
    lamp_light += lamp_strength * 0.04f;
  }
  return 0.5f * strength * (open ? 1.0f : 0.15f) + luminance(s.zenith + s.horizon) * 0.5f + lamp_light * 0.5f;
}

WW_DEVICE void set_particles(Scene& s, const Family& f, u32 seed, u32 flags, float light) {
  Random r(hash(seed, 2, 0x9a471c));
  s.particle_count = 0;
  if (!(flags & kFlagParticles) || f.particles == kNoParticles || r.uniform() < 0.35f) return;
  s.particle_count = r.integer(10, kMaxParticles);
  Vec3 velocity{r.between(-0.6f, 0.6f), -0.7f, r.between(-0.4f, 0.4f)}, color = Vec3{1, 1, 1} * light;
  float size = 0.03f, opacity = 0.9f, volume = 6.0f;
  if (f.particles == kMotes) velocity = {0.1f, 0.05f, 0.02f}, size = 0.012f, opacity = -0.5f;
  if (f.particles == kSparks) velocity = {1.0f, -2.5f, 0.3f}, size = 0.015f, opacity = -1.0f, color = {12, 6, 1.5f};
  if (f.particles == kDrifting) velocity = velocity * 1.2f, size = 0.05f, color = Vec3{0.35f, 0.2f, 0.06f} * light;
  if (f.particles == kRain) velocity = {0.4f, -8.0f, 0.0f}, size = 0.012f, opacity = 0.5f, volume = 5.0f;
  WW_ROLLED
  for (u32 i = 0; i < s.particle_count; ++i) {
    Particle& p = s.particles[i];
    // A cube around the camera that the particles wrap around, at rest in the world.
    const float pace = r.between(0.6f, 1.4f), gust = 0.3f * sine(s.time * 0.4f + r.uniform());
    const Vec3 v = velocity * pace + Vec3{gust, 0, 0};
    const Vec3 start{r.uniform(), r.uniform(), r.uniform()};
    const Vec3 q = start + (v * s.time - s.now.eye) * rcp(volume);
    const Vec3 w{ww::fract(q.x) - 0.5f, ww::fract(q.y) - 0.5f, ww::fract(q.z) - 0.5f};
    p.center = madd(w, volume, s.now.eye);
    p.radius = size * r.between(0.5f, 1.4f);
    p.color = color * r.between(0.6f, 1.3f);
    p.opacity = opacity;
  }
}

WW_DEVICE void build_scene(const Request& q, Scene& s, Info& info) {
  const u32 family = q.family % kFamilyCount;
  const Family& f = kFamilies[family];
  const u32 seed = hash(q.seed, family, 0x5eed);
  Random r(seed);
  s.seed = seed;
  s.enclosure = f.enclosure;
  const float frame_time = r.next() & 1 ? 0.0166667f : 0.0333333f;
  const float start = r.between(0.0f, 60.0f);
  s.time = start + float(q.frame) * frame_time;
  s.time_before = start + float(q.frame - q.frame_step) * frame_time;
  const u32 shot_length = r.integer(40, 160), offset = shot_length + r.integer(0, shot_length - 1);
  const bool cuts = q.flags & kFlagCuts;
  const u32 shot = cuts ? (u32(q.frame) + offset) / shot_length : 0;
  const u32 shot_before = cuts ? u32(q.frame + s32(offset) - q.frame_step) / shot_length : 0;

  float left = q.window[0], top = q.window[1], width = q.window[2], height = q.window[3];
  if (width == 0.0f) {
    width = q.crop;
    height = q.crop_y;
    left = r.uniform() * (1.0f - width);
    top = 0.5f * (r.uniform() + unit(mix_bits(seed))) * (1.0f - height);  // more often near the middle
  }
  s.window[0] = left, s.window[1] = top, s.window[2] = width, s.window[3] = height;
  s.jitter[0] = q.jitter[0], s.jitter[1] = q.jitter[1];

  // At a cut the frame before is imagined on the new shot's path: motion stays sane, history is of no use.
  WW_ROLLED
  for (u32 past = 0; past < 2; ++past) {
    (past ? s.before : s.now) = camera_at(f, seed, shot, past ? s.time_before : s.time, q.aspect);
  }
  const float light = set_light(s, f, seed);

  s.room_low = vec(f.room_low);
  s.room_high = vec(f.room_high);
  s.wall_alpha = f.wall_cutout, s.ceiling_alpha = f.ceiling_cutout;
  s.wall_cell = f.wall_cutout_cell, s.ceiling_cell = f.ceiling_cutout_cell;
  const Finish* finishes[3] = {&f.ground, &f.wall, &f.ceiling};
  WW_ROLLED
  for (u32 k = 0; k < 3; ++k) {
    const Finish& x = *finishes[k];
    set_material(s.materials[kMaxObjects + k], x.pattern, x.palette_a, x.palette_b, x.gloss, x.cell, 0.3f, r);
    s.materials[kMaxObjects + k].emission = 0.0f;
  }
  place_all(s, f, seed, q.flags);
  set_particles(s, f, seed, q.flags, light);

  // Radiance in the game's own units, over six stops; exposure brings an average surface to about a third.
  const float level = r.between(-0.5f, 0.5f) + 0.12f * sine(s.time * 0.1f);
  s.radiance = ww::exp2(r.between(-3.0f, 3.0f));
  info.exposure = ww::exp2(level) * 0.28f * rcp((0.2f * light + 0.01f) * s.radiance);
  info.reset = shot != shot_before ? 1.0f : 0.0f;
  info.fov_y = 2.0f * 6.2831853f * turns(s.now.tan_y, 1.0f);
  info.reserved = 0.0f;
}

}  // namespace scene
