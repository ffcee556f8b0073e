#include "sim/image.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/float_formats.h"

namespace ww::sim {

unsigned channel_bytes(ChannelFormat format) {
  switch (format) {
    case ChannelFormat::kF32:
    case ChannelFormat::kU32:
    case ChannelFormat::kS32:
      return 4;
    case ChannelFormat::kF16:
    case ChannelFormat::kU16:
    case ChannelFormat::kS16:
      return 2;
    default:
      return 1;
  }
}

bool is_float_format(ChannelFormat format) {
  return format == ChannelFormat::kF32 || format == ChannelFormat::kF16 || format == ChannelFormat::kUnorm8;
}

uint64_t ImageTable::add_texture(std::shared_ptr<Image> image, const SamplerDescription& sampler) {
  const uint64_t handle = kTextureHandleBase + next_++;
  textures_[handle] = {std::move(image), sampler};
  return handle;
}
uint64_t ImageTable::add_surface(std::shared_ptr<Image> image) {
  const uint64_t handle = kSurfaceHandleBase + next_++;
  surfaces_[handle] = std::move(image);
  return handle;
}
void ImageTable::remove(const Image* image) {
  std::erase_if(textures_, [&](const auto& entry) { return entry.second.image.get() == image; });
  std::erase_if(surfaces_, [&](const auto& entry) { return entry.second.get() == image; });
}
const Texture* ImageTable::texture(uint64_t handle) const {
  const auto found = textures_.find(handle);
  return found == textures_.end() ? nullptr : &found->second;
}
Image* ImageTable::surface(uint64_t handle) const {
  const auto found = surfaces_.find(handle);
  return found == surfaces_.end() ? nullptr : found->second.get();
}

namespace {

// The channel of a texel as a float's or an integer's bits.
uint32_t read_channel(const Image& image, const uint8_t* texel, unsigned channel) {
  const ChannelFormat format = image.description.format;
  const uint8_t* from = texel + channel * channel_bytes(format);
  uint32_t raw = 0;
  std::memcpy(&raw, from, channel_bytes(format));
  switch (format) {
    case ChannelFormat::kF16:
      return std::bit_cast<uint32_t>(f16_to_f32(uint16_t(raw)));
    case ChannelFormat::kUnorm8:
      return std::bit_cast<uint32_t>(float(raw) / 255.0f);
    case ChannelFormat::kS8:
      return uint32_t(int32_t(int8_t(raw)));
    case ChannelFormat::kS16:
      return uint32_t(int32_t(int16_t(raw)));
    default:
      return raw;
  }
}

// An index brought into [0, size), or -1 for the border. `mode` of integer texel coordinates.
int64_t address(int64_t i, int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::kClamp:
      return std::clamp<int64_t>(i, 0, size - 1);
    case AddressMode::kWrap:
      return ((i % size) + size) % size;
    case AddressMode::kMirror: {
      const int64_t period = ((i % (2 * size)) + 2 * size) % (2 * size);
      return period < size ? period : 2 * size - 1 - period;
    }
    case AddressMode::kBorder:
      return i < 0 || i >= size ? -1 : i;
  }
  return -1;
}

// Wrap and mirror exist for normalised coordinates only; others clamp (CUDA C++ Programming Guide, "Texture Memory").
AddressMode effective(const SamplerDescription& sampler, unsigned axis) {
  const AddressMode mode = sampler.address[axis];
  if (!sampler.normalized && (mode == AddressMode::kWrap || mode == AddressMode::kMirror)) return AddressMode::kClamp;
  return mode;
}

Texel texel_at(const Texture& texture, int64_t x, int64_t y) {
  const Image& image = *texture.image;
  const ImageDescription& d = image.description;
  const int64_t i = address(x, d.width, effective(texture.sampler, 0)),
                j = address(y, d.height, effective(texture.sampler, 1));
  Texel result{0, 0, 0, 0};  // channels that the image lacks read 0, alpha too
  if (i < 0 || j < 0) return result;
  const uint8_t* texel = image.texel(uint32_t(i), uint32_t(j));
  for (unsigned c = 0; c < d.channels; ++c) result[c] = read_channel(image, texel, c);
  return result;
}

// A float coordinate in texels. NaN and huge values end up at an edge.
float in_texels(const Texture& texture, float u, unsigned axis) {
  const uint32_t size = axis == 0 ? texture.image->description.width : texture.image->description.height;
  if (!texture.sampler.normalized) return u;
  return u * float(size);
}
int64_t to_index(float u) {
  if (std::isnan(u)) return 0;
  return int64_t(std::clamp(std::floor(u), -1.0e9f, 1.0e9f));
}

// Where a linear filter reads: texel index and weight of the next texel in 256ths.
struct Tap {
  int64_t index;
  uint32_t weight;
};
// The coordinate is turned to fixed point with 8 fraction bits, rounded to nearest.
Tap linear_tap(float u) {
  if (std::isnan(u)) return {0, 0};
  const double fixed = std::floor((double(std::clamp(u, -1.0e9f, 1.0e9f)) - 0.5) * 256.0 + 0.5);
  const auto whole = int64_t(fixed);
  return {whole >> 8, uint32_t(whole & 255)};
}

}  // namespace

Texel fetch_texel(const Texture& texture, int64_t x, int64_t y) {
  return texel_at(texture, x, y);
}

Texel sample(const Texture& texture, float x, float y) {
  const float u = in_texels(texture, x, 0), v = in_texels(texture, y, 1);
  if (texture.sampler.filter == Filter::kPoint || !is_float_format(texture.image->description.format))
    return texel_at(texture, to_index(u), to_index(v));
  const Tap tx = linear_tap(u), ty = linear_tap(v);
  const Texel t00 = texel_at(texture, tx.index, ty.index), t10 = texel_at(texture, tx.index + 1, ty.index);
  const Texel t01 = texel_at(texture, tx.index, ty.index + 1), t11 = texel_at(texture, tx.index + 1, ty.index + 1);
  // The four weights are multiples of 1/256 that add up to one; the sum is exact and rounded once, ties away from zero
  // (found by solving for the weights of fetches on an H200: bit for bit the same over all golden fetches).
  const uint32_t both = (tx.weight * ty.weight + 128) >> 8;
  const uint32_t weights[4] = {256 - tx.weight - ty.weight + both, tx.weight - both, ty.weight - both, both};
  const Texel* taps[4] = {&t00, &t10, &t01, &t11};
  Texel result;
  for (unsigned c = 0; c < 4; ++c) {
    double sum = 0;
    for (unsigned i = 0; i < 4; ++i)
      if (weights[i] != 0) sum += weights[i] / 256.0 * double(std::bit_cast<float>((*taps[i])[c]));
    result[c] = uint32_t(convert_format(kFormatF32, kFormatF64, std::bit_cast<uint64_t>(sum), Rounding::kNearestAway));
  }
  return result;
}

Texel gather(const Texture& texture, float x, float y, unsigned channel) {
  const float u = in_texels(texture, x, 0), v = in_texels(texture, y, 1);
  const Tap tx = linear_tap(u), ty = linear_tap(v);
  return {texel_at(texture, tx.index, ty.index + 1)[channel], texel_at(texture, tx.index + 1, ty.index + 1)[channel],
          texel_at(texture, tx.index + 1, ty.index)[channel], texel_at(texture, tx.index, ty.index)[channel]};
}

}  // namespace ww::sim
