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
