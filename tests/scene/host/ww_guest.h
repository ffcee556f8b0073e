// Stands in for guest/include/ww_guest.h where a test compiles the scene renderer for the host: the few names that
// guest/scene uses, on the C++ library's functions. Only serial code: no threads, barriers or shuffles.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#define WW_DEVICE inline
#define WW_ROLLED
#define __constant__ static

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;

namespace ww {
template <class To, class From>
To bits(From from) {
  return std::bit_cast<To>(from);
}
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
inline float fma(float a, float b, float c) {
  return a * b + c;
}
inline float abs(float x) {
  return std::fabs(x);
}
inline float floor(float x) {
  return std::floor(x);
}
inline float copysign(float magnitude, float sign) {
  return std::copysign(magnitude, sign);
}
inline float fract(float x) {
  return x - std::floor(x);
}
inline float saturate(float x) {
  return std::clamp(x, 0.0f, 1.0f);
}
inline float mix(float a, float b, float t) {
  return a + t * (b - a);
}
inline float sin(float x) {
  return std::sin(x);
}
inline float cos(float x) {
  return std::cos(x);
}
inline float exp2(float x) {
  return std::exp2(x);
}
}  // namespace ww
