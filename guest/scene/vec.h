// Small vector algebra and deterministic reciprocals for the scene renderer.
#pragma once
#include "scene.h"
#include "ww_guest.h"

namespace scene {

WW_DEVICE Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
WW_DEVICE Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
WW_DEVICE Vec3 operator-(Vec3 a) {
  return {-a.x, -a.y, -a.z};
}
WW_DEVICE Vec3 operator*(Vec3 a, Vec3 b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
WW_DEVICE Vec3 operator*(Vec3 a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
WW_DEVICE Vec3 madd(Vec3 a, float s, Vec3 b) {
  return {ww::fma(a.x, s, b.x), ww::fma(a.y, s, b.y), ww::fma(a.z, s, b.z)};
}
WW_DEVICE float dot(Vec3 a, Vec3 b) {
  return ww::fma(a.x, b.x, ww::fma(a.y, b.y, a.z * b.z));
}
WW_DEVICE Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
WW_DEVICE Vec3 mix(Vec3 a, Vec3 b, float t) {
  return madd(b - a, t, a);
}

// 1/x and 1/sqrt(x) by Newton's method from a guess in integer arithmetic. Unlike the hardware's approximations they
// give the same bits everywhere, so that a scene is the same scene on every device. Relative error about 1e-7.
WW_DEVICE float rcp(float x) {
  float y = ww::bits<float>(0x7ef311c7u - ww::bits<u32>(x));
  y = y * ww::fma(-x, y, 2.0f);
  y = y * ww::fma(-x, y, 2.0f);
  return ww::fma(ww::fma(-x, y, 1.0f), y, y);
}
WW_DEVICE float rsqrt(float x) {
  float y = ww::bits<float>(0x5f3759dfu - (ww::bits<u32>(x) >> 1));
  const float h = 0.5f * x;
  y = y * ww::fma(-h * y, y, 1.5f);
  y = y * ww::fma(-h * y, y, 1.5f);
  return y * ww::fma(-h * y, y, 1.5f);
}
WW_DEVICE float root(float x) {
  return x * rsqrt(x);
}
WW_DEVICE Vec3 normalize(Vec3 a) {
  return a * rsqrt(dot(a, a));
}

// Into the frame of three axes, and out of it.
WW_DEVICE Vec3 to_local(const Vec3 (&axis)[3], Vec3 a) {
  return {dot(axis[0], a), dot(axis[1], a), dot(axis[2], a)};
}
WW_DEVICE Vec3 to_world(const Vec3 (&axis)[3], Vec3 a) {
  return madd(axis[0], a.x, madd(axis[1], a.y, axis[2] * a.z));
}

WW_DEVICE float smooth(float t) {
  return t * t * (3.0f - 2.0f * t);
}

// Angle of (x, y) in turns, -0.5..0.5. Error below 1e-5 turns.
WW_DEVICE float turns(float y, float x) {
  const float ax = ww::abs(x), ay = ww::abs(y);
  const float q = ww::min(ax, ay) * rcp(ww::max(ww::max(ax, ay), 1e-12f));
  const float z = q * q;
  float a = q * ww::fma(z, ww::fma(z, ww::fma(z, ww::fma(z, 0.00331760f, -0.01355304f), 0.02867323f), -0.05256964f),
                        0.15913367f);
  if (ay > ax) a = 0.25f - a;
  if (x < 0.0f) a = 0.5f - a;
  return y < 0.0f ? -a : a;
}

}  // namespace scene
