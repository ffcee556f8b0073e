// Textures and surfaces: what one lane's tex, tld4, suld, sust or sured reads and where.
//
// Freestanding scalar C++. The caller finds the image that a handle stands for, and reports what is illegal. (CUDA C++
// Programming Guide, "Texture Fetching"; PTX ISA, "Texture Instructions", "Surface Instructions". What these leave
// open was recorded on an H200: tests/golden, tests/coverage.)
#pragma once

#include "base/texel_format.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {

// An image as a texture reads it. The texels lie as `level_offset` says, and outlive the view.
struct TextureView {
  const u8* texels;
  ImageDescription image;
  // Of integer formats the filters are kPoint; wrap and mirror only with normalised coordinates.
  SamplerDescription sampler;
  u32 bytes;  // of a texel
};

TextureView texture_view(const void* texels, const ImageDescription& image, const SamplerDescription& sampler);

// One fetched texel: four channels as raw 32-bit values (floats, or integers of integer formats). Channels that the
// image lacks read 0, alpha too.
struct Texel {
  u32 channel[4];
};

enum class FetchKind : u8 { kSample, kTexel, kGather };
enum class FetchLevel : u8 { kZero, kGiven, kGradient };

// What one lane asks for. Axes that the image lacks count as nothing.
struct Fetch {
  FetchKind kind = FetchKind::kSample;
  FetchLevel level = FetchLevel::kZero;
  u32 layer = 0;               // of arrays; beyond the last: the last
  f32 at[3] = {};              // kSample, kGather
  s32 texel[3] = {};           // kTexel
  f32 lod = 0;                 // FetchLevel::kGiven of samples
  s32 texel_level = 0;         // the same of texels
  f32 dx[3] = {}, dy[3] = {};  // FetchLevel::kGradient
  bool gradient_of_places =
      false;           // the difference of two places rather than what was given: devicelib/texture_gradient.h
  s32 offset[3] = {};  // in texels: 4 bits with sign, of gathers 6
  u32 channel = 0;     // kGather
};

// Samples: point, or linear as the sampler says. A linear filter's coordinates are rounded to 256ths, and so is the
// weight of each texel (the slices' first, then the columns', then the rows'); they add up to 1. Texels of a slice of a
// level that have a weight are aligned to the largest exponent among them, cut toward zero to 4 bits more than their
// format has, and summed exactly. Sums of slices (the first two, then the next two to what these gave) are cut down to
// the last bit of the largest, which counts as a multiple of four binades. The result is rounded once to the format
// (normalised integers: to 16 bits), ties away from zero; f32 subnormals count as zeros. Coordinates that are NaN or
// subnormal count as 0, huge ones end up at an edge. The level of detail is cut to 256ths. Between two levels the sum
// is over the texels of both.
//
// Cubes: devicelib/texture_cube.h. With seams that are crossed there is no address mode, and where three faces meet
// a fourth texel's weight is shared by the three.
//
// Texels (integer coordinates): zeros outside of the image, whatever the sampler says, and outside of its levels and
// layers; where the instruction names a level, coordinates and layers outside are clamped.
//
// Gathers: one channel of the four texels that a linear filter would use, counter-clockwise from the lower left.
Texel texture_fetch(const TextureView& view, const Fetch& fetch);

// The same of 2D images at level 0.
Texel texture_texel(const TextureView& view, s32 x, s32 y);
Texel texture_sample(const TextureView& view, f32 x, f32 y);
Texel texture_gather(const TextureView& view, f32 x, f32 y, u32 channel);

// A result of .f16: from the 32-bit value.
u16 texel_as_f16(u32 channel);

// txq and suq (`sampler` null: suq), of a level. Textures have no height and depth beyond their axes but for the layers
// of arrays, which take the place of the next axis; beyond the levels all is 0.
u32 image_property(const ImageDescription& image, const SamplerDescription* sampler, ImageProperty property, u32 level);

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

// Where an access of `bytes` bytes lies in the image: at byte x of a row (`bytes` 0: at texel x, of its size), row y,
// and slice or layer z. 1D images have one row, 2D ones one slice.
SurfacePlace surface_place(const ImageDescription& image, s32 x, s32 y, s32 z, u32 bytes, SurfaceOutside outside);

// sust.p: the bytes of a texel (up to 16) from one 32-bit word a channel: floats (halves toward zero), integers of the
// rest. Words that are not given count as 0.
void surface_pack(const ImageDescription& image, const u32* words, u32 count, u8* texel);

}  // namespace ww::devicelib
