// Images as CUDA arrays, with levels as mipmapped ones, with texture and surface objects made on demand.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "device/device.h"
#include "nvidia/context.h"

namespace ww::nvidia {

class Image : public DeviceImage {
 public:
  // kUsage: a size or number of channels that images can't have.
  static Result<std::unique_ptr<DeviceImage>> create(std::shared_ptr<Context> context,
                                                     const ImageDescription& description);
  ~Image() override;
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const ImageDescription& description() const override { return description_; }
  Status upload(std::span<const std::byte> texels) override;
  Status download(std::span<std::byte> texels) override;
  Result<uint64_t> texture(const SamplerDescription& sampler) override;
  Result<uint64_t> surface() override;

 private:
  Image(std::shared_ptr<Context> context, const ImageDescription& description)
      : context_(std::move(context)), description_(description) {}
  // Copies all levels from or to texels on the host.
  Status copy(std::byte* texels, bool to_device);
  Result<CuArray> level(uint32_t index);

  std::shared_ptr<Context> context_;
  ImageDescription description_;
  CuArray array_ = nullptr;  // the image, or null: it has levels
  CuMipmappedArray mipmapped_ = nullptr;
  CuObject surface_ = 0;
  std::vector<std::pair<SamplerDescription, CuObject>> textures_;
};

}  // namespace ww::nvidia
