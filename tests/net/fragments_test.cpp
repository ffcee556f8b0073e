// Fragment order against the layouts of the PTX manual ("Matrix Fragments for mma.m16n8k16"): products are formed from
// the fragments lane by lane as the manual says, and compared with plain ones.
#include "net/fragments.h"

#include <gtest/gtest.h>

namespace ww::net {
namespace {

// Distinct bits for each element.
std::vector<uint16_t> numbered(int count) {
  std::vector<uint16_t> bits(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) bits[static_cast<size_t>(i)] = static_cast<uint16_t>(i * 7 + 1);
  return bits;
}

// The manual's B (16x8, "col"): for register r, half h of a lane: row = (lane % 4) * 2 + h + 8 r, column = lane / 4.
TEST(Fragments, RightOperandsFollowTheManual) {
  constexpr int kOutputs = 40, kInputs = 48;
  const std::vector<uint16_t> bits = numbered(kOutputs * kInputs);
  const std::vector<uint16_t> out = right_fragments({bits, kOutputs, kInputs});
  ASSERT_EQ(out.size(), 48u * 48u);  // outputs padded to 48
  for (int k = 0; k < kInputs; ++k)
    for (int n = 0; n < 48; ++n) {
      const int lane = n % 8 * 4 + k % 8 / 2, reg = k % 16 / 8, half = k % 2, tile = n / 8 % 2;
      const size_t index = static_cast<size_t>(((k / 16 * 3 + n / 16) * 32 + lane) * 8 + tile * 4 + reg * 2 + half);
      const uint16_t expected = n < kOutputs ? bits[static_cast<size_t>(n * kInputs + k)] : 0;
      ASSERT_EQ(out[index], expected) << "input " << k << " output " << n;
    }
}

// The manual's A (16x16, "row"): register r, half h: row = lane / 4 + 8 (r % 2), column = (lane % 4) * 2 + h + 8 (r /
// 2).
TEST(Fragments, LeftOperandsFollowTheManual) {
  const std::vector<uint16_t> bits = numbered(2 * 64 * 64);
  const std::vector<uint16_t> out = left_fragments({bits, 128, 64});
  ASSERT_EQ(out.size(), bits.size());
  for (int row = 0; row < 128; ++row)
    for (int column = 0; column < 64; ++column) {
      const int lane = row % 8 * 4 + column % 8 / 2, reg = row % 16 / 8 + 2 * (column % 16 / 8), half = column % 2;
      const size_t index = static_cast<size_t>(((row / 16 * 4 + column / 16) * 32 + lane) * 8 + reg * 2 + half);
      ASSERT_EQ(out[index], bits[static_cast<size_t>(row * 64 + column)]) << row << " " << column;
    }
}

// The manual's C (16x8): register r: row = lane / 4 + 8 (r / 2), column = (lane % 4) * 2 + r % 2.
TEST(Fragments, AccumulatorsFollowTheManual) {
  const std::vector<uint16_t> bits = numbered(64 * 64);
  const std::vector<uint16_t> out = accumulator_fragments({bits, 64, 64});
  ASSERT_EQ(out.size(), bits.size());
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column) {
      const int lane = row % 8 * 4 + column % 8 / 2, reg = row % 16 / 8 * 2 + column % 2, tile = column / 8 % 2;
      const size_t index = static_cast<size_t>(((row / 16 * 4 + column / 16) * 32 + lane) * 8 + tile * 4 + reg);
      ASSERT_EQ(out[index], bits[static_cast<size_t>(row * 64 + column)]) << row << " " << column;
    }
}

}  // namespace
}  // namespace ww::net
