// The camera's path: a function of the family, the seed, the shot and the time.
#pragma once
#include "family_table.h"

namespace scene {

// Everything moves by sines, so a camera stays where its family wants it however long a sequence is.
WW_DEVICE float sine(float cycles) {
  return ww::sin(6.2831853f * ww::fract(cycles));
}
WW_DEVICE float cosine(float cycles) {
  return sine(cycles + 0.25f);
}

enum CameraStyle : u32 { kDolly, kDollyPan, kTruck, kPan, kHandheld, kFlick, kTripod, kArc, kCameraStyleCount };

WW_DEVICE Camera camera_at(const Family& f, u32 seed, u32 shot, float time, float aspect) {
  Random r(hash(seed, shot, 0xca3e7a));
  const u32 style = r.integer(0, kCameraStyleCount - 1);
  Camera c{};
  c.eye = {r.between(f.eye_low[0], f.eye_high[0]), r.between(f.eye_low[1], f.eye_high[1]),
           r.between(f.eye_low[2], f.eye_high[2])};
  float yaw = r.between(-f.yaw, f.yaw), pitch = r.between(f.pitch_low, f.pitch_high), roll = 0.0f;
  const float phase = r.uniform(), rate = r.between(0.04f, 0.16f);
  // A sine of amplitude a and rate w cycles a second moves at most 2 pi a w a second.
  const float reach = ww::min(f.speed * r.between(0.4f, 1.2f) * 0.159f * rcp(rate), 6.0f);
  const float travel = reach * sine(time * rate + phase);
  float turn = 0.0f;
  if (style == kDolly || style == kDollyPan) c.eye.z += travel;
  if (style == kDollyPan) turn = 0.3f * sine(time * 0.13f + phase);
  if (style == kTruck) c.eye.x += ww::min(ww::max(travel, f.eye_low[0] - c.eye.x), f.eye_high[0] - c.eye.x);
  if (style == kPan) {
    const float wide = r.between(0.3f, 0.7f);
    turn = wide * sine(time * r.between(0.08f, 0.2f) + phase);
  }
  if (style == kFlick) turn = 0.5f * sine(time * r.between(0.4f, 0.9f) + phase);
  if (style == kArc) {
    // Around a point ahead, always looking at it.
    const float distance = r.between(5.0f, 10.0f), angle = 0.25f * sine(time * rate * 1.5f + phase);
    turn = -angle;
    c.eye.x += distance * ww::sin(angle);
    c.eye.z += distance * (1.0f - ww::cos(angle));
  }
  const float shaky = r.uniform();
  float shake = 0.004f * shaky * shaky;
  if (style == kHandheld) shake = 0.008f;
  if (style == kTripod) shake = 0.0f;
  yaw += turn + shake * (sine(time * 1.3f + phase) + 0.6f * sine(time * 4.7f));
  pitch += shake * (sine(time * 1.7f) + 0.6f * sine(time * 5.3f + phase));
  roll += 0.5f * shake * sine(time * 0.9f);
  c.eye.y += 3.0f * shake * sine(time * 1.9f);

  const float sy = ww::sin(yaw), cy = ww::cos(yaw), sp = ww::sin(pitch), cp = ww::cos(pitch);
  c.forward = {sy * cp, sp, cy * cp};
  const Vec3 level{cy, 0.0f, -sy};
  const Vec3 up = cross(c.forward, level);
  const float sr = ww::sin(roll), cr = ww::cos(roll);
  c.right = madd(level, cr, up * sr);
  c.up = madd(up, cr, level * -sr);
  c.tan_y = r.between(0.4f, 0.62f);
  c.tan_x = c.tan_y * aspect;
  return c;
}

}  // namespace scene
