// The tensor core's model against fragments that an H200 computed: 14 warps of each kind, among them cancellation,
// midpoints, subnormals, overflow, infinities and NaNs. tests/tiles has many more, as hashes.
#include "devicelib/mma.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/files.h"
#include "mma_kinds.h"

namespace ww::devicelib {
namespace {

// A lane's registers side by side, as register after register.
std::vector<u32> by_register(const u32* lanes, size_t words) {
  std::vector<u32> made(words);
  for (size_t r = 0; r < words / 32; ++r)
    for (size_t lane = 0; lane < 32; ++lane) made[32 * r + lane] = lanes[lane * (words / 32) + r];
  return made;
}

class MmaVectors : public ::testing::TestWithParam<MmaKind> {};

TEST_P(MmaVectors, AreTheH200s) {
  const MmaShape& shape = GetParam().shape;
  const auto bytes =
      read_file(std::string(WARPWAVE_SOURCE_DIR "/tests/devicelib/data/mma/") + GetParam().name + ".bin");
  ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
  const size_t a = 32 * size_t(mma_a_registers(shape)), b = 32 * size_t(mma_b_registers(shape)),
               c = 32 * size_t(mma_c_registers(shape));
  ASSERT_EQ(bytes->size(), 4 * kMmaWarps * (a + b + 2 * c));
  std::vector<u32> words(bytes->size() / 4);
  std::memcpy(words.data(), bytes->data(), bytes->size());
  const u32 *as = words.data(), *bs = as + kMmaWarps * a, *cs = bs + kMmaWarps * b, *ds = cs + kMmaWarps * c;
  std::vector<u32> made(c);
  for (size_t warp = 0; warp < kMmaWarps; ++warp) {
    const auto wa = by_register(as + warp * a, a), wb = by_register(bs + warp * b, b),
               wc = by_register(cs + warp * c, c), wd = by_register(ds + warp * c, c);
    for (int level = 0; level <= int(best_mma_level()); ++level) {
      mma_32(kMmaHopper, shape, wa.data(), wb.data(), wc.data(), made.data(), nullptr, MmaLevel(level));
      for (size_t i = 0; i < c; ++i)
        EXPECT_EQ(made[i], wd[i]) << "level " << level << " warp " << warp << " lane " << i % 32;
    }
  }
}

// A sum below zero that rounds to zero is +0, as warps 81 and 1257 of the whole recording of f16_k16_f16 have it.
TEST(Mma, ZerosHaveNoSign) {
  const u32 a[16] = {0x8001}, b[16] = {0x0001};  // subnormals: -2^-24 * 2^-24 in f16, -2^-133 * 2^-133 in bf16
  const MmaShape half{16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF16, false};
  EXPECT_EQ(mma_dot(kMmaHopper, half, a, b, 0), 0u);
  EXPECT_EQ(mma_dot(kMmaHopper, half, a, b, 0x8000), 0u);
  const MmaShape wide{16, 8, 16, MmaType::kBf16, MmaType::kBf16, MmaAccumulator::kF32, false};
  EXPECT_EQ(mma_dot(kMmaHopper, wide, a, b, 0), 0u);
  EXPECT_EQ(mma_dot(kMmaHopper, wide, a, b, 0x80000000), 0u);
}

// Sums of tiny products are cut no further down than 2^-158, below which these have their difference from a whole
// number of 2^-149. Pairs 18569, 76530 and 272445 of tests/tiles.
TEST(Mma, SumsOfTinyProductsAreCutAtALeastExponent) {
  const struct {
    u32 a[4], b[4], c, d;
  } cases[] = {
      {{0x0a000000, 0x8a000000, 0x82000000, 0x02000000}, {0xad24112a, 0xad2c112a, 0xad14134a, 0xad1c134a}, 0, 2},
      {{0x1bffffff, 0x9bffffff, 0x1affffff, 0x9affffff}, {0x83e1e6ba, 0x83f1e6ba, 0x9ba0f7f4, 0x9bb0f7f4}, 1u << 31, 2},
      {{0x9d7fffff, 0x1d7fffff, 0x9d7fffff, 0x1d7fffff},
       {0x9244d9ab, 0x9246d9ab, 0x9a1c83fa, 0x9a1e83fa},
       0,
       0x80000001},
  };
  const MmaShape shape{16, 8, 4, MmaType::kTf32, MmaType::kTf32, MmaAccumulator::kF32, false};
  for (const auto& one : cases) EXPECT_EQ(mma_dot(kMmaHopper, shape, one.a, one.b, one.c), one.d);
}

// A subnormal c of f16 counts with the exponent -14, and sums are cut no further down than 2^-39 for its sake: the
// first four have the difference from a midpoint below that, and become even. A zero c does not count: the last three
// keep such a difference. Pairs 633211 and 1238560 of tests/tiles and others.
TEST(Mma, ASubnormalAccumulatorHasTheLeastExponent) {
  const struct {
    int k;
    u32 a[16], b[16], c, d;
  } cases[] = {
      {8,
       {0x8b09, 0x8811, 0x8a83, 0x8a64, 0x8996, 0x8a38, 0x8a30, 0x8a5d},
       {0xb400, 0x3400, 0x0001, 0x8001, 0x3400, 0x3400, 0xb400, 0x3400},
       0x8359,
       0x87da},
      {16,
       {0x8a70, 0x8a3d, 0x8a07, 0x8b40, 0x8b24, 0x8888, 0x8932, 0x8abb, 0x88d0, 0x891f, 0x889f, 0x89c2, 0x887a, 0x8b7f,
        0x88c5, 0x8bb2},
       {0x3400, 0xb400, 0xb400, 0xb400, 0x3400, 0x3400, 0x0001, 0x0001, 0x3400, 0x3400, 0x3400, 0xb400, 0xb400, 0x3400,
        0x8001, 0x8001},
       0x8251,
       0x8786},
      {16,
       {0x8e19, 0x84ba, 0x8e35, 0x8301, 0x8539, 0x88b7, 0x8e8e, 0x8a6d, 0x8e60, 0x879a, 0x8f9a, 0x898a, 0x850d, 0x83f3,
        0x8e30, 0x8dbe},
       {0x85de, 0x86ea, 0x87ef, 0x8740, 0x86f3, 0x86d0, 0x8434, 0x8580, 0x8427, 0x84c8, 0x855b, 0x861a, 0x84a5, 0x853d,
        0x875d, 0x85cb},
       0x014b,
       0x0150},
      {8,
       {0xac00, 0x2c00, 0x2c00, 0xac00, 0x8001, 0x8001, 0x0001, 0x0001},
       {0x801a, 0x801b, 0x8202, 0x808b, 0x8002, 0x8003, 0x8082, 0x8093},
       0x0001,
       0x8016},
      {8,
       {0x8000, 0x0000, 0xa1a0, 0x23c2, 0xa3b5, 0xa13e, 0xa0c5, 0xa3ad},
       {0x0ffc, 0x057c, 0x0fbc, 0x01b5, 0x0385, 0x8585, 0x85fc, 0x09c5},
       0x0000,
       0x806d},
      {8,
       {0x1233, 0xab41, 0x9233, 0x2b41, 0xa17d, 0x8970, 0x217d, 0x0970},
       {0x0262, 0x0181, 0x0242, 0x01a1, 0x01a7, 0x03d4, 0x0187, 0x03f4},
       0x8000,
       0x0001},
      {16,
       {0x1149, 0x835b, 0x126c, 0x81b1, 0x1002, 0x8220, 0x111b, 0x804b, 0x1080, 0x831c, 0x1046, 0x8022, 0x12b9, 0x819e,
        0x12ca, 0x8053},
       {0x1b92, 0x1b87, 0x19d3, 0x19f4, 0x1855, 0x1b51, 0x1a80, 0x18ba, 0x1b92, 0x19ff, 0x1a83, 0x1a59, 0x1944, 0x1843,
        0x19a3, 0x18b9},
       0x8000,
       0x00fd},
  };
  for (const auto& one : cases) {
    const MmaShape shape{16, 8, u16(one.k), MmaType::kF16, MmaType::kF16, MmaAccumulator::kF16};
    EXPECT_EQ(mma_dot(kMmaHopper, shape, one.a, one.b, one.c), one.d) << std::hex << one.d;
  }
}

TEST(MmaShape, IsReadFromSuffixes) {
  MmaShape s;
  ASSERT_TRUE(mma_shape("m16n8k16.row.col.f32.f16.f16.f32", s));
  EXPECT_EQ(pack_shape(s), pack_shape({}));
  ASSERT_TRUE(mma_shape("sp::ordered_metadata.m16n8k64.row.col.satfinite.s32.u4.s4.s32.select1", s));
  EXPECT_TRUE(s.sparse && s.saturate && s.selector == 1 && s.k == 64 && s.a == MmaType::kU4 && s.b == MmaType::kS4);
  ASSERT_TRUE(mma_shape("m8n8k4.col.row.f32.f16.f16.f16", s));
  EXPECT_TRUE(is_quad_pair(s) && s.a_columns && s.b_rows && s.c == MmaAccumulator::kF16);
  EXPECT_EQ(mma_c_registers(s), 4);
  EXPECT_EQ(mma_d_registers(s), 8);
  ASSERT_TRUE(mma_shape("m16n8k256.row.col.and.popc.s32.b1.b1.s32", s));
  EXPECT_TRUE(s.bit_and && s.k == 256);
  EXPECT_EQ(mma_a_registers(s), 4);
  ASSERT_TRUE(mma_shape("m16n8k8.row.col.rm.f64.f64.f64.f64", s));
  EXPECT_EQ(s.rounding, Rounding::kDown);
  const MmaShape again = unpack_shape(pack_shape(s));
  EXPECT_EQ(pack_shape(again), pack_shape(s));
  EXPECT_EQ(again.k, 8);
  for (const char* wrong :
       {"", "m16n8k16.row.col.f32.f16.f16", "m16n8k16.row.col.f32.s32.s32.f32", "m16n8k12.row.col.f32.f16.f16.f32",
        "m16n8k16.row.col.relu.f32.f16.f16.f32", "m16n8k16.f32.f16.f16.f32"})
    EXPECT_FALSE(mma_shape(wrong, s)) << wrong;
}

INSTANTIATE_TEST_SUITE_P(Kinds, MmaVectors, ::testing::ValuesIn(kMmaKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ww::devicelib
