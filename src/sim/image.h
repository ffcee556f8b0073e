// 2D images and how textures read them: formats, addressing, NVIDIA's fixed-point linear filter.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.h"

namespace ww::sim {

constexpr uint64_t kTextureHandleBase = 0x7e57'0000'0000'0000u;
constexpr uint64_t kSurfaceHandleBase = 0x5f0c'0000'0000'0000u;

// Bytes of one channel.
unsigned channel_bytes(ChannelFormat format);

struct Image {
  ImageDescription description;
  std::vector<uint8_t> texels;

  unsigned texel_bytes() const { return channel_bytes(description.format) * description.channels; }
  const uint8_t* texel(uint32_t x, uint32_t y) const {
    return texels.data() + (size_t{y} * description.width + x) * texel_bytes();
  }
};

struct Texture {
  std::shared_ptr<Image> image;
  SamplerDescription sampler;
};

// One fetched texel: four channels as raw 32-bit values (floats, or integers for integer formats).
using Texel = std::array<uint32_t, 4>;

// Handles of textures and surfaces. Handles of destroyed images stay known, as destroyed ones.
class ImageTable {
 public:
  uint64_t add_texture(std::shared_ptr<Image> image, const SamplerDescription& sampler);
  uint64_t add_surface(std::shared_ptr<Image> image);
  void remove(const Image* image);
  // Null: no such handle, or its image is gone.
  const Texture* texture(uint64_t handle) const;
  Image* surface(uint64_t handle) const;

 private:
  std::map<uint64_t, Texture> textures_;
  std::map<uint64_t, std::shared_ptr<Image>> surfaces_;
  uint64_t next_ = 1;
};

// True if fetches give floats (also for unorm), false for integer formats.
bool is_float_format(ChannelFormat format);

// A texel by integer coordinates, addressed as the sampler says.
Texel fetch_texel(const Texture& texture, int64_t x, int64_t y);
// A filtered fetch at float coordinates. (CUDA C++ Programming Guide, "Texture Fetching".)
Texel sample(const Texture& texture, float x, float y);
// tld4: one channel of the four texels that a linear filter would use, counter-clockwise from the lower left.
Texel gather(const Texture& texture, float x, float y, unsigned channel);

}  // namespace ww::sim
