#include "sim/image.h"

namespace ww::sim {

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

}  // namespace ww::sim
