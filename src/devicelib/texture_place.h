// Places in fixed point. Private to the texture functions of devicelib.
#pragma once

#include "devicelib/devicelib.h"

namespace ww::devicelib {

// Places are multiples of 2^-21, of the image or of a texel.
constexpr s32 kPlaceBits = 21;

// v in units of 2^-bits, cut down; bits at most kPlaceBits. NaN and what is subnormal as f32 count as 0, and values
// beyond 2^24, infinite ones too, as 2^24: outside of every image, and a whole number of repetitions of one.
inline s64 fixed_place(f32 v, s32 bits) {
  constexpr f32 kLeastNormal = 0x1p-126f, kMost = 0x1p24f;
  if (!(__builtin_fabsf(v) >= kLeastNormal)) return 0;
  const f32 bounded = v < -kMost ? -kMost : v > kMost ? kMost : v;
  const f32 scaled = bounded * f32(u32(1) << bits);  // exact
  const auto cut = s64(scaled);
  return cut - (f32(cut) > scaled ? 1 : 0);
}

}  // namespace ww::devicelib
