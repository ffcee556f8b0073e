// Textures and surfaces of 2D images with one level: what one lane's tex, tld4, suld or sust reads and where.
//
// Freestanding scalar C++. The caller finds the image that a handle stands for, and reports what is illegal. (CUDA C++
// Programming Guide, "Texture Fetching"; PTX ISA, "Texture Instructions", "Surface Instructions". What these leave
// open was recorded on an H200: tests/golden.)
#pragma once

#include "base/texel_format.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {

// An image as a texture reads it. The texels are rows without padding, and outlive the view.
struct TextureView {
  const u8* texels;
  u32 width, height;  // at least 1
  u32 channels;       // 1, 2 or 4
  u32 texel_bytes;
  ChannelFormat format;
  Filter filter;           // integer formats: always kPoint
  AddressMode address[2];  // wrap and mirror only with normalised coordinates
  bool normalized;
};

TextureView texture_view(const void* texels, u32 width, u32 height, u32 channels, ChannelFormat format,
                         const SamplerDescription& sampler);

// One fetched texel: four channels as raw 32-bit values (floats, or integers of integer formats). Channels that the
// image lacks read 0, alpha too.
struct Texel {
  u32 channel[4];
};

// A fetch by integer coordinates: zeros outside of the image, whatever the sampler says (recorded on an H200 for
// every address mode).
Texel texture_texel(const TextureView& view, s64 x, s64 y);

// A fetch at float coordinates, filtered as the sampler says. A linear filter's coordinates are rounded to 256ths; its
// four weights are multiples of 1/256 that add up to 1. Texels with a weight are aligned to the largest exponent among
// them, cut toward zero to 4 bits more than their format has, and summed exactly; the sum is rounded once to the format
// (unorm8: to 16 bits), ties away from zero; f32 subnormals count as zeros. Coordinates that are NaN count as 0, huge
// ones end up at an edge.
Texel texture_sample(const TextureView& view, f32 x, f32 y);

// tld4: one channel of the four texels that a linear filter would use, counter-clockwise from the lower left.
Texel texture_gather(const TextureView& view, f32 x, f32 y, u32 channel);

// What a surface access outside of the image does: .trap, .clamp, .zero.
enum class SurfaceOutside : u8 { kTrap, kClamp, kZero };

enum class SurfaceAccess : u8 {
  kInside,
  kNothing,     // outside: loads give zeros, stores are dropped
  kTrap,        // outside, and the kernel asked to be stopped
  kMisaligned,  // x is no multiple of the access
};

struct SurfacePlace {
  SurfaceAccess access;
  u64 offset;  // bytes from the image's first texel, if inside
};

// Where an access of `bytes` bytes at byte x of row y lies in an image of `row_bytes` x `height`.
SurfacePlace surface_place(u64 row_bytes, u32 height, s32 x, s32 y, u32 bytes, SurfaceOutside outside);

}  // namespace ww::devicelib
