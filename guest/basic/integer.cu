// Integer instructions on pairs of words, special ones included: 16 results a thread.
#include "ww_guest.h"

#define OP2(name, instruction)                                  \
  WW_DEVICE u32 name(u32 a, u32 b) {                            \
    u32 d;                                                      \
    asm(instruction " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); \
    return d;                                                   \
  }
#define OP3(name, instruction)                                              \
  WW_DEVICE u32 name(u32 a, u32 b, u32 c) {                                 \
    u32 d;                                                                  \
    asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
    return d;                                                               \
  }
OP2(mul_hi_s, "mul.hi.s32")
OP2(mul24_s, "mul24.lo.s32")
OP2(add_sat, "add.sat.s32")
OP2(sub_sat, "sub.sat.s32")
OP2(shr_signed, "shr.s32")
OP2(shl_clamped, "shl.b32")
OP3(sad_u, "sad.u32")
OP3(sad_s, "sad.s32")
OP3(dot4_u, "dp4a.u32.u32")
OP3(dot4_su, "dp4a.s32.u32")
OP3(dot2_s, "dp2a.lo.s32.s32")
OP3(extract_u, "bfe.u32")
OP3(extract_s, "bfe.s32")
OP3(funnel_left, "shf.l.clamp.b32")
OP3(funnel_right, "shf.r.wrap.b32")
OP3(mad_hi, "mad.hi.u32")
OP3(permute_forward, "prmt.b32.f4e")
OP3(permute_replicate, "prmt.b32.rc8")
#undef OP2
#undef OP3

WW_DEVICE u32 insert_bits(u32 a, u32 b, u32 position, u32 length) {
  u32 d;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(position), "r"(length));
  return d;
}
template <int kTable>
WW_DEVICE u32 lop3(u32 a, u32 b, u32 c) {
  u32 d;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(kTable));
  return d;
}
WW_DEVICE u32 find_leading(u32 a) {
  u32 d;
  asm("bfind.u32 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}
WW_DEVICE u32 find_leading_signed(s32 a) {
  u32 d;
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}

// out: 16 words a pair.
WW_KERNEL void integer_bits(const u32* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u32 a = in[2 * i];
  const u32 b = in[2 * i + 1];
  u32* r = out + 16 * i;
  r[0] = ww::popcount(a);
  r[1] = ww::leading_zeros(a);
  r[2] = ww::reverse_bits(a);
  r[3] = find_leading(a);
  r[4] = find_leading_signed(s32(a));
  r[5] = ww::permute_bytes(a, b, b >> 7);
  r[6] = permute_forward(a, b, a);
  r[7] = permute_replicate(a, b, a >> 3);
  r[8] = extract_u(a, b & 255, (b >> 8) & 255);
  r[9] = extract_s(a, b & 255, (b >> 8) & 255);
  r[10] = insert_bits(a, b, (a >> 3) & 63, (b >> 5) & 63);
  r[11] = funnel_left(a, b, b & 63);
  r[12] = funnel_right(a, b, a & 63);
  r[13] = lop3<0xe8>(a, b, a ^ 0x55555555u);
  r[14] = lop3<0x2d>(a, b, ~b);
  r[15] = shl_clamped(a, b & 63) ^ shr_signed(a, b >> 26);
}

WW_KERNEL void integer_arithmetic(const u32* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u32 a = in[2 * i];
  const u32 b = in[2 * i + 1];
  u32* r = out + 16 * i;
  r[0] = ww::mul_high(a, b);
  r[1] = mul_hi_s(a, b);
  r[2] = mul24_s(a, b);
  r[3] = add_sat(a, b);
  r[4] = sub_sat(a, b);
  r[5] = sad_u(a, b, 17);
  r[6] = sad_s(a, b, 17);
  r[7] = dot4_u(a, b, a);
  r[8] = dot4_su(a, b, b);
  r[9] = dot2_s(a, b, 5);
  r[10] = mad_hi(a, b, a);
  const u32 divisor = b | 1;
  r[11] = a / divisor;
  r[12] = a % divisor;
  // The least value over -1 has no defined quotient in C++; keep away from it.
  const s32 signed_divisor = s32(b >> 1) + 1;
  r[13] = u32(s32(a) / signed_divisor);
  r[14] = u32(s32(a) % signed_divisor);
  r[15] = u32(ww::min(s32(a), s32(b))) ^ ww::max(a, b);
}

// 64-bit arithmetic and carries: 4 results a pair.
WW_KERNEL void integer_wide(const u64* in, u64* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u64 a = in[2 * i];
  const u64 b = in[2 * i + 1];
  u64 high;
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(high) : "l"(a), "l"(b));
  out[4 * i] = high + a * b;
  out[4 * i + 1] = a / (b | 1) + s64(a) % s64((b >> 1) | 1);
  // 96-bit sum through the carry flag.
  u32 s0, s1, s2;
  asm("add.cc.u32 %0, %3, %4;\n\taddc.cc.u32 %1, %5, %6;\n\taddc.u32 %2, 0, 0;"
      : "=r"(s0), "=r"(s1), "=r"(s2)
      : "r"(u32(a)), "r"(u32(b)), "r"(u32(a >> 32)), "r"(u32(b >> 32)));
  out[4 * i + 2] = (u64(s1) << 32 | s0) ^ (u64(s2) << 17);
  u32 clz, pop;
  asm("clz.b64 %0, %1;" : "=r"(clz) : "l"(a));
  asm("popc.b64 %0, %1;" : "=r"(pop) : "l"(b));
  out[4 * i + 3] = (s64(a) >> (b & 63)) ^ (a << (b >> 58)) ^ (u64(clz) << 8 | pop);
}
