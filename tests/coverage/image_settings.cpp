#include "coverage/image_settings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "golden/fnv.h"
#include "golden/random.h"

namespace ww::coverage {
namespace {

using golden::Random;
using enum ChannelFormat;
using enum ImageShape;

constexpr uint32_t kChannels[] = {4, 1, 2};

ImageDescription shaped(ImageShape shape, uint32_t width, uint32_t height, uint32_t depth) {
  ImageDescription image;
  image.shape = shape;
  image.width = width;
  image.height = is_1d(shape) ? 1 : is_cube(shape) ? width : height;
  image.depth = shape == k3D || is_array(shape) ? depth : 1;
  return image;
}

ImageSetting texture_setting(const ImageNeed& need, uint32_t i) {
  static constexpr ChannelFormat kFloats[] = {kF32, kUnorm8, kF16, kSnorm16, kUnorm8, kUnorm16, kF32, kSnorm8};
  static constexpr ChannelFormat kUnsigned[] = {kU8, kU16, kU32}, kSigned[] = {kS8, kS16, kS32};
  static constexpr ChannelFormat kDepths[] = {kF32, kUnorm16};
  static constexpr ImageShape kShapes[] = {k1D, k2D, k3D, k1DArray, k2DArray, kCube, kCubeArray};
  ImageSetting s;
  const ImageShape shape = need.use == ImageUse::kQuery ? kShapes[i % 7] : need.shape;
  s.image = shaped(shape, is_1d(shape) ? 21 : 13, 9, is_array(shape) ? 3 : 6);
  s.image.channels = kChannels[i % 3];
  if (need.use == ImageUse::kUnsigned) s.image.format = kUnsigned[i / 3 % 3];
  if (need.use == ImageUse::kSigned) s.image.format = kSigned[i / 3 % 3];
  if (need.use == ImageUse::kFloat) s.image.format = kFloats[i % 8];
  if (need.use == ImageUse::kQuery) s.image.format = static_cast<ChannelFormat>(i * 5 % 12);
  if (need.use == ImageUse::kCompare) s.image.format = kDepths[i % 2], s.image.channels = 1;
  const bool is_float = is_float_format(s.image.format);
  s.sampler.filter = is_float && i % 4 < 2 ? Filter::kLinear : Filter::kPoint;
  s.sampler.normalized = need.levels || is_cube(shape) || i % 5 != 0;
  for (uint32_t axis = 0; axis < 3; ++axis)
    s.sampler.address[axis] = static_cast<AddressMode>((i / 4 + axis * (i / 16 + 1)) % 4);
  s.sampler.seamless_cube = i / 2 % 2 != 0;
  s.sampler.srgb = s.image.format == kUnorm8 && i % 8 == 4 && need.use == ImageUse::kFloat;
  const float border[4] = {0.25f, -0.75f, 1.5f, 0.625f};
  if (is_float) std::copy_n(border, 4, s.sampler.border);
  const bool wants_levels = need.levels && s.sampler.normalized;
  if (wants_levels && i % 8 != 7) {
    s.image.levels = 1 + i % 4;
    s.sampler.level_filter = is_float && i / 2 % 2 == 0 ? Filter::kLinear : Filter::kPoint;
    if (i % 6 == 3) s.sampler.level_bias = 0.40625f;
    if (i % 6 == 4) s.sampler.min_level = 0.5f, s.sampler.max_level = 1.25f;
  }
  return s;
}

ImageSetting surface_setting(const ImageNeed& need, uint32_t i) {
  static constexpr ChannelFormat kFormats[] = {kU8, kF32, kS16, kU32, kF16, kS8, kS32, kU16};
  static constexpr ImageShape kShapes[] = {k1D, k2D, k3D, k1DArray, k2DArray};
  const ImageShape shape = need.use == ImageUse::kSurfaceQuery ? kShapes[i % 5] : need.shape;
  ImageSetting s;
  s.image = is_1d(shape) ? shaped(shape, shape == k1D ? 128 : 24, 1, 5)
                         : shaped(shape, shape == k2D ? 16 : 8, shape == k2D ? 8 : 4, 4);
  s.image.channels = kChannels[i / 8 % 3];
  s.image.format = kFormats[i % 8];
  if (need.element_bytes == 4) {
    s.image.format = i % 2 ? kS32 : kU32;
    s.image.channels = 1;
  }
  if (need.element_bytes == 8) {
    s.image.format = i % 2 ? kS32 : kU32;
    s.image.channels = 2;
  }
  // A row holds at least one access.
  if (s.image.width * texel_bytes(s.image) < need.access_bytes) s.image.channels = 4;
  return s;
}

float noise(Random& random, float low, float high) {
  return low + (high - low) * random.unit();
}

uint64_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}

// A coordinate of a texture along an axis of `size` texels, in 0..1: anywhere within one size around the image, near
// the borders and centres of texels, and now and then a special one.
float coordinate(Random& random, uint32_t size) {
  static constexpr float kSpecial[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1e-40f, 1e9f, -3e5f};
  const auto texels = static_cast<float>(size);
  switch (random.below(16)) {
    case 0:
      return kSpecial[random.below(8)];
    case 1:
    case 2:
      return (static_cast<float>(random.below(4 * size)) * 0.5f - texels * 0.5f) / texels;
    case 3:
      return static_cast<float>(random.below(512 * size)) / (512.0f * texels);
    case 4:
    case 5:
      return noise(random, -1.0f, 2.0f);
    default:
      return random.unit();
  }
}

struct Lane {
  const ImageSetting& setting;
  Random& random;
  uint32_t thread;  // in its block
  bool integer;     // coordinates in texels, whole

  uint32_t size(unsigned axis) const {
    const ImageDescription& d = setting.image;
    return axis == 0 ? d.width : axis == 1 ? d.height : d.shape == k3D ? d.depth : d.width;
  }

  uint64_t texture_coordinate(unsigned axis) const {
    if (integer)
      return static_cast<uint32_t>(random.below(16) == 0 ? static_cast<int32_t>(random.u32())
                                                         : static_cast<int32_t>(random.below(size(axis) + 6)) - 3);
    if (is_cube(setting.image.shape))
      return bits_of(random.below(6) == 0 ? (random.below(2) != 0 ? 1.0f : -1.0f) : random.signed_unit());
    const float u = coordinate(random, size(axis));
    return bits_of(setting.sampler.normalized ? u : u * static_cast<float>(size(axis)));
  }
};

// Where a surface access goes: a slot of its own for each thread as long as there are any.
struct SurfacePlaces {
  const ImageDescription& image;
  uint32_t unit;  // bytes an access; 0: x counts texels

  uint32_t columns() const { return unit == 0 ? image.width : std::max(1u, image.width * texel_bytes(image) / unit); }
  uint32_t slots() const { return columns() * image.height * image.depth; }
};

}  // namespace

std::vector<ImageSetting> image_settings(const ImageNeed& need) {
  std::vector<ImageSetting> settings;
  for (uint32_t i = 0; i < kSettings; ++i)
    settings.push_back(need.is_surface() ? surface_setting(need, i) : texture_setting(need, i));
  return settings;
}

std::vector<uint8_t> image_texels(const ImageSetting& setting, uint32_t index) {
  Random random(0x7e8e1 + index);
  const uint32_t bytes = channel_bytes(setting.image.format);
  std::vector<uint8_t> texels(image_bytes(setting.image));
  for (size_t at = 0; at < texels.size(); at += bytes) {
    uint32_t raw = random.u32();
    if (setting.image.format == kF32) raw = (raw & 0x807fffff) | (118 + random.below(14)) << 23;
    if (setting.image.format == kF16) raw = (raw & 0x83ff) | (6 + random.below(14)) << 10;
    std::memcpy(texels.data() + at, &raw, bytes);
  }
  return texels;
}

void fill_image_operands(const Kernel& kernel, const std::vector<ImageSetting>& settings,
                         const std::vector<uint64_t>& handles, const std::string& seed, std::vector<uint64_t>& words) {
  Random random(golden::fnv1a(seed) ^ 0x1a6e);
  const ImageNeed& need = kernel.images;
  for (uint32_t t = 0; t < kThreads; ++t) {
    const uint32_t block = t / kBlock, lane = t % kBlock;
    const ImageSetting& setting = settings[block];
    const Lane at{setting, random, lane, need.integer};
    // Surfaces: each thread's slot, or a place that may lie outside.
    const SurfacePlaces places{setting.image, need.access_bytes};
    const uint32_t slots = std::max(1u, places.slots()), slot = lane % slots;
    const bool strays = need.strays && (need.use == ImageUse::kSurfaceLoad || need.use == ImageUse::kSurfaceReduce ||
                                        block % 2 != 0 || (need.drops_strays && lane >= slots));
    const uint32_t sides[4] = {places.columns(), setting.image.height, setting.image.depth, setting.image.depth};
    uint32_t place[4] = {slot % sides[0], slot / sides[0] % sides[1], slot / sides[0] / sides[1],
                         slot / sides[0] / sides[1]};
    if (strays && need.use == ImageUse::kSurfaceStore && need.drops_strays && lane < slots && block % 2 != 0) {
      // Stays at its slot: what lies outside is dropped.
    } else if (strays) {
      for (unsigned axis = 0; axis < 4; ++axis) place[axis] = random.below(sides[axis] + 4) - 2;
      if (need.drops_strays && need.use == ImageUse::kSurfaceStore) place[0] = sides[0] + random.below(8);
    } else if (need.use != ImageUse::kSurfaceStore) {
      for (unsigned axis = 0; axis < 4; ++axis) place[axis] = random.below(sides[axis]);
    }
    for (size_t k = 0; k < kernel.operands.size(); ++k) {
      const Column& column = kernel.operands[k];
      uint64_t& word = words[k * kThreads + t];
      const std::string_view name = column.name;
      if (column.use == ColumnUse::kStored) {
        // Threads that share a place store the same.
        const bool same = strays && !need.drops_strays;
        if (same)
          word = words[k * kThreads + block * kBlock];
        else if (lane >= slots && !strays)
          word = words[k * kThreads + block * kBlock + slot];
        continue;
      }
      if (column.use != ColumnUse::kImage) continue;
      if (name == "handle") {
        word = handles[block];
      } else if (name == "x" || name == "y" || name == "z") {
        const unsigned axis = static_cast<unsigned>(name[0] - 'x');
        if (!need.is_surface()) {
          word = at.texture_coordinate(axis);
        } else {
          const uint32_t scale = axis == 0 && need.access_bytes != 0 ? need.access_bytes : 1;
          word = place[axis] * scale;
        }
      } else if (name == "layer") {
        word = need.is_surface() ? place[2] : random.below(setting.image.depth + 3);
      } else if (name == "sample") {
        word = random.below(4);
      } else if (name == "lod") {
        const float lod = random.below(4) == 0 ? static_cast<float>(static_cast<int32_t>(random.below(10)) - 2) * 0.5f
                                               : noise(random, -1.0f, 5.0f);
        word = column.type == ptx::Type::kF32 ? bits_of(lod) : static_cast<uint32_t>(static_cast<int32_t>(lod));
      } else if (name[0] == 'd') {  // dxx .. dyz
        if (column.type != ptx::Type::kF32) {
          word = static_cast<uint32_t>(static_cast<int32_t>(random.below(5)) - 2);
          continue;
        }
        const float size =
            random.below(8) == 0 ? 0.0f : std::ldexp(random.signed_unit(), -static_cast<int>(random.below(8)));
        word = bits_of(size);
      } else if (name[0] == 'e') {
        word = random.below(8) == 0 ? random.below(200) - 100 : random.below(16) - 8;
        word &= 0xffffffffu;
      } else if (name == "f") {
        word = bits_of(noise(random, -1.0f, 2.0f));
      }
    }
  }
}

}  // namespace ww::coverage
