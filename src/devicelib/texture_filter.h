// How texels become values: formats, and the weighted sum of a linear filter. Private to the texture functions of
// devicelib.
#pragma once

#include "devicelib/texture.h"

namespace ww::devicelib {

// The texels that a filter reads, with weights in 256ths that add up to 256. Null: the border. Those of one slice of
// one level are a group: floats of a group are summed by themselves first.
struct Taps {
  static constexpr u32 kMostGroups = 4;

  const u8* texel[16];
  u32 weight[16];
  u32 count = 0;
  u32 group_end[kMostGroups];  // the count behind each group
  u32 groups = 0;

  // Nothing is done with a weight of 0: what such a texel holds does not count.
  void add(const u8* from, u32 of_256) {
    if (of_256 == 0) return;
    texel[count] = from;
    weight[count++] = of_256;
  }
  void end_group() { group_end[groups++] = count; }
};

Texel filter(const TextureView& view, const Taps& taps);

// One texel; null: the border.
Texel read_texel(const TextureView& view, const u8* texel);

// What a gather gives of one texel: snorm8 is what a filter makes of it.
u32 gathered_channel(const TextureView& view, const u8* texel, u32 channel);

}  // namespace ww::devicelib
