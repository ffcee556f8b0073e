// Arithmetic that a level has no instruction for: exact fma and half conversion without FMA and F16C, division.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/float_formats.h"
#include "cpu/warp_program.h"

namespace ww::cpu {
namespace {

class Arithmetic : public testing::TestWithParam<HostIsa> {};

// Bits that meet the corners: any exponent, special values, close neighbours.
std::vector<uint32_t> float_bits(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const uint32_t corners[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                              0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x3f800000};
  std::vector<uint32_t> bits;
  for (size_t i = 0; i < count; ++i)
    bits.push_back(i % 5 == 0 ? corners[random() % std::size(corners)] : uint32_t(random()));
  return bits;
}

TEST_P(Arithmetic, FusedMultiplyAddIsExact) {
  WarpProgram program(kernel_text(4, R"(
  %b = call i32 @ww.ctaid.x()
  %base = mul i32 %b, 64
  %g = add i32 %base, %t
  %i = zext i32 %g to i64
  %xp = getelementptr float, ptr addrspace(1) %p0, i64 %i
  %yp = getelementptr float, ptr addrspace(1) %p1, i64 %i
  %zp = getelementptr float, ptr addrspace(1) %p2, i64 %i
  %to = getelementptr float, ptr addrspace(1) %p3, i64 %i
  %x = load float, ptr addrspace(1) %xp
  %y = load float, ptr addrspace(1) %yp
  %z = load float, ptr addrspace(1) %zp
  %r = call float @llvm.fma.f32(float %x, float %y, float %z)
  store float %r, ptr addrspace(1) %to
  ret void)",
                                  "declare float @llvm.fma.f32(float, float, float)\n"),
                      GetParam(), {64, 1, 1});
  const uint32_t blocks = 1000;
  auto x = float_bits(64 * blocks, 1), y = float_bits(64 * blocks, 2), z = float_bits(64 * blocks, 3);
  // Half of the addends nearly cancel the product, so that the rounding of the sum is hard.
  for (size_t i = 0; i < z.size(); i += 2)
    z[i] = std::bit_cast<uint32_t>(-std::bit_cast<float>(x[i]) * std::bit_cast<float>(y[i])) + uint32_t(i % 7) - 3;
  std::vector<uint32_t> out(64 * blocks);
  ASSERT_TRUE(program.run(blocks, {address_of(x), address_of(y), address_of(z), address_of(out)}).ok());
  for (size_t i = 0; i < out.size(); ++i) {
    const float expected = std::fma(std::bit_cast<float>(x[i]), std::bit_cast<float>(y[i]), std::bit_cast<float>(z[i]));
    const float got = std::bit_cast<float>(out[i]);
    ASSERT_TRUE(std::bit_cast<uint32_t>(expected) == out[i] || (std::isnan(expected) && std::isnan(got)))
        << std::hex << x[i] << " * " << y[i] << " + " << z[i] << " = " << out[i] << ", expected "
        << std::bit_cast<uint32_t>(expected);
  }
}

TEST_P(Arithmetic, HalfConversions) {
  WarpProgram program(kernel_text(4, R"(
  %b = call i32 @ww.ctaid.x()
  %base = mul i32 %b, 64
  %g = add i32 %base, %t
  %i = zext i32 %g to i64
  %hp = getelementptr half, ptr addrspace(1) %p0, i64 %i
  %wp = getelementptr float, ptr addrspace(1) %p1, i64 %i
  %fp = getelementptr float, ptr addrspace(1) %p2, i64 %i
  %np = getelementptr half, ptr addrspace(1) %p3, i64 %i
  %h = load half, ptr addrspace(1) %hp
  %w = fpext half %h to float
  store float %w, ptr addrspace(1) %wp
  %f = load float, ptr addrspace(1) %fp
  %n = fptrunc float %f to half
  store half %n, ptr addrspace(1) %np
  ret void)"),
                      GetParam(), {64, 1, 1});
  const uint32_t blocks = 1024;
  std::vector<uint16_t> halves(65536), narrow(65536);
  std::vector<uint32_t> wide(65536), floats(65536);
  std::mt19937 random(4);
  for (uint32_t i = 0; i < 65536; ++i) {
    halves[i] = uint16_t(i);
    // Near f16 numbers and the midpoints between them, and anything.
    floats[i] = i % 3 == 0 ? uint32_t(random())
                           : std::bit_cast<uint32_t>(f16_to_f32(uint16_t(random()))) + (random() % 3 - 1) +
                                 (random() % 2 ? 0x1000 : 0);
  }
  ASSERT_TRUE(program.run(blocks, {address_of(halves), address_of(wide), address_of(floats), address_of(narrow)}).ok());
  for (uint32_t i = 0; i < 65536; ++i) {
    const float value = f16_to_f32(halves[i]);
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(std::bit_cast<float>(wide[i])));
    else
      ASSERT_EQ(wide[i], std::bit_cast<uint32_t>(value)) << std::hex << i;
    if (std::isnan(std::bit_cast<float>(floats[i])))
      ASSERT_GT(narrow[i] & 0x7fff, 0x7c00);
    else
      ASSERT_EQ(narrow[i], f32_to_f16(std::bit_cast<float>(floats[i]))) << std::hex << floats[i];
  }
}

TEST_P(Arithmetic, DivisionInADivergentBranch) {
  WarpProgram program(kernel_text(3, R"(
  %b = call i32 @ww.ctaid.x()
  %base = mul i32 %b, 64
  %g = add i32 %base, %t
  %i = zext i32 %g to i64
  %xp = getelementptr i32, ptr addrspace(1) %p0, i64 %i
  %yp = getelementptr i32, ptr addrspace(1) %p1, i64 %i
  %to = getelementptr [4 x i32], ptr addrspace(1) %p2, i64 %i
  %x = load i32, ptr addrspace(1) %xp
  %y = load i32, ptr addrspace(1) %yp
  %zero = icmp eq i32 %y, 0
  br i1 %zero, label %end, label %divide
divide:
  %q = udiv i32 %x, %y
  %r = urem i32 %x, %y
  %sy = or i32 %y, 1
  %safe = and i32 %sy, 2147483647
  %sq = sdiv i32 %x, %safe
  %sr = srem i32 %x, %safe
  store i32 %q, ptr addrspace(1) %to
  %o1 = getelementptr i32, ptr addrspace(1) %to, i64 1
  %o2 = getelementptr i32, ptr addrspace(1) %to, i64 2
  %o3 = getelementptr i32, ptr addrspace(1) %to, i64 3
  store i32 %r, ptr addrspace(1) %o1
  store i32 %sq, ptr addrspace(1) %o2
  store i32 %sr, ptr addrspace(1) %o3
  br label %end
end:
  ret void)"),
                      GetParam(), {64, 1, 1});
  const uint32_t blocks = 200;
  std::mt19937 random(9);
  std::vector<uint32_t> x(64 * blocks), y(64 * blocks), out(4 * 64 * blocks, 42);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = uint32_t(random()) >> (random() % 32);
    y[i] = random() % 4 == 0 ? 0 : uint32_t(random()) >> (random() % 32);
    if (y[i] != 0 && random() % 2 == 0) x[i] = x[i] / y[i] * y[i] - random() % 2;
  }
  ASSERT_TRUE(program.run(blocks, {address_of(x), address_of(y), address_of(out)}).ok());
  for (size_t i = 0; i < x.size(); ++i) {
    if (y[i] == 0) {
      ASSERT_EQ(out[4 * i], 42u);
      continue;
    }
    const int32_t divisor = int32_t((y[i] | 1) & 0x7fffffff);
    ASSERT_EQ(out[4 * i], x[i] / y[i]) << x[i] << " / " << y[i];
    ASSERT_EQ(out[4 * i + 1], x[i] % y[i]);
    ASSERT_EQ(int32_t(out[4 * i + 2]), int32_t(x[i]) / divisor) << int32_t(x[i]) << " / " << divisor;
    ASSERT_EQ(int32_t(out[4 * i + 3]), int32_t(x[i]) % divisor);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Arithmetic, testing::ValuesIn(host_levels_here()),
                         [](const auto& info) { return std::string(host_level(info.param).name.substr(7)); });

}  // namespace
}  // namespace ww::cpu
