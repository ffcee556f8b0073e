// What an image is made of, how its texels lie in memory, and how a texture reads them. Freestanding: devicelib
// includes it.
#pragma once

#include <cstdint>

namespace ww {

// One scalar channel format of an image; the values of an image are 1, 2 or 4 of them. Unorm and snorm are integers
// that read as fractions of their range.
enum class ChannelFormat : uint8_t {
  kF32,
  kF16,
  kU8,
  kU16,
  kU32,
  kS8,
  kS16,
  kS32,
  kUnorm8,
  kUnorm16,
  kSnorm8,
  kSnorm16
};

enum class ImageShape : uint8_t { k2D, k1D, k3D, k1DArray, k2DArray, kCube, kCubeArray };

struct ImageDescription {
  uint32_t width = 0, height = 0;  // texels of the largest level, 1 .. 16384; 1D: height 1; cubes: a square
  uint32_t channels = 4;           // 1, 2 or 4
  ChannelFormat format = ChannelFormat::kF32;
  ImageShape shape = ImageShape::k2D;
  uint32_t depth = 1;   // slices of a 3D image, layers of an array, cubes of an array of cubes; 1 .. 2048
  uint32_t levels = 1;  // each half as large as the one before, rounded down, at least 1 texel

  friend bool operator==(const ImageDescription&, const ImageDescription&) = default;
};

enum class Filter : uint8_t { kPoint, kLinear };
enum class AddressMode : uint8_t { kClamp, kWrap, kMirror, kBorder };

struct SamplerDescription {
  Filter filter = Filter::kPoint;
  AddressMode address[3] = {AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  bool normalized = false;     // coordinates in 0..1 rather than in texels; images with levels and cubes need it
  bool srgb = false;           // unorm8: the first three channels are sRGB, and read as linear values
  bool seamless_cube = false;  // a linear filter crosses the edges of a cube's faces
  Filter level_filter = Filter::kPoint;
  uint32_t max_anisotropy = 0;  // 0 and 1: none; up to 16
  float level_bias = 0, min_level = 0, max_level = 1000;
  float border[4] = {0, 0, 0, 0};  // what AddressMode::kBorder reads outside

  friend bool operator==(const SamplerDescription&, const SamplerDescription&) = default;
};

// What txq and suq ask for. The rest of their questions have answers that depend on the source language.
enum class ImageProperty : uint8_t { kWidth, kHeight, kDepth, kLevels, kSamples, kArraySize, kNormalized, kUnknown };

// Bytes of one channel.
constexpr unsigned channel_bytes(ChannelFormat format) {
  switch (format) {
    case ChannelFormat::kF32:
    case ChannelFormat::kU32:
    case ChannelFormat::kS32:
      return 4;
    case ChannelFormat::kF16:
    case ChannelFormat::kU16:
    case ChannelFormat::kS16:
    case ChannelFormat::kUnorm16:
    case ChannelFormat::kSnorm16:
      return 2;
    default:
      return 1;
  }
}

// True if fetches give floats (also for unorm and snorm), false for integer formats.
constexpr bool is_float_format(ChannelFormat format) {
  return format == ChannelFormat::kF32 || format == ChannelFormat::kF16 || format >= ChannelFormat::kUnorm8;
}

constexpr bool is_1d(ImageShape shape) {
  return shape == ImageShape::k1D || shape == ImageShape::k1DArray;
}
constexpr bool is_cube(ImageShape shape) {
  return shape == ImageShape::kCube || shape == ImageShape::kCubeArray;
}
constexpr bool is_array(ImageShape shape) {
  return shape == ImageShape::k1DArray || shape == ImageShape::k2DArray || shape == ImageShape::kCubeArray;
}

// One level of an image: `slices` pictures of width x height one after the other: a 3D image's slices, an array's
// layers, six faces a cube (+x, -x, +y, -y, +z, -z).
struct LevelExtent {
  uint32_t width, height, slices;

  constexpr uint64_t texels() const { return uint64_t{width} * height * slices; }
};

constexpr uint32_t level_side(uint32_t side, uint32_t level) {
  return level < 32 && side >> level != 0 ? side >> level : 1;
}

constexpr LevelExtent level_extent(const ImageDescription& image, uint32_t level) {
  const bool is_3d = image.shape == ImageShape::k3D;
  return {level_side(image.width, level), level_side(image.height, level),
          is_3d                  ? level_side(image.depth, level)
          : is_cube(image.shape) ? 6 * image.depth
                                 : image.depth};
}

constexpr unsigned texel_bytes(const ImageDescription& image) {
  return image.channels * channel_bytes(image.format);
}

// Bytes of all levels before `level`; of the whole image if it is `levels`. Levels lie one after the other without
// padding, the largest first, each row-major.
constexpr uint64_t level_offset(const ImageDescription& image, uint32_t level) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < level; ++i) bytes += level_extent(image, i).texels() * texel_bytes(image);
  return bytes;
}
constexpr uint64_t image_bytes(const ImageDescription& image) {
  return level_offset(image, image.levels);
}

}  // namespace ww
