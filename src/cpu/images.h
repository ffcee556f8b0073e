// Images of the cpu device, and the handles by which kernels name them.
//
// A handle is a number of the process-wide table: a kernel that uses a wrong or dead one is stopped with a message, not
// by a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace ww::cpu {

struct ImageData {
  ImageDescription description;
  std::vector<std::byte> texels;
};

// What a handle stands for.
struct ImageBinding {
  ImageData* image = nullptr;
  SamplerDescription sampler;
  bool is_surface = false;
};

// Null: no live handle.
const ImageBinding* find_binding(uint64_t handle);

// The device's image: makes handles, and withdraws them when it goes.
class CpuImage final : public DeviceImage {
 public:
  // Legal descriptions only: see create.
  explicit CpuImage(const ImageDescription& description);
  ~CpuImage() override;

  // Errors: those of check_image.
  static Result<std::unique_ptr<DeviceImage>> create(const ImageDescription& description);

  const ImageDescription& description() const override { return data_.description; }
  Status upload(std::span<const std::byte> texels) override;
  Status download(std::span<std::byte> texels) override;
  Result<uint64_t> texture(const SamplerDescription& sampler) override;
  Result<uint64_t> surface() override;

 private:
  Result<uint64_t> bind(const ImageBinding& binding);

  ImageData data_;
  std::vector<uint64_t> handles_;
};

}  // namespace ww::cpu
