#include "cpu/images.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "device/image_checks.h"

namespace ww::cpu {

static constexpr uint64_t kHandleBase = 0x7e57'0000'0000'0000u;
static constexpr uint64_t kHandles = 1 << 16;

namespace {

struct BindingTable {
  std::array<std::atomic<const ImageBinding*>, kHandles> bindings{};
  std::mutex mutex;
  uint64_t next = 1;
};

}  // namespace

static BindingTable& table() {
  static BindingTable instance;
  return instance;
}

const ImageBinding* find_binding(uint64_t handle) {
  const uint64_t index = handle - kHandleBase;
  return index < kHandles ? table().bindings[index].load(std::memory_order_acquire) : nullptr;
}

CpuImage::CpuImage(const ImageDescription& description) {
  data_.description = description;
  data_.texels.resize(image_bytes(description));
}

CpuImage::~CpuImage() {
  for (uint64_t handle : handles_) delete table().bindings[handle - kHandleBase].exchange(nullptr);
}

Result<std::unique_ptr<DeviceImage>> CpuImage::create(const ImageDescription& description) {
  WW_TRY(check_image(description));
  return std::unique_ptr<DeviceImage>(std::make_unique<CpuImage>(description));
}

Status CpuImage::upload(std::span<const std::byte> texels) {
  WW_TRY(check_texels(data_.description, texels.size()));
  std::ranges::copy(texels, data_.texels.begin());
  return {};
}

Status CpuImage::download(std::span<std::byte> texels) {
  WW_TRY(check_texels(data_.description, texels.size()));
  std::ranges::copy(data_.texels, texels.begin());
  return {};
}

Result<uint64_t> CpuImage::bind(const ImageBinding& binding) {
  BindingTable& bindings = table();
  const std::lock_guard lock(bindings.mutex);
  for (uint64_t tried = 0; tried < kHandles; ++tried) {
    const uint64_t index = bindings.next++ % kHandles;
    if (index == 0 || bindings.bindings[index].load() != nullptr) continue;
    bindings.bindings[index].store(new ImageBinding(binding), std::memory_order_release);
    handles_.push_back(kHandleBase + index);
    return handles_.back();
  }
  return runtime_error("too many texture and surface handles are alive", "Destroy images that are no longer used");
}

Result<uint64_t> CpuImage::texture(const SamplerDescription& sampler) {
  WW_TRY(check_sampler(data_.description, sampler));
  for (uint64_t handle : handles_) {
    const ImageBinding& known = *find_binding(handle);
    if (!known.is_surface && known.sampler == sampler) return handle;
  }
  return bind({&data_, sampler, false});
}

Result<uint64_t> CpuImage::surface() {
  for (uint64_t handle : handles_)
    if (find_binding(handle)->is_surface) return handle;
  return bind({&data_, {}, true});
}

}  // namespace ww::cpu
