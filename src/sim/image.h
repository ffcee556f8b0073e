// Images and the handles by which kernels name them. How they are read is devicelib's (devicelib/texture.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.h"
#include "devicelib/texture.h"

namespace ww::sim {

constexpr uint64_t kTextureHandleBase = 0x7e57'0000'0000'0000u;
constexpr uint64_t kSurfaceHandleBase = 0x5f0c'0000'0000'0000u;

struct Image {
  ImageDescription description;
  std::vector<uint8_t> texels;
};

struct Texture {
  std::shared_ptr<Image> image;
  SamplerDescription sampler;

  devicelib::TextureView view() const {
    return devicelib::texture_view(image->texels.data(), image->description, sampler);
  }
};

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

}  // namespace ww::sim
