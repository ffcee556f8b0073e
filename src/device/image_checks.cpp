#include "device/image_checks.h"

#include <algorithm>
#include <bit>
#include <string>

namespace ww {

Status check_image(const ImageDescription& image) {
  constexpr uint32_t kMaxSide = 16384, kMaxDepth = 2048;
  const auto legal = [](uint32_t size, uint32_t most) { return size >= 1 && size <= most; };
  const auto shape = [&] {
    return std::to_string(image.width) + "x" + std::to_string(image.height) + "x" + std::to_string(image.depth);
  };
  const auto refuse = [](std::string found, std::string expected) {
    Error error = usage_error("no image can have this shape", "Choose another size");
    error.found = std::move(found);
    error.expected = std::move(expected);
    return error;
  };
  if (!legal(image.width, kMaxSide) || !legal(image.height, kMaxSide))
    return refuse(shape(), "sides of 1 to 16384 texels");
  if (!legal(image.depth, kMaxDepth)) return refuse(shape(), "1 to 2048 slices or layers");
  if (image.channels != 1 && image.channels != 2 && image.channels != 4)
    return refuse(std::to_string(image.channels) + " channels", "1, 2 or 4 channels");
  if (is_1d(image.shape) && image.height != 1) return refuse(shape(), "height 1 of a 1D image");
  if (is_cube(image.shape) && image.width != image.height) return refuse(shape(), "square faces of a cube");
  const bool has_depth = image.shape == ImageShape::k3D || is_array(image.shape);
  if (!has_depth && image.depth != 1) return refuse(shape(), "depth 1 of an image that is neither 3D nor an array");
  const uint32_t side =
      std::max({image.width, image.height, image.shape == ImageShape::k3D ? image.depth : uint32_t{1}});
  const auto most_levels = static_cast<uint32_t>(std::bit_width(side));
  if (!legal(image.levels, most_levels))
    return refuse(std::to_string(image.levels) + " levels", "1 to " + std::to_string(most_levels));
  return {};
}

Status check_texels(const ImageDescription& image, size_t bytes) {
  if (bytes == image_bytes(image)) return {};
  Error error = usage_error("the texels don't fill the image");
  error.found = std::to_string(bytes) + " bytes";
  error.expected = std::to_string(image_bytes(image)) + " bytes";
  return error;
}

Status check_sampler(const ImageDescription& image, const SamplerDescription& sampler) {
  if (!sampler.normalized && (image.levels > 1 || is_cube(image.shape)))
    return usage_error("an image with levels or a cube is read by coordinates in texels",
                       "Make the sampler's coordinates normalized");
  if (sampler.max_anisotropy > 16)
    return usage_error("a sampler takes " + std::to_string(sampler.max_anisotropy) + " samples of anisotropy",
                       "Take at most 16");
  if (sampler.srgb && image.format != ChannelFormat::kUnorm8)
    return usage_error("an image that is not unorm8 is read as sRGB", "Make its format unorm8");
  return {};
}

}  // namespace ww
