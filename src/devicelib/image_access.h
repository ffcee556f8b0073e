// What a lane's registers hold for an image instruction, and what they get: the words of a fetch, and sured's
// arithmetic. sim and compiled code lay operands out alike and call these.
//
// Freestanding scalar C++ (devicelib/texture.h).
#pragma once

#include "devicelib/texture.h"

namespace ww::devicelib {

// A fetch's operands besides the handle, a 32-bit word each: f32 or s32 as the instruction has its coordinates. Words
// that the instruction lacks are 0.
enum FetchWord : u32 {
  kWordLayer,
  kWordSample,
  kWordLod,
  kWordAt,
  kWordDx = kWordAt + 3,
  kWordDy = kWordDx + 3,
  kWordOffset = kWordDy + 3,
  kFetchWords = kWordOffset + 3
};

// What the destination holds: 32-bit channels, a half each, or two halves each.
enum class FetchResult : u8 { kFloats, kIntegers, kHalves, kHalfPairs };

// What the instruction says.
struct FetchCode {
  FetchKind kind = FetchKind::kSample;
  FetchLevel level = FetchLevel::kZero;
  FetchResult result = FetchResult::kFloats;
  u32 channel = 0;           // kGather
  bool own_sampler = false;  // the instruction names a sampler besides the texture
  bool compares = false;     // it names a depth to compare with, which textures of CUDA never do
};

constexpr u32 pack_fetch(const FetchCode& code) {
  return u32(code.kind) | u32(code.level) << 4 | u32(code.result) << 8 | code.channel << 12 |
         u32(code.own_sampler) << 16 | u32(code.compares) << 17;
}
constexpr FetchCode unpack_fetch(u32 packed) {
  return {FetchKind(packed & 15), FetchLevel(packed >> 4 & 15), FetchResult(packed >> 8 & 15),
          packed >> 12 & 15,      (packed >> 16 & 1) != 0,      (packed >> 17 & 1) != 0};
}

// Whether such a result may come from the image: floats from formats that read as floats, integers from the others.
bool fetch_fits(const FetchCode& code, const ImageDescription& image);

// The destination's registers from first to last; those that it lacks are 0. Halves are rounded to nearest even. Images
// have one sample: of others all is 0. Seen on an H200: with a sampler of its own, a fetch by integer coordinates at
// level 0 is a sample at these coordinates as floats, and with gradients a sample at the floats that have the bits of
// its integers (NVIDIA's compiler does not convert them); and all is 0 of a 1D image that is no array, with such a
// sampler, by integer coordinates (which CUDA has for linear memory alone: CUDA C++ Programming Guide, "tex1Dfetch"),
// or with both a gradient and a depth.
Texel fetch_words(const TextureView& view, const FetchCode& code, const u32 (&words)[kFetchWords]);

// What sured does, and to what.
enum class Reduction : u8 { kAdd, kMin, kMax, kAnd, kOr };

struct ReductionCode {
  Reduction reduction = Reduction::kAdd;
  SurfaceOutside outside = SurfaceOutside::kTrap;
  bool is_signed = false;
  bool by_texels = false;  // .p: x counts texels, which are 32-bit integers with the sign of their format
};

constexpr u32 pack_reduction(const ReductionCode& code) {
  return u32(code.reduction) | u32(code.outside) << 4 | u32(code.is_signed) << 8 | u32(code.by_texels) << 9;
}
constexpr ReductionCode unpack_reduction(u32 packed) {
  return {Reduction(packed & 15), SurfaceOutside(packed >> 4 & 15), (packed >> 8 & 1) != 0, (packed >> 9 & 1) != 0};
}

// The new value of `bits` (32 or 64) bits, in the low bits.
u64 reduced(const ReductionCode& code, const ImageDescription& image, u32 bits, u64 old, u64 operand);

}  // namespace ww::devicelib
