#include "base/float_formats.h"
#include "devicelib/texture.h"

namespace ww::devicelib {

namespace {

s64 clamp(s64 value, s64 least, s64 most) {
  return value < least ? least : value > most ? most : value;
}

u32 pack_channel(ChannelFormat format, u32 word) {
  switch (format) {
    case ChannelFormat::kF16:
      if ((word & 0x7fffffff) > 0x7f800000) return (word >> 16 & 0x8000) | 0x7c00 | (word >> 13 & 0x3ff);  // a cut NaN
      return u32(convert_format(kFormatF16, kFormatF32, word, Rounding::kTowardZero));
    case ChannelFormat::kU8:
      return word > 0xff ? 0xff : word;
    case ChannelFormat::kU16:
      return word > 0xffff ? 0xffff : word;
    case ChannelFormat::kS8:
      return u32(clamp(s32(word), -128, 127)) & 0xff;
    case ChannelFormat::kS16:
      return u32(clamp(s32(word), -32768, 32767)) & 0xffff;
    default:
      return word;
  }
}

}  // namespace

u32 image_property(const ImageDescription& image, const SamplerDescription* sampler, ImageProperty property,
                   u32 level) {
  const bool is_texture = sampler != nullptr;
  const LevelExtent extent = level_extent(image, level);
  const bool beyond = level >= image.levels;
  switch (property) {
    case ImageProperty::kWidth:
      return beyond ? 0 : extent.width;
    case ImageProperty::kHeight:
      if (beyond) return 0;
      if (image.shape == ImageShape::k1DArray) return image.depth;
      return image.shape == ImageShape::k1D && !is_texture ? 0 : extent.height;
    case ImageProperty::kDepth:
      if (beyond) return 0;
      if (is_cube(image.shape) && !is_texture) return extent.slices;
      if (image.shape == ImageShape::k2DArray || image.shape == ImageShape::kCubeArray) return image.depth;
      return image.shape == ImageShape::k3D ? extent.slices : 0;
    case ImageProperty::kLevels:
      return image.levels;
    case ImageProperty::kSamples:
      return 1;
    case ImageProperty::kArraySize:
      return is_array(image.shape) ? image.depth : 0;
    case ImageProperty::kNormalized:
      return is_texture && sampler->normalized;
    case ImageProperty::kUnknown:
      break;
  }
  return 0;
}

SurfacePlace surface_place(const ImageDescription& image, s32 x, s32 y, s32 z, u32 bytes, SurfaceOutside outside) {
  const LevelExtent extent = level_extent(image, 0);
  const u64 row_bytes = u64(extent.width) * texel_bytes(image);
  const u32 unit = bytes == 0 ? texel_bytes(image) : bytes;
  if (bytes != 0 && x % s32(bytes) != 0) return {SurfaceAccess::kMisaligned, 0};
  const s64 at = bytes == 0 ? s64(x) * unit : s64(x);
  const bool inside =
      at >= 0 && y >= 0 && z >= 0 && u64(at) + unit <= row_bytes && u32(y) < extent.height && u32(z) < extent.slices;
  if (!inside && outside == SurfaceOutside::kTrap) return {SurfaceAccess::kTrap, 0};
  // An access wider than a row has no place to be clamped to.
  if (!inside && (outside == SurfaceOutside::kZero || unit > row_bytes)) return {SurfaceAccess::kNothing, 0};
  const s64 last = (s64(row_bytes) - unit) / unit * unit;
  const s64 column = clamp(at, 0, last), row = clamp(y, 0, s64(extent.height) - 1),
            slice = is_array(image.shape) && z < 0 ? s64(extent.slices) - 1  // layers have no sign
                                                   : clamp(z, 0, s64(extent.slices) - 1);
  return {SurfaceAccess::kInside, (u64(slice) * extent.height + u64(row)) * row_bytes + u64(column)};
}

void surface_pack(const ImageDescription& image, const u32* words, u32 count, u8* texel) {
  const u32 bytes = channel_bytes(image.format);
  for (u32 c = 0; c < image.channels; ++c) {
    const u32 packed = pack_channel(image.format, c < count ? words[c] : 0);
    __builtin_memcpy(texel + c * bytes, &packed, bytes);
  }
}

}  // namespace ww::devicelib
