// Where an H200 does not do what the manual says, or the manual leaves it open: operands and the bits that came out.
#include <gtest/gtest.h>

#include <bit>

#include "base/video_control.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {
namespace {

f64 number(u64 bits) {
  return std::bit_cast<f64>(bits);
}
u64 bits(f64 x) {
  return std::bit_cast<u64>(x);
}

using Operation = VideoOperation;
using Second = VideoSecond;

// Types of d, a and b in the order of the text: 's' or 'u'.
VideoControl video(Operation operation, const char* types, bool saturate, uint8_t d_selector = 0,
                   Second second = Second::kNone) {
  VideoControl control;
  control.operation = operation;
  control.second = second;
  control.d_signed = types[0] == 's';
  control.a_signed = types[1] == 's';
  control.b_signed = types[2] == 's';
  control.saturate = saturate;
  control.d_selector = d_selector;
  return control;
}
u32 run(const VideoControl& control, u32 a, u32 b, u32 c) {
  return ww_video_scalar(a, b, c, control.pack());
}
constexpr uint8_t kB0 = 1, kH1 = 6;

TEST(H200Video, UpperHalfIsMergedWhereItIs) {
  EXPECT_EQ(run(video(Operation::kAdd, "ssu", false, kH1), 2, 0x8954cab5, 5), 0x89540005u);
  EXPECT_EQ(run(video(Operation::kAdd, "uus", false, kH1), 7, 0x0d73bde5, 0xfffffffc), 0x0d73fffcu);
}

TEST(H200Video, OnlySignedWordsAreClampedAtBothEnds) {
  EXPECT_EQ(run(video(Operation::kAdd, "uuu", true), 0x3f, 0xfffffffb, 0), 0x3au);
  EXPECT_EQ(run(video(Operation::kAdd, "uus", true), 0xffffffff, 2, 0), 1u);
  EXPECT_EQ(run(video(Operation::kAbsdiff, "usu", true), 0x80000000, 0x80000001, 0), 1u);
  EXPECT_EQ(run(video(Operation::kAdd, "uss", true, kB0), 2, 0xfffffff9, 0), 0xffu);
  EXPECT_EQ(run(video(Operation::kSub, "uuu", true, kB0), 3, 0xfffffffe, 0), 0xffu);
  EXPECT_EQ(run(video(Operation::kSub, "ssu", true, kB0), 2, 0xffffffff, 0), 0x7fu);
  EXPECT_EQ(run(video(Operation::kMin, "ssu", true, kB0), 0x80000000, 0x7fffffff, 4), 0x7fu);
}

TEST(H200Video, WhatIsShiftedHas34Bits) {
  VideoControl control = video(Operation::kShl, "uuu", true);
  EXPECT_EQ(run(control, 0x1f, 0x3286a17c, 3), 0u);
  EXPECT_EQ(run(control, 0x80000001, 0xffffffff, 0), 0xffffffffu);
  control = video(Operation::kShl, "suu", true);
  EXPECT_EQ(run(control, 7, 0xa2339c2c, 0), 0x80000000u);
  control = video(Operation::kShl, "ssu", true, kB0);
  EXPECT_EQ(run(control, 0x21, 0xd5eaf671, 0xdebc1b2d), 0xdebc1bffu);
  EXPECT_EQ(run(control, 2, 0x2c, 0xfffffff9), 0xffffff00u);
  control = video(Operation::kShr, "usu", true, kB0);
  control.wrap = true;
  EXPECT_EQ(run(control, 0x100, 0x80000000, 0), 0u);
}

TEST(H200Video, SecondOperationsCompareMoreThan32Bits) {
  EXPECT_EQ(run(video(Operation::kSub, "uss", false, 0, Second::kMax), 0, 3, 0xffffffff), 0xfffffffdu);
  EXPECT_EQ(run(video(Operation::kAdd, "uuu", false, 0, Second::kMin), 0x7fffffff, 2, 0xcc1f71a5), 0xcc1f71a5u);
  EXPECT_EQ(run(video(Operation::kAbsdiff, "suu", false, 0, Second::kMax), 0x80000001, 0, 0xfffffffc), 0x80000001u);
  EXPECT_EQ(run(video(Operation::kAbsdiff, "uus", true, 0, Second::kMax), 0x80000001, 0x80000000, 0x2a), 1u);
  EXPECT_EQ(run(video(Operation::kMin, "suu", false, 0, Second::kMin), 0x80000001, 0xdf528c13, 0), 0u);
  EXPECT_EQ(run(video(Operation::kShl, "uuu", true, 0, Second::kMin), 0x80000000, 0, 0x94ef3b3e), 0x94ef3b3eu);
  // vset.s32.s32.eq.max: a comparison of signed operands has a signed second operation.
  EXPECT_EQ(run(video(Operation::kSet, "uss", false, 0, Second::kMax), 3, 2, 0xfaef7e08), 0u);
}

TEST(H200Video, MultipliesSignedWords) {
  VideoControl control = video(Operation::kMad, "sus", true);
  control.right_shift = 15;
  EXPECT_EQ(run(control, 0x80000000, 2, 0), 0xfffe0000u);
  EXPECT_EQ(run(control, 0xffffffff, 0x04aac259, 5), 0xfffff6aau);
  control = video(Operation::kMad, "uuu", true);
  EXPECT_EQ(run(control, 0, 0, 0xfffffffc), 0u);
  EXPECT_EQ(run(control, 3, 0x7fffffff, 0x80000001), 0xfffffffeu);
}

// NaN of f64: in global memory that of the operand, else of memory, as it is; in shared memory the other way, quieted.
TEST(H200Sums, HandOnNans) {
  constexpr u64 kSignalling = 0x7ff0000000000001, kQuiet = 0x7fffffffffffffff;
  EXPECT_EQ(bits(ww_sum_in_global_f64(1.0, number(kSignalling))), kSignalling);
  EXPECT_EQ(bits(ww_sum_in_global_f64(number(kSignalling), 1.0)), kSignalling);
  EXPECT_EQ(bits(ww_sum_in_global_f64(number(kSignalling), number(kQuiet))), kQuiet);
  EXPECT_EQ(bits(ww_sum_in_shared_f64(number(kSignalling), number(kQuiet))), 0x7ff8000000000001u);
  EXPECT_EQ(bits(ww_sum_in_shared_f64(number(0xffffffffffffffff), number(kQuiet))), 0xffffffffffffffffu);
  EXPECT_EQ(bits(ww_sum_in_global_f64(number(0x7ff0000000000000), number(0xfff0000000000000))), 0xfff8000000000000u);
}

TEST(H200Sums, FlushInGlobalMemoryAlone) {
  const f32 tiny = std::bit_cast<f32>(0x007fffffu);
  EXPECT_EQ(ww_sum_in_global_f32(0.0f, tiny), 0.0f);
  EXPECT_EQ(ww_sum_in_shared_f32(0.0f, tiny), tiny);
}

TEST(H200Halves, OutOfBoundsNansGiveZero) {
  EXPECT_EQ(ww_fma_rn_oob_f16(0x7ff7, 0x3c00, 0x3c00), 0);
  EXPECT_EQ(ww_fma_rn_oob_f16(0x3c00, 0xfff7, 0x3c00), 0);
  EXPECT_EQ(ww_fma_rn_oob_f16(0x3c00, 0x3c00, 0x7ff7), 0x7fff);
  EXPECT_EQ(ww_fma_rn_oob_f16(0x7ff6, 0x3c00, 0x3c00), 0x7fff);
  EXPECT_EQ(ww_fma_rn_oob_bf16(0xfff7, 0x3f80, 0x3f80), 0);
  EXPECT_EQ(ww_fma_rn_oob_relu_bf16x2(0x3f807ff7, 0x3f803f80, 0x3f803f80), 0x40000000u);
}

TEST(H200Conversions, BetweenF64AndHalvesNansKeepTheirPayload) {
  EXPECT_EQ(ww_cvt_rn_f16_f64(number(0x7ff0000000000001)), 0x7e00);
  EXPECT_EQ(ww_cvt_rz_f16_f64(number(0xffffffffffffffff)), 0xffff);
  EXPECT_EQ(ww_cvt_rm_bf16_f64(number(0xfff0000000000001)), 0xffc0);
  EXPECT_EQ(bits(ww_cvt_f64_f16(0xfc01)), 0xfff8040000000000u);
  EXPECT_EQ(bits(ww_cvt_f64_f16(0x7fff)), 0x7ffffc0000000000u);
}

TEST(H200Integers, FindsNothingFromOutsideTheMask) {
  EXPECT_EQ(ww_fns_b32(0x20, 0x21, -1), 0xffffffffu);
  EXPECT_EQ(ww_fns_b32(0xfffffffe, 0xfffffffe, 3), 0xffffffffu);
  EXPECT_EQ(ww_fns_b32(2, 0x20, INT32_MIN), 0u);
  EXPECT_EQ(ww_fns_b32(0x80000000, 0, INT32_MIN), 0u);
}

}  // namespace
}  // namespace ww::devicelib
