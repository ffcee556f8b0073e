#include "cpu/images.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

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
  data_.texel_bytes = channel_bytes(description.format) * description.channels;
  data_.row_bytes = uint64_t(description.width) * data_.texel_bytes;
  data_.texels.resize(data_.row_bytes * description.height);
}

CpuImage::~CpuImage() {
  for (uint64_t handle : handles_) delete table().bindings[handle - kHandleBase].exchange(nullptr);
}

Result<std::unique_ptr<DeviceImage>> CpuImage::create(const ImageDescription& description) {
  const auto legal = [](uint32_t size) { return size >= 1 && size <= 16384; };
  if (!legal(description.width) || !legal(description.height))
    return usage_error(
        "an image of " + std::to_string(description.width) + "x" + std::to_string(description.height) + " texels",
        "Images have 1 to 16384 texels a side");
  if (description.channels != 1 && description.channels != 2 && description.channels != 4)
    return usage_error("an image of " + std::to_string(description.channels) + " channels",
                       "Images have 1, 2 or 4 channels");
  return std::unique_ptr<DeviceImage>(std::make_unique<CpuImage>(description));
}

static Error wrong_size(size_t found, size_t expected) {
  Error error = usage_error("the texels don't fill the image");
  error.found = std::to_string(found) + " bytes";
  error.expected = std::to_string(expected) + " bytes";
  return error;
}

Status CpuImage::upload(std::span<const std::byte> texels) {
  if (texels.size() != data_.texels.size()) return wrong_size(texels.size(), data_.texels.size());
  std::ranges::copy(texels, data_.texels.begin());
  return {};
}

Status CpuImage::download(std::span<std::byte> texels) {
  if (texels.size() != data_.texels.size()) return wrong_size(texels.size(), data_.texels.size());
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
  for (uint64_t handle : handles_) {
    const ImageBinding& known = *find_binding(handle);
    if (!known.is_surface && known.sampler.filter == sampler.filter && known.sampler.normalized == sampler.normalized &&
        known.sampler.address[0] == sampler.address[0] && known.sampler.address[1] == sampler.address[1])
      return handle;
  }
  return bind({&data_, sampler, false});
}

Result<uint64_t> CpuImage::surface() {
  for (uint64_t handle : handles_)
    if (find_binding(handle)->is_surface) return handle;
  return bind({&data_, {}, true});
}

}  // namespace ww::cpu
