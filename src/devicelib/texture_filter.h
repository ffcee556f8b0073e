// How texels become values: formats, and the weighted sum of a linear filter. Private to the texture functions of
// devicelib.
#pragma once

#include "base/float_formats.h"
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

// One texel; null: the border. Those of f32 and f16, which most textures have, are read in place.
Texel read_converted_texel(const TextureView& view, const u8* texel);

inline Texel read_texel(const TextureView& view, const u8* texel) {
  const u32 channels = view.image.channels;
  Texel result{};
  if (view.image.format == ChannelFormat::kF32) {
    if (texel == nullptr) texel = reinterpret_cast<const u8*>(view.sampler.border);
    if (channels == 4)
      __builtin_memcpy(result.channel, texel, 16);
    else
      __builtin_memcpy(result.channel, texel, channels == 1 ? 4 : 8);
    return result;
  }
  if (texel == nullptr || view.image.format != ChannelFormat::kF16) return read_converted_texel(view, texel);
  for (u32 c = 0; c < channels; ++c) {
    u16 half;
    __builtin_memcpy(&half, texel + 2 * c, 2);
    result.channel[c] = __builtin_bit_cast(u32, f16_to_f32(half));
  }
  return result;
}

// What a gather gives of one texel: snorm8 is what a filter makes of it. Channels: those of the image.
u32 gathered_converted_channel(const TextureView& view, const u8* texel, u32 channel);

inline u32 gathered_channel(const TextureView& view, const u8* texel, u32 channel) {
  if (view.image.format != ChannelFormat::kF32 || texel == nullptr)
    return gathered_converted_channel(view, texel, channel);
  u32 bits;
  __builtin_memcpy(&bits, texel + 4 * channel, 4);
  return bits;
}

}  // namespace ww::devicelib
