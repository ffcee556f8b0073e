// Puts the arguments of `warpwave run` on a device, and its outputs into files.
#include <algorithm>
#include <cstring>
#include <span>

#include "base/files.h"
#include "cli/kernel_arguments.h"
#include "frame/exr.h"

namespace ww::cli {
namespace {

// The channels that a kernel sees, from those in a file: colour as four, motion as two, anything alone as one.
Result<std::vector<std::string>> channels_of(const std::string& path) {
  WW_ASSIGN(const frame::ExrInfo info, frame::read_exr_info(path));
  const auto has = [&info](const char* name) { return info.find(name) != nullptr; };
  if (has("R") && has("G") && has("B")) {
    return has("A") ? std::vector<std::string>{"R", "G", "B", "A"} : std::vector<std::string>{"R", "G", "B"};
  }
  if (has("X") && has("Y")) return std::vector<std::string>{"X", "Y"};
  if (info.channels.size() == 1) return std::vector<std::string>{info.channels[0].name};
  Error error =
      input_error(path, "no channels that an image can take", "Give a file with R, G, B, or X, Y, or one channel");
  for (const frame::ExrChannel& channel : info.channels)
    error.found += (error.found.empty() ? "" : ", ") + channel.name;
  return error;
}

std::span<const std::byte> raw(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

BoundArguments::~BoundArguments() {
  for (const Buffer& buffer : buffers_) (void)device_.free(buffer.address);
}

Result<uint64_t> BoundArguments::bind_buffer(const KernelArgument& argument) {
  std::vector<uint8_t> contents(argument.bytes);
  if (!argument.input.empty()) {
    WW_ASSIGN(contents, read_file(argument.input));
    if (contents.empty())
      return input_error(argument.input, "an empty file can't be a buffer", "Give a file with at least a byte");
  }
  WW_ASSIGN(const DeviceAddress address, device_.allocate(contents.size()));
  buffers_.push_back({address, contents.size(), argument.output});
  WW_TRY(device_.upload(address, std::as_bytes(std::span(contents))));
  return address;
}

Result<uint64_t> BoundArguments::bind_image(const KernelArgument& argument) {
  Picture picture;
  WW_ASSIGN(picture.channels, channels_of(argument.input));
  picture.output = argument.output;
  WW_ASSIGN(const Image image, frame::read_exr(argument.input, picture.channels));
  ImageDescription description;
  description.width = static_cast<uint32_t>(image.width);
  description.height = static_cast<uint32_t>(image.height);
  description.channels = image.channels == 3 ? 4 : static_cast<uint32_t>(image.channels);
  std::vector<float> texels(static_cast<size_t>(image.width) * image.height * description.channels, 1.0f);
  for (size_t pixel = 0; pixel < static_cast<size_t>(image.width) * image.height; ++pixel)
    std::copy_n(image.data.data() + pixel * image.channels, image.channels,
                texels.data() + pixel * description.channels);
  WW_ASSIGN(picture.image, device_.create_image(description));
  WW_TRY(picture.image->upload(raw(texels)));
  pictures_.push_back(std::move(picture));
  DeviceImage& bound = *pictures_.back().image;
  return argument.kind == KernelArgument::Kind::kTexture ? bound.texture(argument.sampler) : bound.surface();
}

Status BoundArguments::bind(const std::vector<KernelArgument>& arguments, const KernelInfo& info) {
  parameters_.assign(info.parameter_bytes, std::byte{0});
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument& argument = arguments[i];
    std::vector<std::byte> value = argument.value;
    if (argument.kind == KernelArgument::Kind::kBytes) {
      WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(argument.input));
      value.resize(bytes.size());
      std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), value.data());
    } else if (argument.kind != KernelArgument::Kind::kScalar) {
      const bool is_buffer = argument.kind == KernelArgument::Kind::kBuffer;
      WW_ASSIGN(const uint64_t word, is_buffer ? bind_buffer(argument) : bind_image(argument));
      value.resize(sizeof word);
      std::memcpy(value.data(), &word, sizeof word);
    }
    if (value.size() != info.parameter_sizes[i]) {
      Error error =
          usage_error("argument " + std::to_string(i + 1) + " does not fit", "Give a file of the parameter's size");
      error.kernel = info.name;
      error.found = "--arg " + argument.text + ", " + std::to_string(value.size()) + " bytes";
      error.expected = std::to_string(info.parameter_sizes[i]);
      return error;
    }
    std::copy(value.begin(), value.end(), parameters_.begin() + info.parameter_offsets[i]);
  }
  return {};
}

Status BoundArguments::save() {
  for (const Buffer& buffer : buffers_) {
    if (buffer.output.empty()) continue;
    std::vector<uint8_t> contents(buffer.bytes);
    WW_TRY(device_.download(std::as_writable_bytes(std::span(contents)), buffer.address));
    WW_TRY(write_file(buffer.output, contents));
  }
  for (const Picture& picture : pictures_) {
    if (picture.output.empty()) continue;
    const ImageDescription& description = picture.image->description();
    const size_t pixels = static_cast<size_t>(description.width) * description.height;
    std::vector<float> texels(pixels * description.channels);
    WW_TRY(picture.image->download(std::as_writable_bytes(std::span(texels))));
    Image image(static_cast<int>(description.width), static_cast<int>(description.height),
                static_cast<int>(picture.channels.size()));
    for (size_t pixel = 0; pixel < pixels; ++pixel)
      std::copy_n(texels.data() + pixel * description.channels, image.channels,
                  image.data.data() + pixel * image.channels);
    WW_TRY(frame::write_exr(picture.output, image, picture.channels, frame::SampleType::kFloat));
  }
  return {};
}

}  // namespace ww::cli
