// Texture fetches against values worked out by hand from the CUDA programming guide's rules and the
// hardware's weights (multiples of 1/256, products and results rounded with ties away from zero).
#include "devicelib/texture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace ww::devicelib {
namespace {

f32 value(const Texel& texel, int channel = 0) {
  return std::bit_cast<f32>(texel.channel[channel]);
}

SamplerDescription sampler(Filter filter, AddressMode mode, bool normalized = false) {
  return {filter, {mode, mode, mode}, normalized};
}

const SamplerDescription kLinearClamp = sampler(Filter::kLinear, AddressMode::kClamp);

// One row or a few of f32 texels with one channel. The view is of `texels`: they have to outlive it.
TextureView view_of(const std::vector<f32>& texels, u32 width, const SamplerDescription& how) {
  return texture_view(texels.data(), {width, u32(texels.size()) / width, 1, ChannelFormat::kF32}, how);
}

TEST(Texture, IndicesOfEachAddressMode) {
  const std::vector<f32> row = {10, 11, 12};
  struct Case {
    AddressMode mode;
    f32 expected[12];  // texels -4 .. 7
  };
  const Case cases[] = {
      {AddressMode::kClamp, {10, 10, 10, 10, 10, 11, 12, 12, 12, 12, 12, 12}},
      {AddressMode::kWrap, {12, 10, 11, 12, 10, 11, 12, 10, 11, 12, 10, 11}},
      {AddressMode::kMirror, {12, 12, 11, 10, 10, 11, 12, 12, 11, 10, 10, 11}},
      {AddressMode::kBorder, {0, 0, 0, 0, 10, 11, 12, 0, 0, 0, 0, 0}},
  };
  for (const Case& c : cases) {
    const TextureView view = view_of(row, 3, sampler(Filter::kPoint, c.mode, true));
    for (int i = 0; i < 12; ++i) {
      EXPECT_EQ(value(texture_sample(view, (f32(i - 4) + 0.5f) / 3.0f, 0.5f)), c.expected[i])
          << int(c.mode) << " at " << i - 4;
      // By integer coordinates there is nothing outside, in any mode.
      EXPECT_EQ(value(texture_texel(view, i - 4, 0)), i >= 4 && i < 7 ? f32(6 + i) : 0.0f)
          << int(c.mode) << " at " << i - 4;
      EXPECT_EQ(value(texture_texel(view, 1, i - 4)), i == 4 ? 11.0f : 0.0f) << int(c.mode) << " at row " << i - 4;
    }
  }
  // Wrap and mirror without normalised coordinates clamp.
  for (AddressMode mode : {AddressMode::kWrap, AddressMode::kMirror})
    EXPECT_EQ(value(texture_sample(view_of(row, 3, sampler(Filter::kPoint, mode)), 4.5f, 0.5f)), 12);
}

TEST(Texture, PointFetchesTakeTheTexelThatHoldsThePlace) {
  const std::vector<f32> texels = {1, 2, 3, 4, 5, 6, 7, 8};  // 4 x 2
  const TextureView view = view_of(texels, 4, sampler(Filter::kPoint, AddressMode::kBorder));
  EXPECT_EQ(value(texture_sample(view, 0.0f, 0.0f)), 1);
  EXPECT_EQ(value(texture_sample(view, 2.999f, 1.5f)), 7);
  EXPECT_EQ(value(texture_sample(view, -0.001f, 0.0f)), 0);
  EXPECT_EQ(value(texture_sample(view, 4.0f, 0.0f)), 0);
  const TextureView scaled = view_of(texels, 4, sampler(Filter::kPoint, AddressMode::kWrap, true));
  EXPECT_EQ(value(texture_sample(scaled, 0.30f, 0.75f)), 6);
  EXPECT_EQ(value(texture_sample(scaled, -0.10f, 1.25f)), 4);
  // An H200's answer: subnormals are zeros.
  for (AddressMode mode : {AddressMode::kBorder, AddressMode::kWrap}) {
    const TextureView tiny = view_of(texels, 4, sampler(Filter::kPoint, mode, true));
    EXPECT_EQ(value(texture_sample(tiny, std::bit_cast<f32>(0x80700edbu), 0.0f)), 1);
  }
  const TextureView clamped = view_of(texels, 4, sampler(Filter::kPoint, AddressMode::kClamp));
  EXPECT_EQ(value(texture_sample(clamped, 1e30f, -1e30f)), 4);
  EXPECT_EQ(value(texture_sample(clamped, std::numeric_limits<f32>::infinity(), 1.0f)), 8);
  EXPECT_EQ(value(texture_sample(clamped, NAN, 1.0f)), 5);
}

TEST(Texture, LinearWeightsAreMultiplesOf256th) {
  const std::vector<f32> texels = {0, 256, 512, 768};
  const TextureView view = view_of(texels, 4, kLinearClamp);
  // Texel centres lie at .5; each 256th of a texel is one step of the value.
  EXPECT_EQ(value(texture_sample(view, 0.5f, 0.5f)), 0);
  EXPECT_EQ(value(texture_sample(view, 1.0f, 0.5f)), 128);
  EXPECT_EQ(value(texture_sample(view, 1.5f + 3.0f / 256, 0.5f)), 259);
  // Between two steps: to the nearer, ties up.
  EXPECT_EQ(value(texture_sample(view, 0.5f + 0.49f / 256, 0.5f)), 0);
  EXPECT_EQ(value(texture_sample(view, 0.5f + 0.50f / 256, 0.5f)), 1);
  EXPECT_EQ(value(texture_sample(view, 0.5f + 1.51f / 256, 0.5f)), 2);
  // Beyond the outer centres the edge is clamped.
  EXPECT_EQ(value(texture_sample(view, 0.25f, 0.5f)), 0);
  EXPECT_EQ(value(texture_sample(view, 3.9f, 0.5f)), 768);
}

TEST(Texture, TheProductOfWeightsIsRoundedWithTiesAway) {
  // x weight 128, y weight 1: the product 1/2 of a 256th counts as a whole one for the last texel, and the first has
  // 256 - 128 - 1 + 1, the second 128 - 1, the third 1 - 1.
  const f32 x = 1.0f, y = 0.5f + 1.0f / 256;
  const f32 expected[] = {128, 127, 0, 1};
  for (int i = 0; i < 4; ++i) {
    std::vector<f32> texels(4, 0.0f);
    texels[size_t(i)] = 256;
    EXPECT_EQ(value(texture_sample(view_of(texels, 2, kLinearClamp), x, y)), expected[i]) << i;
  }
  // Weights 100 and 60: 6000 / 256 = 23.4375 is 23; 119, 77, 37.
  const f32 others[] = {119, 77, 37, 23};
  for (int i = 0; i < 4; ++i) {
    std::vector<f32> texels(4, 0.0f);
    texels[size_t(i)] = 256;
    EXPECT_EQ(value(texture_sample(view_of(texels, 2, kLinearClamp), 0.5f + 100.0f / 256, 0.5f + 60.0f / 256)),
              others[i])
        << i;
  }
}

TEST(Texture, ResultsAreRoundedOnceWithTiesAwayFromZero) {
  const f32 next = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(value(texture_sample(view_of({1, next}, 2, kLinearClamp), 1.0f, 0.5f)), next);  // to even would give 1
  EXPECT_EQ(value(texture_sample(view_of({-1, -next}, 2, kLinearClamp), 1.0f, 0.5f)), -next);
  // A quarter of the way is no tie: 1.
  EXPECT_EQ(value(texture_sample(view_of({1, next}, 2, kLinearClamp), 0.75f, 0.5f)), 1);
  const f32 largest = std::numeric_limits<f32>::max();
  EXPECT_EQ(value(texture_sample(view_of({largest, largest}, 2, kLinearClamp), 1.0f, 0.5f)), largest);
}

TEST(Texture, TexelsAreAlignedToTheLargestAndCut) {
  // Four texels, each with weight 1/4; beside the 1, 27 fraction bits are kept of the others. A sum of 2^-24 of these
  // is half of the result's last place and goes up, anything less is lost.
  const auto quarter = [](f32 b, f32 c) {
    return value(texture_sample(view_of({1, b, c, 0}, 2, kLinearClamp), 1.0f, 1.0f));
  };
  constexpr f32 kSevenUnits = 7 * 0x1p-27f, kUnit = 0x1p-27f, kHalfUnit = 0x1p-28f;
  EXPECT_EQ(quarter(kSevenUnits, kUnit), 0.25f + 0x1p-25f);
  EXPECT_EQ(quarter(kSevenUnits + kHalfUnit, kHalfUnit), 0.25f);  // both halves are cut, and 1/4 is the nearest
  EXPECT_EQ(quarter(kSevenUnits, -kUnit), 0.25f);
  EXPECT_EQ(quarter(kSevenUnits + kUnit, -kHalfUnit), 0.25f + 0x1p-25f);  // cut toward zero, not down
}

TEST(Texture, SubnormalTexelsCountAsZerosOfTheirSign) {
  const f32 least = std::numeric_limits<f32>::denorm_min();
  const auto halfway = [](f32 a, f32 b) {
    return texture_sample(view_of({a, b}, 2, kLinearClamp), 1.0f, 0.5f).channel[0];
  };
  EXPECT_EQ(halfway(least, least), 0u);
  EXPECT_EQ(halfway(-least, -0.0f), 0x80000000u);
  EXPECT_EQ(halfway(-0.0f, 0.0f), 0u);
  EXPECT_EQ(halfway(1.0f, -1.0f), 0u);
}

// Recorded on an H200 (the first fetches of tests/golden's texture_linear_clamp_f16 and _unorm8 that tell the rule from
// an exact sum), weights worked out by hand.
TEST(Texture, NarrowFormatsAreFilteredInTheirPrecision) {
  // 58560 and 1.58984375 with weights 23 and 233: the small one is cut to 0 beside the large one's 32 / 16; 5261.25.
  const std::vector<u16> halves = {0x7b26, 0x3e5c};
  const TextureView f16 = texture_view(halves.data(), {2, 1, 1, ChannelFormat::kF16}, kLinearClamp);
  EXPECT_EQ(value(texture_sample(f16, 0.5f + 233.0f / 256, 0.5f)), 5260.0f);
  // 251 and 122, weights 88 and 168: (251 * 88 + 122 * 168) * 257 / 256 = 42750.3 of 65535.
  const std::vector<u8> bytes = {251, 122};
  const TextureView unorm = texture_view(bytes.data(), {2, 1, 1, ChannelFormat::kUnorm8}, kLinearClamp);
  EXPECT_EQ(value(texture_sample(unorm, 0.5f + 168.0f / 256, 0.5f)), 42750.0f / 65535.0f);
}

TEST(Texture, AWeightOfZeroKeepsATexelOut) {
  const f32 infinite = std::numeric_limits<f32>::infinity();
  EXPECT_EQ(value(texture_sample(view_of({3, infinite}, 2, kLinearClamp), 0.5f, 0.5f)), 3);
  EXPECT_EQ(value(texture_sample(view_of({3, NAN}, 2, kLinearClamp), 0.5f, 0.5f)), 3);
  EXPECT_EQ(value(texture_sample(view_of({3, infinite}, 2, kLinearClamp), 0.75f, 0.5f)), infinite);
  EXPECT_EQ(texture_sample(view_of({3, NAN}, 2, kLinearClamp), 0.75f, 0.5f).channel[0], 0x7fffffffu);
}

TEST(Texture, LinearFiltersMeetTheBorder) {
  const std::vector<f32> texels = {256};
  const TextureView view = view_of(texels, 1, sampler(Filter::kLinear, AddressMode::kBorder));
  EXPECT_EQ(value(texture_sample(view, 0.5f, 0.5f)), 256);
  EXPECT_EQ(value(texture_sample(view, 0.0f, 0.5f)), 128);
  EXPECT_EQ(value(texture_sample(view, 0.0f, 0.0f)), 64);
  EXPECT_EQ(value(texture_sample(view, -0.5f, 0.5f)), 0);
}

TEST(Texture, EachFormatAsItsValue) {
  const SamplerDescription point;
  const auto texel = [&](const auto& raw, u32 channels, ChannelFormat format) {
    return texture_texel(texture_view(raw.data(), {1, 1, channels, format}, point), 0, 0);
  };
  const Texel halves = texel(std::vector<u16>{0x3c00, 0xc500}, 2, ChannelFormat::kF16);  // 1, -5
  EXPECT_EQ(value(halves, 0), 1.0f);
  EXPECT_EQ(value(halves, 1), -5.0f);
  EXPECT_EQ(halves.channel[2], 0u);  // channels that are not there
  EXPECT_EQ(halves.channel[3], 0u);
  const Texel unorm = texel(std::vector<u8>{0, 51, 255, 1}, 4, ChannelFormat::kUnorm8);
  EXPECT_EQ(value(unorm, 0), 0.0f);
  EXPECT_EQ(value(unorm, 1), 0.2f);  // 51 / 255
  EXPECT_EQ(value(unorm, 2), 1.0f);
  EXPECT_EQ(value(unorm, 3), 1.0f / 255.0f);
  EXPECT_EQ(texel(std::vector<u8>{200}, 1, ChannelFormat::kU8).channel[0], 200u);
  EXPECT_EQ(texel(std::vector<u8>{200}, 1, ChannelFormat::kS8).channel[0], u32(-56));
  EXPECT_EQ(texel(std::vector<u16>{0xfffe}, 1, ChannelFormat::kU16).channel[0], 65534u);
  EXPECT_EQ(texel(std::vector<u16>{0xfffe}, 1, ChannelFormat::kS16).channel[0], u32(-2));
  EXPECT_EQ(texel(std::vector<u32>{0x80000001}, 1, ChannelFormat::kU32).channel[0], 0x80000001u);
  EXPECT_EQ(texel(std::vector<u32>{0x80000001}, 1, ChannelFormat::kS32).channel[0], 0x80000001u);
}

TEST(Texture, IntegersAreNeverFiltered) {
  const std::vector<u32> texels = {7, 9};
  const TextureView view = texture_view(texels.data(), {2, 1, 1, ChannelFormat::kU32}, kLinearClamp);
  EXPECT_EQ(texture_sample(view, 1.0f, 0.5f).channel[0], 9u);
  EXPECT_EQ(texture_sample(view, 0.99f, 0.5f).channel[0], 7u);
}

TEST(Texture, GatherGoesCounterClockwiseFromTheLowerLeft) {
  const std::vector<f32> texels = {1, 2, 3, 4, 5, 6};  // 3 x 2
  const Texel texel = texture_gather(view_of(texels, 3, kLinearClamp), 2.0f, 1.0f, 0);
  EXPECT_EQ(value(texel, 0), 5);
  EXPECT_EQ(value(texel, 1), 6);
  EXPECT_EQ(value(texel, 2), 3);
  EXPECT_EQ(value(texel, 3), 2);
}

// Two slices whose sums all but cancel: what is left has bits that the addition may keep or drop. An H200's answer.
TEST(Texture, SlicesAreSummedByThemselvesAndAddedInUnitsOfFourBinades) {
  const std::vector<f32> texels = {0x1.04bf36p+2f,  0x1.0b0d8cp-4f,  -0x1.7b5bd8p-5f, -0x1.cd5334p-7f,
                                   -0x1.73187ap+6f, -0x1.01b5bep+2f, 0x1.261b4ep-9f,  -0x1.aa7672p-9f};
  ImageDescription image{2, 2, 1, ChannelFormat::kF32, ImageShape::k3D, 2};
  Fetch fetch;
  const u32 fractions[3] = {255, 158, 3};
  for (int axis = 0; axis < 3; ++axis) fetch.at[axis] = 0.5f + f32(fractions[axis]) / 256;
  EXPECT_EQ(texture_fetch(texture_view(texels.data(), image, kLinearClamp), fetch).channel[0], 0xb8890d88u);
}

// Of a level's 255/256 the first of two slices has a half, rounded up to 128: in each, two texels of 64, but of 63 the
// last one in the second. A thread of the form tex.level.3d.v4.f32.f32 on an H200 (tests/coverage); 127 would give
// 0x3ecb8ccc.
TEST(Texture, TheWeightOfASliceIsRoundedWithTiesUp) {
  const ImageDescription image{13, 9, 1, ChannelFormat::kUnorm8, ImageShape::k3D, 6, 2};
  std::vector<u8> texels(image_bytes(image));
  texels[467] = 19;
  texels[363] = 159;
  texels[350] = 160;
  texels[246] = 70;
  SamplerDescription how{Filter::kLinear, {AddressMode::kClamp, AddressMode::kWrap, AddressMode::kMirror}, true};
  how.level_filter = Filter::kLinear;
  Fetch fetch;
  fetch.at[0] = 0x1.3b13b2p+0f;
  fetch.at[1] = -0.0f;
  fetch.at[2] = -0.5f;
  fetch.level = FetchLevel::kGiven;
  fetch.lod = 0x1.c316p-8f;
  EXPECT_EQ(texture_fetch(texture_view(texels.data(), image, how), fetch).channel[0], 0x3ecc40ccu);
}

// Faces of side x side texels that hold face, row and column as digits of base `step`.
std::vector<f32> numbered_faces(u32 side, u32 step) {
  std::vector<f32> texels;
  for (u32 i = 0; i < 6 * side * side; ++i)
    texels.push_back(f32((i / (side * side) * step + i / side % side) * step + i % side));
  return texels;
}

ImageDescription cube_of(u32 side, ChannelFormat format = ChannelFormat::kF32) {
  return {side, side, 1, format, ImageShape::kCube};
}

SamplerDescription cube_sampler(Filter filter, bool seamless) {
  SamplerDescription how = sampler(filter, AddressMode::kClamp, true);
  how.seamless_cube = seamless;
  return how;
}

Fetch toward(f32 x, f32 y, f32 z) {
  Fetch fetch;
  fetch.at[0] = x;
  fetch.at[1] = y;
  fetch.at[2] = z;
  return fetch;
}

// An H200's answers: ties between axes, places just short of a texel's edge, subnormals, infinities, NaN.
TEST(Texture, ADirectionMeetsAFace) {
  const std::vector<f32> texels = numbered_faces(16, 100);
  const TextureView view = texture_view(texels.data(), cube_of(16), cube_sampler(Filter::kPoint, false));
  struct Case {
    f32 x, y, z, expected;
  };
  const f32 inf = std::numeric_limits<f32>::infinity();
  const Case cases[] = {
      {0.12499994f, 1, -0.37499994f, 20508},
      {-0.500000119f, -0.37499994f, 1, 41003},
      {1, -0.812499881f, -0.62499994f, 1412},
      {-1, -0.49999994f, 0.125000119f, 11109},
      {0.49999994f, -1, 0.99999994f, 30011},
      {-0.49999994f, 0.12499994f, -1, 50711},
      {9.9999461e-41f, 1, -1, 50008},
      {-1, -1, 9.9999461e-41f, 30800},
      {1, 1, -9.99999935e-39f, 20815},
      {-9.99999935e-39f, 0.3f, 9.9999461e-41f, 20807},
      {-1, -9.99999935e-39f, 1e30f, 40807},
      {1, 1e30f, -1, 20708},
      {0, 0, 0, 40808},
      {0, -inf, -inf, 808},
      {0.3f, NAN, -inf, 808},
      {inf, -1, NAN, 20808},
      {-inf, 9.9999461e-41f, inf, 20808},
  };
  for (const Case& c : cases)
    EXPECT_EQ(value(texture_fetch(view, toward(c.x, c.y, c.z))), c.expected) << c.x << " " << c.y << " " << c.z;
}

// An H200's gathers of a cube whose seams are crossed: where two faces meet, and at corners, where a third of each of
// three texels stands for the fourth.
TEST(Texture, GathersCrossTheSeamsOfACube) {
  const std::vector<f32> texels = numbered_faces(4, 10);
  const TextureView view = texture_view(texels.data(), cube_of(4), cube_sampler(Filter::kLinear, true));
  struct Case {
    f32 x, y, z, expected[4];
  };
  const Case cases[] = {
      {0.0587571859f, 0.841752052f, 1, {401, 402, 232, 231}},
      {-1, -0.761777282f, 0.353381515f, {310, 300, 133, 132}},
      {0.901083112f, -0.0301427841f, 1, {423, 20, 10, 413}},
      {-0.522505879f, 0.947176814f, -1, {502, 503, 200, 201}},
      {0.590026736f, -1, -0.799527884f, {531, 530, 333, 332}},
      {0.791055202f, -1, 0.861401677f, {303, 30, 255.51953125f, 433}},
  };
  for (const Case& c : cases) {
    Fetch fetch = toward(c.x, c.y, c.z);
    fetch.kind = FetchKind::kGather;
    const Texel texel = texture_fetch(view, fetch);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(value(texel, i), c.expected[i]) << c.x << " " << c.y << " " << c.z;
  }
}

// The same of integers: those of 32 bits are cut down. The H200's answers for these three texels.
TEST(Texture, CornersOfACubeOfIntegers) {
  const auto corner = [](ChannelFormat format, u32 own, u32 one, u32 other) {
    const u32 bytes = channel_bytes(format);
    std::vector<u8> texels(6 * 4 * bytes);  // 2 x 2; the corner of +x, +y, +z
    const auto put = [&](u32 face, u32 y, u32 x, u32 raw) {
      std::memcpy(&texels[((face * 2 + y) * 2 + x) * bytes], &raw, bytes);
    };
    put(4, 0, 1, own);
    put(0, 0, 0, one);
    put(2, 1, 1, other);
    Fetch fetch = toward(0.9f, 0.9f, 1);
    fetch.kind = FetchKind::kGather;
    return texture_fetch(texture_view(texels.data(), cube_of(2, format), cube_sampler(Filter::kPoint, true)), fetch)
        .channel[2];
  };
  EXPECT_EQ(corner(ChannelFormat::kU8, 0xfd, 0xd7, 0xfb), 0xf0u);
  EXPECT_EQ(corner(ChannelFormat::kU8, 0x88, 0x8a, 0xad), 0x95u);
  EXPECT_EQ(corner(ChannelFormat::kU16, 0x7e7a, 0x46f0, 0xc190), 0x824fu);
  EXPECT_EQ(corner(ChannelFormat::kU32, 0x6d622359, 0xc1f0a0a8, 0xaa4c82dd), 0x9daf44abu);
}

// Levels hold 256 times their number, and a linear filter shows the level of detail in 256ths. An H200's answers.
struct LevelOfGradient {
  f32 at[3], dx[3], dy[3];
  f32 expected;
};

std::vector<f32> numbered_levels(const ImageDescription& image) {
  std::vector<f32> texels;
  for (u32 level = 0; level < image.levels; ++level)
    texels.insert(texels.end(), level_extent(image, level).texels(), f32(level) * 256);
  return texels;
}

void expect_levels(const ImageDescription& image, const std::vector<LevelOfGradient>& cases, bool of_places = false) {
  SamplerDescription how = sampler(Filter::kLinear, AddressMode::kClamp, true);
  how.level_filter = Filter::kLinear;
  const std::vector<f32> texels = numbered_levels(image);
  const TextureView view = texture_view(texels.data(), image, how);
  for (const LevelOfGradient& c : cases) {
    Fetch fetch = toward(c.at[0], c.at[1], c.at[2]);
    fetch.level = FetchLevel::kGradient;
    fetch.gradient_of_places = of_places;
    for (int axis = 0; axis < 3; ++axis) {
      fetch.dx[axis] = c.dx[axis];
      fetch.dy[axis] = c.dy[axis];
    }
    EXPECT_EQ(value(texture_fetch(view, fetch)), c.expected)
        << c.dx[0] << " " << c.dx[1] << " " << c.dx[2] << ", " << c.dy[0] << " " << c.dy[1] << " " << c.dy[2];
  }
}

TEST(Texture, GradientsAsLevels) {
  expect_levels(
      {256, 256, 1, ChannelFormat::kF32, ImageShape::k2D, 1, 9},
      {
          {{0x1p-1f, 0x1p-1f, 0x1p-1f},
           {0x1.5a75a8p-1f, -0x1.52f52cp-2f, 0},
           {-0x1.26ede2p-6f, -0x1.8f53aap-5f, 0},
           1961},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0x1.4cfc6p-2f, 0x1.48e71ep-4f, 0}, {-0x1.2c417p-2f, -0x1.b1abbap-4f, 0}, 1768},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f},
           {0x1.45bd4cp-4f, -0x1.21932ap-3f, 0},
           {0x1.f62c44p-6f, 0x1.addabcp-3f, 0},
           1541},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0x1.27925ep-4f, 0x1.0c8df2p-5f, 0}, {0x1.2737aep-3f, 0x1.cf8f4cp-5f, 0}, 1393},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f},
           {-0x1.0004e4p-1f, -0x1.cb8caap-2f, 0},
           {0x1.1d470cp-4f, -0x1.510decp-4f, 0},
           1892},
      });
  expect_levels(
      {13, 9, 1, ChannelFormat::kF32, ImageShape::k2D, 1, 4},
      {
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0x1.e13f82p-7f, -0x1.f01e44p-3f, 0}, {0x1.2b53cp-1f, 0x1.95e86cp-4f, 0}, 763},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0, -0x1.8112ep-3f, 0}, {-0x1.9308cep-3f, 0, 0}, 347},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f},
           {-0x1.dd5326p-2f, 0x1.25c058p-3f, 0},
           {-0x1.e30264p-5f, 0x1.59d6f4p-9f, 0},
           691},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {-0x1.4ea544p-2f, -0x1.ebfep-8f, 0}, {-0x1.538fd4p-2f, 0x1.aab638p-7f, 0}, 655},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0x1.5cc57p-5f, -0x1.5c202ep-1f, 0}, {0x1.1a445ep-7f, 0x1.c90698p-6f, 0}, 680},
      });
  expect_levels(
      {1000, 600, 1, ChannelFormat::kF32, ImageShape::k2D, 1, 10},
      {
          {{0x1p-1f, 0x1p-1f, 0x1p-1f},
           {-0x1.9e6a26p-6f, -0x1.508228p-2f, 0},
           {0x1.dc9cecp-5f, 0x1.e75c58p-5f, 0},
           1967},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f},
           {-0x1.df2e1p-9f, -0x1.c6794p-4f, 0},
           {-0x1.3ce6b4p-5f, -0x1.16d812p-4f, 0},
           1635},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0x1.545f4p-4f, 0x1.e6f1cp-5f, 0}, {0x1.857d4p-8f, 0x1.74359ep-2f, 0}, 1992},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {-0x1.3e179p-3f, 0x1.329314p-4f, 0}, {0, -0x1.1728d6p-7f, 0}, 1898},
          {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0, -0x1.393c7p-6f, 0}, {0x1.9e68dcp-2f, 0x1.457cccp-4f, 0}, 2231},
      });
  expect_levels({21, 1, 1, ChannelFormat::kF32, ImageShape::k1D, 1, 5},
                {
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {-0x1.3ff9b8p-3f, 0, 0}, {0x1.fc7e7ap-7f, 0, 0}, 438},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {-0x1.7ae452p-2f, 0, 0}, {0x1.1f7624p-6f, 0, 0}, 757},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0, 0, 0}, {0x1.3799eep-2f, 0, 0}, 685},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {-0x1.f7f6a2p-5f, 0, 0}, {0x1.dcd22p-7f, 0, 0}, 94},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {-0x1.6abe66p-2f, 0, 0}, {-0x1.26e7ecp-9f, 0, 0}, 741},
                });
  // NaN counts as nothing; what is infinite is the smallest level.
  expect_levels({256, 256, 1, ChannelFormat::kF32, ImageShape::k2D, 1, 9},
                {
                    {{0.5f, 0.5f, 0}, {0.01f, NAN, 0}, {NAN, 0.01f, 0}, 347},
                    {{0.5f, 0.5f, 0}, {0.03f, NAN, 0}, {0.01f, INFINITY, 0}, 2048},
                });
}

TEST(Texture, GradientsOf3DImagesAsLevels) {
  expect_levels({13, 9, 1, ChannelFormat::kF32, ImageShape::k3D, 6, 4},
                {
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {-0x1.a410cp-13f, 0, -0x1.dd3bfp-2f},
                     {0x1.c0326p-5f, -0x1.b9fdfp-4f, 0x1.5c8d58p-7f},
                     379},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {0x1.f7edfp-4f, -0x1.984ebp-8f, -0x1.67db04p-8f},
                     {-0x1.917a28p-5f, -0x1.b34e3p-9f, 0x1.e3ab4cp-9f},
                     180},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f}, {0, 0x1.551518p-4f, 0}, {-0x1.ced406p-3f, 0, -0x1.e1bcb2p-7f}, 401},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {-0x1.9f7928p-8f, -0x1.e3c38p-6f, 0x1.ffd378p-5f},
                     {-0x1.c829d8p-3f, -0x1.b5fe7ap-4f, -0x1.1e566p-8f},
                     433},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {0x1.27ab3p-8f, 0x1.b70278p-2f, 0x1.c2da28p-6f},
                     {-0x1.077c6p-2f, -0x1.bc49cp-7f, -0x1.bd18p-13f},
                     506},
                });
  expect_levels({64, 64, 1, ChannelFormat::kF32, ImageShape::k3D, 64, 7},
                {
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {-0x1.5493a6p-6f, 0x1.2e345p-6f, -0x1.2b8d5p-1f},
                     {-0x1.f67ceep-5f, -0x1.7e3396p-5f, -0x1.8605c8p-6f},
                     1345},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {0x1.3aba46p-1f, 0x1.900ffcp-4f, -0x1.91ce5ap-4f},
                     {-0x1.59dd5ep-6f, 0x1.278c92p-2f, 0x1.e278b4p-6f},
                     1390},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {0x1.7ef8c8p-2f, 0x1.aeb6b8p-1f, 0x1.aad90cp-4f},
                     {-0x1.f5b06ep-4f, 0x1.7dfa7ep-4f, 0x1.9f63b8p-3f},
                     1534},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {0x1.a2ef1ep-3f, 0x1.100ddep-6f, -0x1.9f9adcp-4f},
                     {0x1.d25fdap-6f, -0x1.e94a8ap-3f, 0x1.6b737ap-3f},
                     1100},
                    {{0x1p-1f, 0x1p-1f, 0x1p-1f},
                     {0x1.e6ebe2p-4f, -0x1.8b404ap-4f, -0x1.565734p-2f},
                     {0x1.e8cb52p-5f, -0x1.4e5ddcp-1f, -0x1.01286p-3f},
                     1409},
                });
}

TEST(Texture, HugePlacesIn3DImagesAreBeyondTheLevels) {
  expect_levels({64, 64, 1, ChannelFormat::kF32, ImageShape::k3D, 64, 7},
                {
                    {{-0x1.65dde8p+96f, 0.5f, 0.5f}, {}, {}, 0},
                    {{0.5f, 0x1.7f4fb6p+96f, 0.5f}, {}, {}, 0},
                    {{0.5f, 0.5f, 0x1.7c19ep+96f}, {}, {}, 0},
                    {{-0x1.4d9dfcp+97f, 0.5f, 0.5f}, {}, {}, 1536},
                    {{0.5f, 0x1.368c4p+97f, 0.5f}, {}, {}, 1536},
                    {{0.5f, 0.5f, 0x1.216a64p+97f}, {}, {}, 1536},
                });
  expect_levels({13, 9, 1, ChannelFormat::kF32, ImageShape::k3D, 6, 4},
                {
                    {{0x1.16c2p-133f, 0.25f, INFINITY}, {}, {}, 768},
                    {{INFINITY, NAN, -0x1.16c2p-133f}, {0, 0, 0.25f}, {}, 768},
                    {{0.25f, -0x1.16c2p-133f, INFINITY}, {}, {0, -0.125f, 0}, 768},
                });
}

TEST(Texture, GradientsOfCubesAsLevels) {
  expect_levels({13, 13, 1, ChannelFormat::kF32, ImageShape::kCube, 1, 4},
                {
                    {{-0x1p+0f, -0x1.976722p-1f, -0x1.7536b8p-2f},
                     {0x1.63926ap-7f, -0x1.5203bp-7f, 0x1.d5d33p-4f},
                     {0x1.1de5cp-9f, 0x1.dcb02cp-1f, 0x1.1e1d7cp-4f},
                     674},
                    {{-0x1.7c2ad2p-1f, 0x1.d6127p-2f, 0x1.fe3b6ap-1f},
                     {0, -0x1.b617cp-6f, -0x1.408258p-4f},
                     {0x1.bc7bfcp-3f, 0x1.77ba8ap-1f, 0x1.47c74ap-6f},
                     605},
                    {{-0x1.064614p-1f, -0x1.93fec6p-1f, 0x1.1a0b62p-1f},
                     {-0x1.db5248p-6f, 0x1.56c7cep-4f, 0x1.5143e8p-4f},
                     {0x1.57b9bap-4f, 0x1.33eb58p-5f, -0x1.86f4p-15f},
                     164},
                    {{-0x1.9fc88p-4f, 0x1p+0f, -0x1p+0f},
                     {-0x1.c0d9cp-2f, -0x1.f4765p-7f, -0x1.5231eap-6f},
                     {-0x1.3e33dp-10f, 0x1.5e9beep-2f, 0x1.d2aebep-3f},
                     387},
                    {{-0x1.bc33cp-3f, 0x1.9c7b8p-1f, -0x1.681ca6p-1f},
                     {-0x1.55ba18p-5f, 0x1.173748p-1f, -0x1.d470cap-8f},
                     {-0x1.ab1b88p-6f, 0x1.481156p-2f, 0x1.893f78p-6f},
                     399},
                });
  expect_levels({256, 256, 1, ChannelFormat::kF32, ImageShape::kCube, 1, 9},
                {
                    {{0x1.38b9b8p-1f, -0x1.2eb1f8p-2f, -0x1.64a6cp-5f},
                     {0x1.736cacp-5f, 0, 0x1.7f723p-3f},
                     {-0x1.48f6e6p-8f, -0x1.d23cf4p-2f, -0x1.c5e594p-8f},
                     1665},
                    {{0x1.d99d38p-1f, -0x1.e4f38p-2f, -0x1.5d60b6p-1f},
                     {0x1.66d828p-5f, 0x1.0e45dep-1f, -0x1.dfba12p-3f},
                     {-0x1.17497cp-8f, 0x1.451e04p-3f, -0x1.e634dcp-2f},
                     1627},
                    {{-0x1p+0f, -0x1p+0f, 0x1p+0f},
                     {0x1.001848p-2f, 0x1.c76274p-5f, 0x1.f40f0ep-5f},
                     {-0x1.a3ecd4p-2f, -0x1.37211cp-7f, -0x1.de060cp-6f},
                     1461},
                    {{-0x1.7ea818p-3f, -0x1.a41c4p-4f, 0x1.4ba6f4p-1f},
                     {0x1.d0cab4p-8f, 0x1.0a6398p-6f, -0x1.4df94p-1f},
                     {0x1.1fb978p-9f, 0x1.85fe12p-1f, -0x1.ee23ecp-8f},
                     2018},
                    {{-0x1p+0f, -0x1.092ffcp-1f, 0x1.685bbcp-1f},
                     {0x1.82056cp-3f, -0x1.6ab3fcp-8f, -0x1.0e57cp-5f},
                     {-0x1.a440cp-5f, -0x1.86098cp-2f, -0x1.b2ccf6p-5f},
                     1420},
                });
}

// Differences of places are f32s: 1 - 2^-33 is 1.
TEST(Texture, GradientsOfCubesOfTinyDirectionsAsLevels) {
  const f32 tiny = 0x1.16c2p-133f, small = 0x1.4484cp-100f;
  expect_levels({64, 64, 1, ChannelFormat::kF32, ImageShape::kCube, 1, 7},
                {
                    {{tiny, -0.0f, -small}, {small, 0, 0}, {}, 1280},
                    {{-tiny, small, -tiny}, {-1, 0, 0}, {}, 1536},
                    {{0, tiny, tiny}, {}, {}, 1536},
                    {{NAN, -tiny, -tiny}, {}, {}, 1536},
                    {{tiny, 0, 0}, {}, {}, 0},
                });
}

}  // namespace
}  // namespace ww::devicelib
