// What an image's texels are made of, and how a texture reads them. Freestanding: devicelib includes it.
#pragma once

#include <cstdint>

namespace ww {

// One scalar channel format of an image; the values of an image are 1, 2 or 4 of them.
enum class ChannelFormat : uint8_t { kF32, kF16, kU8, kU16, kU32, kS8, kS16, kS32, kUnorm8 };

enum class Filter : uint8_t { kPoint, kLinear };
enum class AddressMode : uint8_t { kClamp, kWrap, kMirror, kBorder };  // border reads zeros

struct SamplerDescription {
  Filter filter = Filter::kPoint;
  AddressMode address[2] = {AddressMode::kClamp, AddressMode::kClamp};
  bool normalized = false;  // coordinates in 0..1 rather than in texels
};

// Bytes of one channel.
constexpr unsigned channel_bytes(ChannelFormat format) {
  switch (format) {
    case ChannelFormat::kF32:
    case ChannelFormat::kU32:
    case ChannelFormat::kS32:
      return 4;
    case ChannelFormat::kF16:
    case ChannelFormat::kU16:
    case ChannelFormat::kS16:
      return 2;
    default:
      return 1;
  }
}

// True if fetches give floats (also for unorm), false for integer formats.
constexpr bool is_float_format(ChannelFormat format) {
  return format == ChannelFormat::kF32 || format == ChannelFormat::kF16 || format == ChannelFormat::kUnorm8;
}

}  // namespace ww
