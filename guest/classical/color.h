// Colour arithmetic of the upscalers: three-vectors, the range in which samples are averaged, and YCoCg.
#pragma once
#include "ww_guest.h"

namespace ww {

struct Rgb {
  float r, g, b;
};

WW_DEVICE Rgb operator+(Rgb a, Rgb b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}
WW_DEVICE Rgb operator-(Rgb a, Rgb b) {
  return {a.r - b.r, a.g - b.g, a.b - b.b};
}
WW_DEVICE Rgb operator*(Rgb a, Rgb b) {
  return {a.r * b.r, a.g * b.g, a.b * b.b};
}
WW_DEVICE Rgb operator*(Rgb a, float s) {
  return {a.r * s, a.g * s, a.b * s};
}
// a + b * s
WW_DEVICE Rgb add_scaled(Rgb a, Rgb b, float s) {
  return {fma(b.r, s, a.r), fma(b.g, s, a.g), fma(b.b, s, a.b)};
}
WW_DEVICE Rgb mix(Rgb a, Rgb b, float t) {
  return add_scaled(a, b - a, t);
}
WW_DEVICE Rgb min(Rgb a, Rgb b) {
  return {min(a.r, b.r), min(a.g, b.g), min(a.b, b.b)};
}
WW_DEVICE Rgb max(Rgb a, Rgb b) {
  return {max(a.r, b.r), max(a.g, b.g), max(a.b, b.b)};
}
WW_DEVICE Rgb rgb_of(float4 texel) {
  return {texel.x, texel.y, texel.z};
}

// Linear colour to the bounded range 0..1 in which samples are averaged, so that one bright sample does not outweigh
// all others (B. Karis, "High Quality Temporal Supersampling", SIGGRAPH 2014): the first two steps of display space.
WW_DEVICE Rgb compress(Rgb linear, float exposure) {
  const Rgb c = linear * exposure;
  return c * (1.0f / (1.0f + max(max(c.r, c.g), max(c.b, 0.0f))));
}
// Its inverse; results are limited to about 4000 / exposure.
WW_DEVICE Rgb expand(Rgb compressed, float exposure) {
  const Rgb c = max(compressed, Rgb{0.0f, 0.0f, 0.0f});
  const float most = min(max(max(c.r, c.g), c.b), 0.99975f);
  return c * (1.0f / ((1.0f - most) * exposure));
}

// Luma and two colour differences, a rotation that lines a colour box up with what varies most.
WW_DEVICE Rgb ycocg_of_rgb(Rgb c) {
  return {0.25f * c.r + 0.5f * c.g + 0.25f * c.b, 0.5f * c.r - 0.5f * c.b, -0.25f * c.r + 0.5f * c.g - 0.25f * c.b};
}
WW_DEVICE Rgb rgb_of_ycocg(Rgb c) {
  const float t = c.r - c.b;
  return {t + c.g, c.r + c.b, t - c.g};
}

}  // namespace ww
