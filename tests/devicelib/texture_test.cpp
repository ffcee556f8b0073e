// Texture fetches and surface places against values worked out by hand from the CUDA programming guide's rules and the
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

TEST(Surface, Places) {
  using enum SurfaceAccess;
  const ImageDescription image{5, 3, 1, ChannelFormat::kF32};
  struct Case {
    s32 x, y;
    u32 bytes;
    SurfaceOutside outside;
    SurfaceAccess access;
    u64 offset;
  };
  const SurfaceOutside trap = SurfaceOutside::kTrap, clamp = SurfaceOutside::kClamp, zero = SurfaceOutside::kZero;
  const Case cases[] = {
      {0, 0, 4, trap, kInside, 0},        {16, 2, 4, trap, kInside, 56},  {20, 0, 4, trap, kTrap, 0},
      {0, 3, 4, trap, kTrap, 0},          {-4, 0, 4, trap, kTrap, 0},     {2, 0, 4, trap, kMisaligned, 0},
      {2, 0, 4, zero, kMisaligned, 0},    {20, 0, 4, zero, kNothing, 0},  {0, -1, 4, zero, kNothing, 0},
      {20, 0, 4, clamp, kInside, 16},     {-4, -7, 4, clamp, kInside, 0}, {100, 100, 4, clamp, kInside, 56},
      {16, 1, 8, clamp, kInside, 20 + 8}, {16, 0, 8, trap, kTrap, 0},     {0, 0, 32, clamp, kNothing, 0},
      {0, 0, 32, trap, kTrap, 0},         {1, 1, 1, trap, kInside, 21},   {0x7fffffff, 0, 1, zero, kNothing, 0},
  };
  for (const Case& c : cases) {
    const SurfacePlace place = surface_place(image, c.x, c.y, 0, c.bytes, c.outside);
    EXPECT_EQ(place.access, c.access) << c.x << ", " << c.y << ", " << c.bytes;
    EXPECT_EQ(place.offset, c.offset) << c.x << ", " << c.y << ", " << c.bytes;
  }
}

}  // namespace
}  // namespace ww::devicelib
