// The tensor core's model against fragments that an H200 computed: 14 warps of each kind, among them cancellation,
// midpoints, subnormals, overflow, infinities and NaNs (tests/hardware/mma_probe.cu made them, cut_vectors.py kept
// these). All 1400 warps of each kind agree; tests/hardware/mma_probe.sh shows that on a GPU.
#include "devicelib/mma.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/files.h"

namespace ww::devicelib {
namespace {

constexpr int kWarps = 14;

struct Kind {
  const char* name;
  MmaShape shape;
};
const Kind kKinds[] = {
    {"f16_k16", {16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}},
    {"f16_k8", {16, 8, 8, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}},
    {"bf16_k16", {16, 8, 16, MmaType::kBf16, MmaType::kBf16, MmaAccumulator::kF32, false}},
    {"bf16_k8", {16, 8, 8, MmaType::kBf16, MmaType::kBf16, MmaAccumulator::kF32, false}},
    {"tf32_k8", {16, 8, 8, MmaType::kTf32, MmaType::kTf32, MmaAccumulator::kF32, false}},
    {"tf32_k4", {16, 8, 4, MmaType::kTf32, MmaType::kTf32, MmaAccumulator::kF32, false}},
    {"e4m3_k32", {16, 8, 32, MmaType::kE4M3, MmaType::kE4M3, MmaAccumulator::kF32, false}},
    {"e5m2_k32", {16, 8, 32, MmaType::kE5M2, MmaType::kE5M2, MmaAccumulator::kF32, false}},
    {"f16_k16_f16", {16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF16, false}},
    {"s8_k32", {16, 8, 32, MmaType::kS8, MmaType::kS8, MmaAccumulator::kS32, true}},
};

class MmaVectors : public ::testing::TestWithParam<Kind> {};

TEST_P(MmaVectors, AreTheH200s) {
  const MmaShape& shape = GetParam().shape;
  const auto bytes =
      read_file(std::string(WARPWAVE_SOURCE_DIR "/tests/devicelib/data/mma/") + GetParam().name + ".bin");
  ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
  const size_t a = 32 * size_t(mma_a_registers(shape)), b = 32 * size_t(mma_b_registers(shape)),
               c = 32 * size_t(mma_c_registers(shape));
  ASSERT_EQ(bytes->size(), 4 * kWarps * (a + b + 2 * c));
  std::vector<u32> words(bytes->size() / 4);
  std::memcpy(words.data(), bytes->data(), bytes->size());
  const u32 *as = words.data(), *bs = as + kWarps * a, *cs = bs + kWarps * b, *ds = cs + kWarps * c;
  std::vector<u32> made(c);
  for (size_t warp = 0; warp < kWarps; ++warp) {
    mma_32(kMmaHopper, shape, as + warp * a, bs + warp * b, cs + warp * c, made.data());
    for (size_t i = 0; i < c; ++i) EXPECT_EQ(made[i], ds[warp * c + i]) << "warp " << warp << " register " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MmaVectors, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ww::devicelib
