// Stands in for guest/include/ww_guest/core.h where math_test.cpp compiles ww_guest/math.h for the host.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#define WW_DEVICE inline

using u32 = std::uint32_t;
using s32 = std::int32_t;

// The instructions themselves are devicelib's and the devices' business.
inline float unavailable(float) {
  return NAN;
}
#define __nvvm_rsqrt_approx_f unavailable
#define __nvvm_sqrt_approx_f unavailable
#define __nvvm_ex2_approx_f unavailable
#define __nvvm_lg2_approx_f unavailable
#define __nvvm_sin_approx_f unavailable
#define __nvvm_cos_approx_f unavailable
#define __nvvm_div_approx_f(a, b) unavailable(a + b)

namespace ww {
template <class To, class From>
To bits(From from) {
  return std::bit_cast<To>(from);
}
inline float min(float a, float b) {
  return std::fmin(a, b);
}
inline float max(float a, float b) {
  return std::fmax(a, b);
}
}  // namespace ww
