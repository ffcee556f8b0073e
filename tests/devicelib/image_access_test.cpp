// The words of a fetch: what integers in place of floats mean, as an H200 takes them (tests/coverage: the forms
// tex.grad.2d.v4.u32.s32 and tex.2d.v4.u32.s32 with a sampler of its own).
#include "devicelib/image_access.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace ww::devicelib {
namespace {

// An image of 4 x 2 texels (x depth), 1, 2, 3 ..., fetched at words x, y, z.
u32 texel_at(FetchLevel level, bool own_sampler, u32 depth, u32 x, u32 y, u32 z = 0) {
  std::vector<u32> texels(size_t{8} * depth);
  for (u32 i = 0; i < texels.size(); ++i) texels[i] = i + 1;
  ImageDescription image{4, 2, depth, ChannelFormat::kU32};
  if (depth > 1) image.shape = ImageShape::k3D;
  constexpr AddressMode kMode = AddressMode::kBorder;
  const TextureView view = texture_view(texels.data(), image, {Filter::kPoint, {kMode, kMode, kMode}, true});
  u32 words[kFetchWords] = {};
  words[kWordAt] = x;
  words[kWordAt + 1] = y;
  words[kWordAt + 2] = z;
  return fetch_words(view, {FetchKind::kTexel, level, FetchResult::kIntegers, 0, own_sampler}, words).channel[0];
}

u32 bits(f32 value) {
  return std::bit_cast<u32>(value);
}

TEST(ImageAccess, IntegersAreTexels) {
  EXPECT_EQ(texel_at(FetchLevel::kZero, false, 1, 2, 1), 7u);
  EXPECT_EQ(texel_at(FetchLevel::kZero, false, 1, bits(0.9f), bits(0.9f)), 0u);
}

TEST(ImageAccess, WithASamplerOfItsOwnTheyAreConvertedToFloats) {
  EXPECT_EQ(texel_at(FetchLevel::kZero, true, 1, 0, 0), 1u);
  EXPECT_EQ(texel_at(FetchLevel::kZero, true, 1, 1, 0), 0u);  // 1.0 is past the last texel
}

TEST(ImageAccess, WithGradientsTheyAreTheBitsOfFloats) {
  for (const bool own_sampler : {false, true}) {
    EXPECT_EQ(texel_at(FetchLevel::kGradient, own_sampler, 1, bits(0.9f), bits(0.1f)), 4u);
    EXPECT_EQ(texel_at(FetchLevel::kGradient, own_sampler, 1, bits(0.3f), bits(0.9f)), 6u);
    EXPECT_EQ(texel_at(FetchLevel::kGradient, own_sampler, 1, bits(1.5f), bits(0.9f)), 0u);
    EXPECT_EQ(texel_at(FetchLevel::kGradient, own_sampler, 1, 3, 1), 1u);  // too small to be seen
  }
}

}  // namespace
}  // namespace ww::devicelib
