// Integer instructions against the manual's own pseudo code, bit by bit.
#include <gtest/gtest.h>

#include <random>

#include "devicelib/devicelib.h"

namespace ww::devicelib {
namespace {

// Position and length: the manual takes their low 8 bits; an H200 does so for 32 bits only.
int field(u32 x, int msb) {
  return static_cast<int>(msb == 31 ? x & 0xff : std::min(x, 64u));
}
// PTX ISA, "bfe": the loop as printed there.
u64 bfe_by_bits(u64 a, u32 b, u32 c, int msb, bool is_signed) {
  const int pos = field(b, msb), len = field(c, msb);
  const bool sbit = is_signed && len != 0 && ((a >> std::min(pos + len - 1, msb)) & 1);
  u64 d = 0;
  for (int i = 0; i <= msb; ++i) d |= u64((i < len && pos + i <= msb) ? (a >> (pos + i)) & 1 : sbit) << i;
  return d;
}
// PTX ISA, "bfi".
u64 bfi_by_bits(u64 a, u64 b, u32 c, u32 d, int msb) {
  const int pos = field(c, msb), len = field(d, msb);
  u64 f = b;
  for (int i = 0; i < len && pos + i <= msb; ++i) f = (f & ~(u64{1} << (pos + i))) | ((a >> i) & 1) << (pos + i);
  return f;
}

TEST(Integer, Fields) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const u64 a = random(), b = random();
    const u32 p = i % 5 ? random() % 70 : u32(random()), n = i % 7 ? random() % 70 : u32(random());
    ASSERT_EQ(ww_bfe_u32(u32(a), p, n), u32(bfe_by_bits(u32(a), p, n, 31, false))) << p << " " << n;
    ASSERT_EQ(u32(ww_bfe_s32(s32(a), p, n)), u32(bfe_by_bits(u32(a), p, n, 31, true))) << p << " " << n;
    ASSERT_EQ(ww_bfe_u64(a, p, n), bfe_by_bits(a, p, n, 63, false)) << p << " " << n;
    ASSERT_EQ(u64(ww_bfe_s64(s64(a), p, n)), bfe_by_bits(a, p, n, 63, true)) << p << " " << n;
    ASSERT_EQ(ww_bfi_b32(u32(a), u32(b), p, n), u32(bfi_by_bits(u32(a), u32(b), p, n, 31)));
    ASSERT_EQ(ww_bfi_b64(a, b, p, n), bfi_by_bits(a, b, p, n, 63));
  }
}

TEST(Integer, Counting) {
  EXPECT_EQ(ww_clz_b32(0), 32u);
  EXPECT_EQ(ww_clz_b64(1), 63u);
  EXPECT_EQ(ww_popc_b32(0xf0f0f0f1u), 17u);
  EXPECT_EQ(ww_popc_b64(~u64{0}), 64u);
  EXPECT_EQ(ww_brev_b32(0x80000001u), 0x80000001u);
  EXPECT_EQ(ww_brev_b32(0x00000006u), 0x60000000u);
  EXPECT_EQ(ww_bfind_u32(0x00010000u), 16u);
  EXPECT_EQ(ww_bfind_shiftamt_u32(0x00010000u), 15u);
  EXPECT_EQ(ww_bfind_s32(-2), 0u);
  EXPECT_EQ(ww_bfind_s32(-1), 0xffffffffu);
  EXPECT_EQ(ww_bfind_u64(u64{1} << 40), 40u);
  EXPECT_EQ(ww_fns_b32(0xaaaaaaaau, 3, 1), 3u);
  EXPECT_EQ(ww_fns_b32(0xaaaaaaaau, 3, -1), 3u);
  EXPECT_EQ(ww_fns_b32(0xaaaaaaaau, 3, 2), 5u);
  EXPECT_EQ(ww_fns_b32(0xaaaaaaaau, 3, -2), 1u);
  EXPECT_EQ(ww_fns_b32(0xaaaaaaaau, 3, 0), 3u);
  EXPECT_EQ(ww_fns_b32(0xaaaaaaaau, 2, 0), 0xffffffffu);
  EXPECT_EQ(ww_szext_wrap_s32(0x000000ff, 8), -1);
  EXPECT_EQ(ww_szext_clamp_u32(0xffffffffu, 40), 0xffffffffu);
  EXPECT_EQ(ww_bmsk_clamp_b32(4, 8), 0xff0u);
  EXPECT_EQ(ww_bmsk_wrap_b32(36, 8), 0xff0u);
  EXPECT_EQ(ww_bmsk_clamp_b32(36, 8), 0u);
}

TEST(Integer, Multiplication) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const u64 a = random(), b = random();
    // 64-bit high halves by 32-bit schoolbook multiplication.
    const u64 al = u32(a), ah = a >> 32, bl = u32(b), bh = b >> 32;
    const u64 mid = ah * bl + (al * bl >> 32);
    const u64 high = ah * bh + (mid >> 32) + ((al * bh + u32(mid)) >> 32);
    ASSERT_EQ(ww_mul_hi_u64(a, b), high);
    ASSERT_EQ(u64(ww_mul_hi_s64(s64(a), s64(b))), high - (s64(a) < 0 ? b : 0) - (s64(b) < 0 ? a : 0));
  }
  EXPECT_EQ(ww_mul_hi_s32(-1, 1), -1);
  EXPECT_EQ(ww_mul_hi_s16(-32768, 2), -1);
  EXPECT_EQ(ww_mul24_lo_u32(0xff000003u, 5), 15u);
  EXPECT_EQ(ww_mul24_hi_u32(0x00ffffffu, 0x00ffffffu), 0xfffffe00u);
  EXPECT_EQ(ww_mul24_lo_s32(0x00ffffff, 7), -7);
  EXPECT_EQ(ww_mad_hi_sat_s32(0x7fffffff, 0x7fffffff, 0x7fffffff), 0x7fffffff);
  EXPECT_EQ(ww_sad_s32(-5, 7, 100), 112);
  EXPECT_EQ(ww_sad_u32(5, 7, 1), 3u);
  EXPECT_EQ(ww_add_sat_s32(0x7fffffff, 1), 0x7fffffff);
  EXPECT_EQ(ww_sub_sat_s32(-0x7fffffff - 1, 1), -0x7fffffff - 1);
  EXPECT_EQ(ww_div_s32(-0x7fffffff - 1, -1), -0x7fffffff - 1);
  EXPECT_EQ(ww_rem_s32(-7, 3), -1);
  EXPECT_EQ(ww_div_u32(7, 0), 0xffffffffu);
}

TEST(Integer, ShiftsAndBytes) {
  EXPECT_EQ(ww_shl_b32(1, 32), 0u);
  EXPECT_EQ(ww_shl_b64(1, 63), u64{1} << 63);
  EXPECT_EQ(ww_shr_s32(-8, 100), -1);
  EXPECT_EQ(ww_shr_u16(0x8000, 15), 1);
  EXPECT_EQ(ww_shf_l_wrap_b32(0x80000000u, 0x00000001u, 33), 3u);
  EXPECT_EQ(ww_shf_l_clamp_b32(0x12345678u, 0x9abcdef0u, 40), 0x12345678u);
  EXPECT_EQ(ww_shf_r_clamp_b32(0x12345678u, 0x9abcdef0u, 40), 0x9abcdef0u);
  EXPECT_EQ(ww_shf_r_wrap_b32(0x12345678u, 0x9abcdef0u, 36), 0x01234567u);
  const u32 a = 0x33221180u, b = 0x77665544u;
  EXPECT_EQ(ww_prmt_b32(a, b, 0x7531), 0x77553311u);
  EXPECT_EQ(ww_prmt_b32(a, b, 0x8888), 0xffffffffu);  // sign of byte 0
  EXPECT_EQ(ww_prmt_f4e_b32(a, b, 1), 0x44332211u);
  EXPECT_EQ(ww_prmt_b4e_b32(a, b, 1), 0x66778011u);
  EXPECT_EQ(ww_prmt_rc8_b32(a, b, 2), 0x22222222u);
  EXPECT_EQ(ww_prmt_ecl_b32(a, b, 1), 0x33221111u);
  EXPECT_EQ(ww_prmt_ecr_b32(a, b, 2), 0x22221180u);
  EXPECT_EQ(ww_prmt_rc16_b32(a, b, 1), 0x33223322u);
  std::mt19937 random(3);
  for (int table = 0; table < 256; ++table) {
    const u32 x = random(), y = random(), z = random();
    u32 want = 0;
    for (int i = 0; i < 32; ++i)
      want |= u32((table >> (4 * ((x >> i) & 1) + 2 * ((y >> i) & 1) + ((z >> i) & 1))) & 1) << i;
    ASSERT_EQ(ww_lop3_b32(x, y, z, table), want);
  }
}

TEST(Integer, DotProductsAndCarries) {
  EXPECT_EQ(ww_dp4a_s32_s32(0xff01fe02u, 0x01020304u, 10), 10 - 1 + 2 - 6 + 8);
  EXPECT_EQ(ww_dp4a_u32_u32(0xff01fe02u, 0x01020304u, 10), 10u + 255 + 2 + 762 + 8);
  EXPECT_EQ(ww_dp4a_u32_s32(0x000000ffu, 0x000000ffu, 0), -255);
  EXPECT_EQ(ww_dp2a_lo_s32_s32(0xffff0002u, 0x04030201u, 0), 2 - 2);
  EXPECT_EQ(ww_dp2a_hi_u32_u32(0x00010002u, 0x04030201u, 5), 5u + 6 + 4);
  EXPECT_TRUE(ww_carry_u32(0xffffffffu, 0, true));
  EXPECT_FALSE(ww_carry_u32(0xfffffffeu, 0, true));
  EXPECT_TRUE(ww_carry_u64(~u64{0}, 0, true));
  EXPECT_TRUE(ww_borrow_u32(0, 0, true));
  EXPECT_FALSE(ww_borrow_u64(1, 1, false));
}

}  // namespace
}  // namespace ww::devicelib
