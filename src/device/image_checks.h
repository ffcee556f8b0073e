// What every device asks of images.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/texel_format.h"

namespace ww {

// kUsage: sides, depth, channels or levels that no image can have.
Status check_image(const ImageDescription& image);

// kUsage: `bytes` is not what all of the image's texels take.
Status check_texels(const ImageDescription& image, size_t bytes);

// kUsage: the image cannot be read so: levels or cubes by coordinates in texels, more than 16 samples of anisotropy,
// sRGB of anything but unorm8.
Status check_sampler(const ImageDescription& image, const SamplerDescription& sampler);

}  // namespace ww
