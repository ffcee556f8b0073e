// The direct conversions of float_formats.h against the general one, and the values that IEEE 754 gives them.
#include "base/float_formats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace ww {
namespace {

// 2^(e-15) * (1 + f / 1024), of subnormals 2^-14 * f / 1024 (IEEE 754-2019, 3.4).
double value_of_f16(uint32_t bits) {
  const uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, int(exponent) - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(FloatFormats, EveryF16BecomesItsValueAsF32) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const uint32_t got = std::bit_cast<uint32_t>(f16_to_f32(uint16_t(bits)));
    EXPECT_EQ(got, convert_format(kFormatF32, kFormatF16, bits)) << std::hex << bits;
    if ((bits & 0x7c00) == 0x7c00) continue;
    EXPECT_EQ(got, std::bit_cast<uint32_t>(float(value_of_f16(bits)))) << std::hex << bits;
  }
  EXPECT_EQ(std::bit_cast<uint32_t>(f16_to_f32(0x7c00)), 0x7f800000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(f16_to_f32(0xfc00)), 0xff800000u);
  for (const uint16_t nan : {0x7c01, 0x7e00, 0xfc01, 0xffff})
    EXPECT_EQ(std::bit_cast<uint32_t>(f16_to_f32(nan)), 0x7fffffffu) << nan;
}

}  // namespace
}  // namespace ww
