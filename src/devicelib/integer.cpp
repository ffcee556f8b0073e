// Integer instructions that a target may not have as one operation. (PTX ISA, "Integer Arithmetic Instructions",
// "Logic and Shift Instructions".)
#include "devicelib/devicelib.h"

namespace ww::devicelib {
namespace {

__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

s32 clamp_s32(s64 x) {
  return x > 0x7fffffff ? 0x7fffffff : x < -0x7fffffff - 1 ? -0x7fffffff - 1 : s32(x);
}
s32 low_24(s32 x) {
  return s32(u32(x) << 8) >> 8;
}
u32 low_24(u32 x) {
  return x & 0xffffffu;
}

template <class T>
T distance(T a, T b) {
  return a > b ? T(u64(a) - u64(b)) : T(u64(b) - u64(a));
}

// Shifts that give 0 (or the sign) from the width on.
template <class T>
T left(T a, u32 n) {
  return n < sizeof(T) * 8 ? T(u64(a) << (n & 63)) : T(0);
}
template <class T>
T right(T a, u32 n) {
  const u32 most = sizeof(T) * 8 - 1;
  if constexpr (T(-1) < T(0)) return T(a >> (n > most ? most : n));
  return n > most ? T(0) : T(a >> n);
}

// Fields: position and length are the low 8 bits of their operands for 32 bits, and their operands for 64 (an H200's).
template <class U>
u32 field_operand(u32 x) {
  return sizeof(U) == 4 ? x & 0xff : x < 64 ? x : 64;
}
template <class U, class S, bool kSigned>
U extract(U a, u32 b, u32 c) {
  const u32 width = sizeof(U) * 8, position = field_operand<U>(b), length = field_operand<U>(c);
  const u32 last = position + length - 1 > width - 1 ? width - 1 : position + length - 1;
  const bool sign = kSigned && length != 0 && ((a >> last) & 1) != 0;
  const U moved = position < width ? U(a >> (position & (width - 1))) : U(0);
  // Bits that exist from `position` on: at most `length`, at most up to the top.
  const u32 room = position < width ? width - position : 0;
  const u32 bits = length < room ? length : room;
  const U mask = bits >= width ? ~U(0) : U((U(1) << (bits & (width - 1))) - 1);
  return (moved & mask) | (sign ? U(~mask) : U(0));
}
template <class U>
U insert(U a, U b, u32 c, u32 d) {
  const u32 width = sizeof(U) * 8, position = field_operand<U>(c), length = field_operand<U>(d);
  const U mask = length >= width ? ~U(0) : U((U(1) << (length & (width - 1))) - 1);
  const U placed = position < width ? U(mask << (position & (width - 1))) : U(0);
  const U value = position < width ? U(a << (position & (width - 1))) : U(0);
  return (value & placed) | (b & ~placed);
}

u32 find_leading(u64 a, u32 width, bool shift_amount) {
  const u32 position = 63 - u32(__builtin_clzll(a | 1));
  return a == 0 ? 0xffffffffu : shift_amount ? width - 1 - position : position;
}
u64 without_sign(s64 a) {
  return u64(a < 0 ? ~a : a);
}

u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64(a) | u64(b) << 32;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 pick = (selector >> (4 * i)) & 0xf;
    const u32 byte = u32(bytes >> (8 * (pick & 7))) & 0xff;
    const u32 replicated = (byte & 0x80) != 0 ? 0xffu : 0u;
    result |= ((pick & 8) != 0 ? replicated : byte) << (8 * i);
  }
  return result;
}
// The four selectors of a prmt mode, 16 bits each.
constexpr u64 selectors(u64 s0, u64 s1, u64 s2, u64 s3) {
  return s0 | s1 << 16 | s2 << 32 | s3 << 48;
}
u32 permute_mode(u32 a, u32 b, u32 c, u64 table) {
  return permute(a, b, u32(table >> (16 * (c & 3))) & 0xffff);
}

template <bool kSigned>
s64 byte_of(u32 x, u32 i) {
  return kSigned ? s64(s8(x >> (8 * i))) : s64(u8(x >> (8 * i)));
}
template <bool kSigned>
s64 half_of(u32 x, u32 i) {
  return kSigned ? s64(s16(x >> (16 * i))) : s64(u16(x >> (16 * i)));
}
template <bool kA, bool kB>
u32 dot4(u32 a, u32 b, u32 c) {
  s64 sum = c;
  for (u32 i = 0; i < 4; ++i) sum += byte_of<kA>(a, i) * byte_of<kB>(b, i);
  return u32(sum);
}
template <bool kA, bool kB>
u32 dot2(u32 a, u32 b, u32 c, u32 first) {
  s64 sum = c;
  for (u32 i = 0; i < 2; ++i) sum += half_of<kA>(a, i) * byte_of<kB>(b, first + i);
  return u32(sum);
}

// a and b clamped to kWidth bits, a above b; c shifted up above both where there is room.
template <u32 kWidth, bool kSigned>
u32 pack(s32 a, s32 b, u32 c) {
  const s32 least = kSigned ? -(1 << (kWidth - 1)) : 0, most = (1 << (kSigned ? kWidth - 1 : kWidth)) - 1;
  const u32 mask = (1u << kWidth) - 1;
  const u32 high = u32(a < least ? least : a > most ? most : a) & mask;
  const u32 low = u32(b < least ? least : b > most ? most : b) & mask;
  return (kWidth < 16 ? c << (2 * kWidth % 32) : 0) | high << kWidth | low;
}

}  // namespace

extern "C" {

s16 ww_mul_hi_s16(s16 a, s16 b) {
  return s16((s32(a) * s32(b)) >> 16);
}
u16 ww_mul_hi_u16(u16 a, u16 b) {
  return u16((u32(a) * u32(b)) >> 16);
}
s32 ww_mul_hi_s32(s32 a, s32 b) {
  return s32((s64(a) * s64(b)) >> 32);
}
u32 ww_mul_hi_u32(u32 a, u32 b) {
  return u32((u64(a) * u64(b)) >> 32);
}
s64 ww_mul_hi_s64(s64 a, s64 b) {
  return s64((s128(a) * s128(b)) >> 64);
}
u64 ww_mul_hi_u64(u64 a, u64 b) {
  return u64((u128(a) * u128(b)) >> 64);
}
// The 48-bit product: .lo its lower 32 bits, .hi its upper 32 bits.
s32 ww_mul24_lo_s32(s32 a, s32 b) {
  return s32(s64(low_24(a)) * low_24(b));
}
u32 ww_mul24_lo_u32(u32 a, u32 b) {
  return u32(u64(low_24(a)) * low_24(b));
}
s32 ww_mul24_hi_s32(s32 a, s32 b) {
  return s32((s64(low_24(a)) * low_24(b)) >> 16);
}
u32 ww_mul24_hi_u32(u32 a, u32 b) {
  return u32((u64(low_24(a)) * low_24(b)) >> 16);
}
s32 ww_mad24_lo_s32(s32 a, s32 b, s32 c) {
  return s32(u32(ww_mul24_lo_s32(a, b)) + u32(c));
}
u32 ww_mad24_lo_u32(u32 a, u32 b, u32 c) {
  return ww_mul24_lo_u32(a, b) + c;
}
s32 ww_mad24_hi_s32(s32 a, s32 b, s32 c) {
  return s32(u32(ww_mul24_hi_s32(a, b)) + u32(c));
}
u32 ww_mad24_hi_u32(u32 a, u32 b, u32 c) {
  return ww_mul24_hi_u32(a, b) + c;
}
s32 ww_mad24_hi_sat_s32(s32 a, s32 b, s32 c) {
  return clamp_s32(s64(ww_mul24_hi_s32(a, b)) + c);
}
s32 ww_mad_hi_sat_s32(s32 a, s32 b, s32 c) {
  return clamp_s32(s64(ww_mul_hi_s32(a, b)) + c);
}
s32 ww_add_sat_s32(s32 a, s32 b) {
  return clamp_s32(s64(a) + b);
}
s32 ww_sub_sat_s32(s32 a, s32 b) {
  return clamp_s32(s64(a) - b);
}

#define WW_SAD(type, wide)                           \
  type ww_sad_##type(type a, type b, type c) {       \
    return type(u64(c) + u64(distance<type>(a, b))); \
  }
WW_SAD(s16, s32)
WW_SAD(u16, u32)
WW_SAD(s32, s64)
WW_SAD(u32, u64)
WW_SAD(s64, s64)
WW_SAD(u64, u64)
#define WW_DIVIDE_UNSIGNED(type)                                       \
  type ww_div_##type(type a, type b) {                                 \
    return b == 0 ? type(~type(0)) : type(a / (b == 0 ? type(1) : b)); \
  }                                                                    \
  type ww_rem_##type(type a, type b) {                                 \
    return b == 0 ? type(~type(0)) : type(a % (b == 0 ? type(1) : b)); \
  }
// Division by -1 is negation, which wraps for the least value; the divisor 1 keeps the host from trapping.
#define WW_DIVIDE_SIGNED(type, unsigned_type)                                                        \
  type ww_div_##type(type a, type b) {                                                               \
    const bool special = b == 0 || b == type(-1);                                                    \
    const type quotient = type(a / (special ? type(1) : b));                                         \
    return b == 0 ? type(-1) : b == type(-1) ? type(unsigned_type(0) - unsigned_type(a)) : quotient; \
  }                                                                                                  \
  type ww_rem_##type(type a, type b) {                                                               \
    const bool special = b == 0 || b == type(-1);                                                    \
    const type remainder = type(a % (special ? type(1) : b));                                        \
    return b == 0 ? type(-1) : remainder;                                                            \
  }
// clang-format off: it takes the expansions for declarations
WW_DIVIDE_UNSIGNED(u16)
WW_DIVIDE_UNSIGNED(u32)
WW_DIVIDE_UNSIGNED(u64)
WW_DIVIDE_SIGNED(s16, u16)
WW_DIVIDE_SIGNED(s32, u32)
WW_DIVIDE_SIGNED(s64, u64)
// clang-format on

u16 ww_shl_b16(u16 a, u32 n) {
  return left<u16>(a, n);
}
u32 ww_shl_b32(u32 a, u32 n) {
  return left<u32>(a, n);
}
u64 ww_shl_b64(u64 a, u32 n) {
  return left<u64>(a, n);
}
u16 ww_shr_u16(u16 a, u32 n) {
  return right<u16>(a, n);
}
u32 ww_shr_u32(u32 a, u32 n) {
  return right<u32>(a, n);
}
u64 ww_shr_u64(u64 a, u32 n) {
  return right<u64>(a, n);
}
s16 ww_shr_s16(s16 a, u32 n) {
  return right<s16>(a, n);
}
s32 ww_shr_s32(s32 a, u32 n) {
  return right<s32>(a, n);
}
s64 ww_shr_s64(s64 a, u32 n) {
  return right<s64>(a, n);
}
// Funnel shifts of {b, a}, b above.
u32 ww_shf_l_clamp_b32(u32 a, u32 b, u32 n) {
  return u32(((u64(b) << 32 | a) << (n > 32 ? 32 : n)) >> 32);
}
u32 ww_shf_l_wrap_b32(u32 a, u32 b, u32 n) {
  return u32(((u64(b) << 32 | a) << (n & 31)) >> 32);
}
u32 ww_shf_r_clamp_b32(u32 a, u32 b, u32 n) {
  return u32((u64(b) << 32 | a) >> (n > 32 ? 32 : n));
}
u32 ww_shf_r_wrap_b32(u32 a, u32 b, u32 n) {
  return u32((u64(b) << 32 | a) >> (n & 31));
}

s32 ww_bfe_s32(s32 a, u32 b, u32 c) {
  return s32(extract<u32, s32, true>(u32(a), b, c));
}
u32 ww_bfe_u32(u32 a, u32 b, u32 c) {
  return extract<u32, s32, false>(a, b, c);
}
s64 ww_bfe_s64(s64 a, u32 b, u32 c) {
  return s64(extract<u64, s64, true>(u64(a), b, c));
}
u64 ww_bfe_u64(u64 a, u32 b, u32 c) {
  return extract<u64, s64, false>(a, b, c);
}
u32 ww_bfi_b32(u32 a, u32 b, u32 c, u32 d) {
  return insert<u32>(a, b, c, d);
}
u64 ww_bfi_b64(u64 a, u64 b, u32 c, u32 d) {
  return insert<u64>(a, b, c, d);
}
u32 ww_bfind_s32(s32 a) {
  return find_leading(without_sign(a), 32, false);
}
u32 ww_bfind_u32(u32 a) {
  return find_leading(a, 32, false);
}
u32 ww_bfind_s64(s64 a) {
  return find_leading(without_sign(a), 64, false);
}
u32 ww_bfind_u64(u64 a) {
  return find_leading(a, 64, false);
}
u32 ww_bfind_shiftamt_s32(s32 a) {
  return find_leading(without_sign(a), 32, true);
}
u32 ww_bfind_shiftamt_u32(u32 a) {
  return find_leading(a, 32, true);
}
u32 ww_bfind_shiftamt_s64(s64 a) {
  return find_leading(without_sign(a), 64, true);
}
u32 ww_bfind_shiftamt_u64(u64 a) {
  return find_leading(a, 64, true);
}

u64 ww_brev_b64(u64 a) {
  a = ((a >> 1) & 0x5555555555555555u) | (a & 0x5555555555555555u) << 1;
  a = ((a >> 2) & 0x3333333333333333u) | (a & 0x3333333333333333u) << 2;
  a = ((a >> 4) & 0x0f0f0f0f0f0f0f0fu) | (a & 0x0f0f0f0f0f0f0f0fu) << 4;
  return __builtin_bswap64(a);
}
u32 ww_brev_b32(u32 a) {
  return u32(ww_brev_b64(a) >> 32);
}
u32 ww_clz_b32(u32 a) {
  return a == 0 ? 32 : u32(__builtin_clz(a | 1));
}
u32 ww_clz_b64(u64 a) {
  return a == 0 ? 64 : u32(__builtin_clzll(a | 1));
}
// Bits counted in parallel: the host's builtin may be a library call.
u32 ww_popc_b64(u64 a) {
  a = a - ((a >> 1) & 0x5555555555555555u);
  a = (a & 0x3333333333333333u) + ((a >> 2) & 0x3333333333333333u);
  a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return u32((a * 0x0101010101010101u) >> 56);
}
u32 ww_popc_b32(u32 a) {
  return ww_popc_b64(a);
}

// No bit is found from a base outside the mask, and the least offset gives 0, whatever the mask (seen on an H200).
u32 ww_fns_b32(u32 mask, u32 base, s32 offset) {
  u32 found = 0xffffffffu;
  if (offset == 0) return base < 32 && ((mask >> (base & 31)) & 1) != 0 ? base : found;
  const s32 step = offset > 0 ? 1 : -1;
  u32 remaining = offset > 0 ? u32(offset) : 0u - u32(offset);
  s32 position = s32(base < 32 ? base : 64);
  for (u32 i = 0; i < 32; ++i) {
    const bool set = position >= 0 && position < 32 && ((mask >> (position & 31)) & 1) != 0;
    remaining -= set ? 1 : 0;
    found = set && remaining == 0 ? u32(position) : found;
    position += step;
  }
  return u32(offset) == 0x80000000u ? 0 : found;
}

u32 ww_szext_clamp_u32(u32 a, u32 b) {
  return b >= 32 ? a : a & ((1u << b) - 1);
}
u32 ww_szext_wrap_u32(u32 a, u32 b) {
  return ww_szext_clamp_u32(a, b & 31);
}
s32 ww_szext_clamp_s32(s32 a, u32 b) {
  return b >= 32 ? a : b == 0 ? 0 : s32(u32(a) << ((32 - b) & 31)) >> ((32 - b) & 31);
}
s32 ww_szext_wrap_s32(s32 a, u32 b) {
  return ww_szext_clamp_s32(a, b & 31);
}
u32 ww_bmsk_clamp_b32(u32 a, u32 b) {
  const u32 mask = b >= 32 ? 0xffffffffu : (1u << b) - 1;
  return a >= 32 ? 0 : mask << a;
}
u32 ww_bmsk_wrap_b32(u32 a, u32 b) {
  return ((1u << (b & 31)) - 1) << (a & 31);
}

u32 ww_prmt_b32(u32 a, u32 b, u32 c) {
  return permute(a, b, c);
}
u32 ww_prmt_f4e_b32(u32 a, u32 b, u32 c) {
  return permute_mode(a, b, c, selectors(0x3210, 0x4321, 0x5432, 0x6543));
}
u32 ww_prmt_b4e_b32(u32 a, u32 b, u32 c) {
  return permute_mode(a, b, c, selectors(0x5670, 0x6701, 0x7012, 0x0123));
}
u32 ww_prmt_rc8_b32(u32 a, u32 b, u32 c) {
  return permute_mode(a, b, c, selectors(0x0000, 0x1111, 0x2222, 0x3333));
}
u32 ww_prmt_ecl_b32(u32 a, u32 b, u32 c) {
  return permute_mode(a, b, c, selectors(0x3210, 0x3211, 0x3222, 0x3333));
}
u32 ww_prmt_ecr_b32(u32 a, u32 b, u32 c) {
  return permute_mode(a, b, c, selectors(0x0000, 0x1110, 0x2210, 0x3210));
}
u32 ww_prmt_rc16_b32(u32 a, u32 b, u32 c) {
  return permute_mode(a, b, c, selectors(0x1010, 0x3232, 0x1010, 0x3232));
}

// The bit of `table` that the bits of a, b, c number: a has weight 4, b 2, c 1.
u32 ww_lop3_b32(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (u32 i = 0; i < 8; ++i) {
    const u32 term = ((i & 4) ? a : ~a) & ((i & 2) ? b : ~b) & ((i & 1) ? c : ~c);
    result |= ((table >> i) & 1) != 0 ? term : 0;
  }
  return result;
}

s32 ww_dp4a_s32_s32(u32 a, u32 b, s32 c) {
  return s32(dot4<true, true>(a, b, u32(c)));
}
u32 ww_dp4a_u32_u32(u32 a, u32 b, u32 c) {
  return dot4<false, false>(a, b, c);
}
s32 ww_dp4a_s32_u32(u32 a, u32 b, s32 c) {
  return s32(dot4<true, false>(a, b, u32(c)));
}
s32 ww_dp4a_u32_s32(u32 a, u32 b, s32 c) {
  return s32(dot4<false, true>(a, b, u32(c)));
}
#define WW_DP2A(half, first)                            \
  s32 ww_dp2a_##half##_s32_s32(u32 a, u32 b, s32 c) {   \
    return s32(dot2<true, true>(a, b, u32(c), first));  \
  }                                                     \
  u32 ww_dp2a_##half##_u32_u32(u32 a, u32 b, u32 c) {   \
    return dot2<false, false>(a, b, c, first);          \
  }                                                     \
  s32 ww_dp2a_##half##_s32_u32(u32 a, u32 b, s32 c) {   \
    return s32(dot2<true, false>(a, b, u32(c), first)); \
  }                                                     \
  s32 ww_dp2a_##half##_u32_s32(u32 a, u32 b, s32 c) {   \
    return s32(dot2<false, true>(a, b, u32(c), first)); \
  }
WW_DP2A(lo, 0)
WW_DP2A(hi, 2)

bool ww_carry_u32(u32 a, u32 b, bool carry) {
  return (u64(a) + b + carry) >> 32 != 0;
}
bool ww_carry_u64(u64 a, u64 b, bool carry) {
  const u64 sum = a + b;
  return sum < a || (carry && sum + 1 == 0);
}
bool ww_borrow_u32(u32 a, u32 b, bool borrow) {
  return u64(a) < u64(b) + borrow;
}
bool ww_borrow_u64(u64 a, u64 b, bool borrow) {
  return a < b || (borrow && a == b);
}

u32 ww_cvt_pack_sat_u16_s32(s32 a, s32 b) {
  return pack<16, false>(a, b, 0);
}
u32 ww_cvt_pack_sat_s16_s32(s32 a, s32 b) {
  return pack<16, true>(a, b, 0);
}
#define WW_PACK(name, width, is_signed)                       \
  u32 ww_cvt_pack_sat_##name##_s32_b32(s32 a, s32 b, u32 c) { \
    return pack<width, is_signed>(a, b, c);                   \
  }
WW_PACK(u8, 8, false)
WW_PACK(s8, 8, true)
WW_PACK(u4, 4, false)
WW_PACK(s4, 4, true)
WW_PACK(u2, 2, false)
WW_PACK(s2, 2, true)

}  // extern "C"
}  // namespace ww::devicelib
