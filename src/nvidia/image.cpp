#include "nvidia/image.h"

#include <algorithm>
#include <string>

#include "device/image_checks.h"

namespace ww::nvidia {
namespace {

struct FormatRow {
  ChannelFormat format;
  CuArrayFormat array;
  bool read_as_integer;  // otherwise small integers read as fractions of their range
};

constexpr FormatRow kFormats[] = {
    {ChannelFormat::kF32, CuArrayFormat::kF32, false},   {ChannelFormat::kF16, CuArrayFormat::kF16, false},
    {ChannelFormat::kU8, CuArrayFormat::kU8, true},      {ChannelFormat::kU16, CuArrayFormat::kU16, true},
    {ChannelFormat::kU32, CuArrayFormat::kU32, true},    {ChannelFormat::kS8, CuArrayFormat::kS8, true},
    {ChannelFormat::kS16, CuArrayFormat::kS16, true},    {ChannelFormat::kS32, CuArrayFormat::kS32, true},
    {ChannelFormat::kUnorm8, CuArrayFormat::kU8, false}, {ChannelFormat::kUnorm16, CuArrayFormat::kU16, false},
    {ChannelFormat::kSnorm8, CuArrayFormat::kS8, false}, {ChannelFormat::kSnorm16, CuArrayFormat::kS16, false},
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

}  // namespace

Result<std::unique_ptr<DeviceImage>> Image::create(std::shared_ptr<Context> context,
                                                   const ImageDescription& description) {
  WW_TRY(check_image(description));
  const ImageShape shape = description.shape;
  const bool has_slices = shape == ImageShape::k3D || is_array(shape) || is_cube(shape);
  const unsigned flags =
      kCuArraySurfaceLoadStore | (is_array(shape) ? kCuArrayLayered : 0) | (is_cube(shape) ? kCuArrayCubemap : 0);
  const CuArrayDescriptor descriptor{.width = description.width,
                                     .height = is_1d(shape) ? 0 : description.height,
                                     .depth = has_slices ? level_extent(description, 0).slices : 0,
                                     .format = row_of(description.format).array,
                                     .channels = description.channels,
                                     .flags = flags};
  const Driver& api = context->use();
  std::unique_ptr<Image> image(new Image(std::move(context), description));
  WW_TRY(api.check(description.levels > 1 ? api.mipmapped_create(&image->mipmapped_, &descriptor, description.levels)
                                          : api.array_create(&image->array_, &descriptor),
                   "making an image"));
  return std::unique_ptr<DeviceImage>(std::move(image));
}

Image::~Image() {
  const Driver& api = context_->use();
  for (const auto& [sampler, object] : textures_) api.texture_destroy(object);
  if (surface_ != 0) api.surface_destroy(surface_);
  if (mipmapped_ != nullptr) api.mipmapped_destroy(mipmapped_);
  if (array_ != nullptr) api.array_destroy(array_);
}

Result<CuArray> Image::level(uint32_t index) {
  if (mipmapped_ == nullptr) return array_;
  CuArray array = nullptr;
  const Driver& api = context_->use();
  WW_TRY(api.check(api.mipmapped_level(&array, mipmapped_, index), "asking for a level of an image"));
  return array;
}

Status Image::copy(std::byte* texels, bool to_device) {
  const Driver& api = context_->use();
  for (uint32_t index = 0; index < description_.levels; ++index) {
    WW_ASSIGN(const CuArray array, level(index));
    const LevelExtent extent = level_extent(description_, index);
    std::byte* host = texels + level_offset(description_, index);
    CuMemcpy3D copy{};
    copy.width = size_t{extent.width} * texel_bytes(description_);
    copy.height = extent.height;
    copy.depth = extent.slices;
    if (to_device) {
      copy.source_type = CuMemoryType::kHost;
      copy.source_host = host;
      copy.source_pitch = copy.width;
      copy.source_height = copy.height;
      copy.destination_type = CuMemoryType::kArray;
      copy.destination_array = array;
    } else {
      copy.source_type = CuMemoryType::kArray;
      copy.source_array = array;
      copy.destination_type = CuMemoryType::kHost;
      copy.destination_host = host;
      copy.destination_pitch = copy.width;
      copy.destination_height = copy.height;
    }
    WW_TRY(api.check(api.copy_3d(&copy), to_device ? "copying an image to the GPU" : "copying an image from the GPU"));
  }
  return {};
}

Status Image::upload(std::span<const std::byte> texels) {
  WW_TRY(check_texels(description_, texels.size()));
  return copy(const_cast<std::byte*>(texels.data()), true);
}

Status Image::download(std::span<std::byte> texels) {
  WW_TRY(check_texels(description_, texels.size()));
  return copy(texels.data(), false);
}

Result<uint64_t> Image::texture(const SamplerDescription& sampler) {
  for (const auto& [known, object] : textures_)
    if (known == sampler) return object;
  WW_TRY(check_sampler(description_, sampler));
  CuTextureDescription texture{};
  for (unsigned axis = 0; axis < 3; ++axis) texture.address_mode[axis] = address_mode(sampler.address[axis]);
  texture.filter_mode = sampler.filter == Filter::kLinear ? 1 : 0;
  if (row_of(description_.format).read_as_integer) texture.flags |= kCuTextureReadAsInteger;
  if (sampler.normalized) texture.flags |= kCuTextureNormalizedCoordinates;
  if (sampler.srgb) texture.flags |= kCuTextureSrgb;
  if (sampler.seamless_cube && is_cube(description_.shape)) texture.flags |= kCuTextureSeamlessCube;
  texture.max_anisotropy = sampler.max_anisotropy;
  texture.mipmap_filter_mode = sampler.level_filter == Filter::kLinear ? 1 : 0;
  texture.mipmap_level_bias = sampler.level_bias;
  texture.min_mipmap_level = sampler.min_level;
  texture.max_mipmap_level = sampler.max_level;
  std::copy(std::begin(sampler.border), std::end(sampler.border), texture.border_color);
  CuResourceDescription source{};
  if (mipmapped_ != nullptr) {
    source.type = kCuResourceMipmappedArray;
    source.resource.mipmapped = mipmapped_;
  } else {
    source.resource.array = array_;
  }
  const Driver& api = context_->use();
  CuObject object = 0;
  WW_TRY(api.check(api.texture_create(&object, &source, &texture, nullptr), "making a texture"));
  textures_.emplace_back(sampler, object);
  return object;
}

Result<uint64_t> Image::surface() {
  if (surface_ == 0) {
    CuResourceDescription source{};
    WW_ASSIGN(source.resource.array, level(0));
    const Driver& api = context_->use();
    WW_TRY(api.check(api.surface_create(&surface_, &source), "making a surface"));
  }
  return surface_;
}

}  // namespace ww::nvidia
