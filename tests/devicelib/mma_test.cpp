// The tensor core's model against fragments that an H200 computed: 14 warps of each kind, among them cancellation,
// midpoints, subnormals, overflow, infinities and NaNs (tests/hardware/mma_probe.cu made them, mma_evaluate.cpp
// kept these). All 1400 warps of each kind agree; tests/hardware/mma_probe.sh shows that on a GPU.
#include "devicelib/mma.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/files.h"
#include "hardware/mma_kinds.h"

namespace ww::devicelib {
namespace {

class MmaVectors : public ::testing::TestWithParam<MmaKind> {};

TEST_P(MmaVectors, AreTheH200s) {
  const MmaShape& shape = GetParam().shape;
  const auto bytes =
      read_file(std::string(WARPWAVE_SOURCE_DIR "/tests/devicelib/data/mma/") + GetParam().name + ".bin");
  ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
  const size_t a = 32 * size_t(mma_a_registers(shape)), b = 32 * size_t(mma_b_registers(shape)),
               c = 32 * size_t(mma_c_registers(shape));
  ASSERT_EQ(bytes->size(), 4 * kMmaKeptWarps * (a + b + 2 * c));
  std::vector<u32> words(bytes->size() / 4);
  std::memcpy(words.data(), bytes->data(), bytes->size());
  const u32 *as = words.data(), *bs = as + kMmaKeptWarps * a, *cs = bs + kMmaKeptWarps * b,
            *ds = cs + kMmaKeptWarps * c;
  std::vector<u32> made(c);
  for (size_t warp = 0; warp < kMmaKeptWarps; ++warp) {
    mma_32(kMmaHopper, shape, as + warp * a, bs + warp * b, cs + warp * c, made.data());
    for (size_t i = 0; i < c; ++i) EXPECT_EQ(made[i], ds[warp * c + i]) << "warp " << warp << " register " << i;
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

INSTANTIATE_TEST_SUITE_P(Kinds, MmaVectors, ::testing::ValuesIn(kMmaKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ww::devicelib
