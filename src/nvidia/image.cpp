#include "nvidia/image.h"

#include <string>

namespace ww::nvidia {
namespace {

struct FormatRow {
  ChannelFormat format;
  CuArrayFormat array;
  unsigned bytes;
  bool read_as_integer;  // otherwise small integers read as fractions of their range
};

constexpr FormatRow kFormats[] = {
    {ChannelFormat::kF32, CuArrayFormat::kF32, 4, false},   {ChannelFormat::kF16, CuArrayFormat::kF16, 2, false},
    {ChannelFormat::kU8, CuArrayFormat::kU8, 1, true},      {ChannelFormat::kU16, CuArrayFormat::kU16, 2, true},
    {ChannelFormat::kU32, CuArrayFormat::kU32, 4, true},    {ChannelFormat::kS8, CuArrayFormat::kS8, 1, true},
    {ChannelFormat::kS16, CuArrayFormat::kS16, 2, true},    {ChannelFormat::kS32, CuArrayFormat::kS32, 4, true},
    {ChannelFormat::kUnorm8, CuArrayFormat::kU8, 1, false},
};

const FormatRow& row_of(ChannelFormat format) {
  for (const FormatRow& row : kFormats)
    if (row.format == format) return row;
  return kFormats[0];
}

unsigned address_mode(AddressMode mode) {
  switch (mode) {
    case AddressMode::kWrap:
      return 0;
    case AddressMode::kClamp:
      return 1;
    case AddressMode::kMirror:
      return 2;
    case AddressMode::kBorder:
      return 3;
  }
  return 1;
}

bool same(const SamplerDescription& a, const SamplerDescription& b) {
  return a.filter == b.filter && a.address[0] == b.address[0] && a.address[1] == b.address[1] &&
         a.normalized == b.normalized;
}

}  // namespace

Result<std::unique_ptr<DeviceImage>> Image::create(std::shared_ptr<Context> context,
                                                   const ImageDescription& description) {
  constexpr uint32_t kMaxSide = 16384;
  const uint32_t channels = description.channels;
  if (description.width == 0 || description.height == 0 || description.width > kMaxSide ||
      description.height > kMaxSide || (channels != 1 && channels != 2 && channels != 4)) {
    Error error = usage_error("no image can have this shape", "Choose another size");
    error.found = std::to_string(description.width) + "x" + std::to_string(description.height) + ", " +
                  std::to_string(channels) + " channels";
    error.expected = "sides of 1 to 16384 texels; 1, 2 or 4 channels";
    return error;
  }
  const Driver& api = context->use();
  const CuArrayDescriptor descriptor{.width = description.width,
                                     .height = description.height,
                                     .depth = 0,
                                     .format = row_of(description.format).array,
                                     .channels = channels,
                                     .flags = kCuArraySurfaceLoadStore};
  CuArray array = nullptr;
  WW_TRY(api.check(api.array_create(&array, &descriptor), "making an image"));
  return std::unique_ptr<DeviceImage>(new Image(std::move(context), description, array));
}

Image::Image(std::shared_ptr<Context> context, const ImageDescription& description, CuArray array)
    : context_(std::move(context)), description_(description), array_(array) {}

Image::~Image() {
  const Driver& api = context_->use();
  for (const auto& [sampler, object] : textures_) api.texture_destroy(object);
  if (surface_ != 0) api.surface_destroy(surface_);
  api.array_destroy(array_);
}

size_t Image::row_bytes() const {
  return size_t{description_.width} * description_.channels * row_of(description_.format).bytes;
}

Status Image::check_size(size_t bytes) const {
  const size_t expected = row_bytes() * description_.height;
  if (bytes == expected) return {};
  Error error = usage_error("texels of the wrong size");
  error.found = std::to_string(bytes) + " bytes";
  error.expected = std::to_string(expected);
  return error;
}

Status Image::upload(std::span<const std::byte> texels) {
  WW_TRY(check_size(texels.size()));
  CuMemcpy2D copy{};
  copy.source_type = CuMemoryType::kHost;
  copy.source_host = texels.data();
  copy.source_pitch = row_bytes();
  copy.destination_type = CuMemoryType::kArray;
  copy.destination_array = array_;
  copy.width = row_bytes();
  copy.height = description_.height;
  const Driver& api = context_->use();
  return api.check(api.copy_2d(&copy), "copying an image to the GPU");
}

Status Image::download(std::span<std::byte> texels) {
  WW_TRY(check_size(texels.size()));
  CuMemcpy2D copy{};
  copy.source_type = CuMemoryType::kArray;
  copy.source_array = array_;
  copy.destination_type = CuMemoryType::kHost;
  copy.destination_host = texels.data();
  copy.destination_pitch = row_bytes();
  copy.width = row_bytes();
  copy.height = description_.height;
  const Driver& api = context_->use();
  return api.check(api.copy_2d(&copy), "copying an image from the GPU");
}

CuResourceDescription Image::resource() const {
  CuResourceDescription resource{};
  resource.resource.array = array_;
  return resource;
}

Result<uint64_t> Image::texture(const SamplerDescription& sampler) {
  for (const auto& [known, object] : textures_)
    if (same(known, sampler)) return object;
  CuTextureDescription texture{};
  for (unsigned axis = 0; axis < 3; ++axis) texture.address_mode[axis] = address_mode(sampler.address[axis % 2]);
  texture.filter_mode = sampler.filter == Filter::kLinear ? 1 : 0;
  if (row_of(description_.format).read_as_integer) texture.flags |= kCuTextureReadAsInteger;
  if (sampler.normalized) texture.flags |= kCuTextureNormalizedCoordinates;
  const CuResourceDescription source = resource();
  const Driver& api = context_->use();
  CuObject object = 0;
  WW_TRY(api.check(api.texture_create(&object, &source, &texture, nullptr), "making a texture"));
  textures_.emplace_back(sampler, object);
  return object;
}

Result<uint64_t> Image::surface() {
  if (surface_ == 0) {
    const CuResourceDescription source = resource();
    const Driver& api = context_->use();
    WW_TRY(api.check(api.surface_create(&surface_, &source), "making a surface"));
  }
  return surface_;
}

}  // namespace ww::nvidia
