#include "net/image_transfer.h"

#include <Imath/half.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace ww::net {
namespace {

uint16_t half_bits(float value) {
  return Imath::half(std::isfinite(value) ? std::clamp(value, -65504.0f, 65504.0f) : value).bits();
}

float float_of_half(uint16_t bits) {
  Imath::half half;
  half.setBits(bits);
  return half;
}

size_t texels(const ImageDescription& d) {
  return static_cast<size_t>(d.width) * d.height;
}

// Texels of type T, made by `convert` from the source's floats.
template <typename T, typename Convert>
Status upload_as(DeviceImage& target, const Image& source, Convert convert) {
  const ImageDescription& d = target.description();
  const size_t shared = std::min<size_t>(d.channels, static_cast<size_t>(source.channels));
  std::vector<T> data(texels(d) * d.channels, T{});
  for (size_t i = 0; i < texels(d); ++i)
    for (size_t c = 0; c < shared; ++c)
      data[i * d.channels + c] = convert(source.data[i * static_cast<size_t>(source.channels) + c]);
  return target.upload(std::as_bytes(std::span(data)));
}

template <typename T, typename Convert>
Result<Image> download_as(DeviceImage& source, int channels, Convert convert) {
  const ImageDescription& d = source.description();
  std::vector<T> data(texels(d) * d.channels);
  WW_TRY(source.download(std::as_writable_bytes(std::span(data))));
  Image image(static_cast<int>(d.width), static_cast<int>(d.height), channels);
  for (size_t i = 0; i < texels(d); ++i)
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c)
      image.data[i * static_cast<size_t>(channels) + c] = convert(data[i * d.channels + c]);
  return image;
}

float same(float value) {
  return value;
}

}  // namespace

Result<std::unique_ptr<DeviceImage>> create_image(Device& device, Size size, uint32_t channels, ChannelFormat format) {
  return device.create_image({static_cast<uint32_t>(size.width), static_cast<uint32_t>(size.height), channels, format});
}

Status upload_image(DeviceImage& target, const Image& source) {
  return target.description().format == ChannelFormat::kF16 ? upload_as<uint16_t>(target, source, half_bits)
                                                            : upload_as<float>(target, source, same);
}

Status poison_image(DeviceImage& target) {
  const ImageDescription& d = target.description();
  const size_t bytes = texels(d) * d.channels * (d.format == ChannelFormat::kF16 ? 2 : 4);
  const std::vector<std::byte> ones(bytes, std::byte{0xff});  // a NaN in either format
  return target.upload(ones);
}

Result<Image> download_image(DeviceImage& source, int channels) {
  return source.description().format == ChannelFormat::kF16 ? download_as<uint16_t>(source, channels, float_of_half)
                                                            : download_as<float>(source, channels, same);
}

}  // namespace ww::net
