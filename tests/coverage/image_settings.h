// The images that texture and surface forms are run on: each block of a form's kernel has one, read in a way of its
// own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/texel_format.h"
#include "coverage/kernel_writer.h"

namespace ww::coverage {

constexpr uint32_t kSettings = kThreads / kBlock;

struct ImageSetting {
  ImageDescription image;
  SamplerDescription sampler;  // of textures
};

// kSettings of them.
std::vector<ImageSetting> image_settings(const ImageNeed& need);

// The texels of setting `index`: all bits for integers, floats of both signs and moderate size. The same for every form
// with this need.
std::vector<uint8_t> image_texels(const ImageSetting& setting, uint32_t index);

// Handles of the settings' images and what else the columns of use kImage hold: coordinates (in texels or in 0..1 as
// the setting has them, a part outside of the image), layers, levels, gradients, offsets, references. `words` is what
// operand_values gave for the kernel. `seed` is the form's name.
void fill_image_operands(const Kernel& kernel, const std::vector<ImageSetting>& settings,
                         const std::vector<uint64_t>& handles, const std::string& seed, std::vector<uint64_t>& words);

}  // namespace ww::coverage
