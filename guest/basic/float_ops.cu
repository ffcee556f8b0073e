// IEEE operations with every rounding mode, .ftz and special operands: NaN payloads are part of the answer.
#include "ww_guest.h"

#define OP2(name, instruction)                                  \
  WW_DEVICE float name(float a, float b) {                      \
    float d;                                                    \
    asm(instruction " %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); \
    return d;                                                   \
  }
#define OP1(name, instruction)                      \
  WW_DEVICE float name(float a) {                   \
    float d;                                        \
    asm(instruction " %0, %1;" : "=f"(d) : "f"(a)); \
    return d;                                       \
  }
OP2(add_rn, "add.rn.f32")
OP2(add_rz, "add.rz.f32")
OP2(add_rm, "add.rm.f32")
OP2(add_rp, "add.rp.f32")
OP2(add_ftz, "add.rn.ftz.f32")
OP2(add_sat, "add.sat.f32")
OP2(mul_rz, "mul.rz.f32")
OP2(mul_rm, "mul.rm.f32")
OP2(mul_rp, "mul.rp.f32")
OP2(mul_ftz, "mul.rn.ftz.f32")
OP2(sub_rn, "sub.rn.f32")
OP2(div_rn, "div.rn.f32")
OP2(div_rz, "div.rz.f32")
OP2(div_rm, "div.rm.f32")
OP2(div_rp, "div.rp.f32")
OP2(div_ftz, "div.rn.ftz.f32")
OP2(min_plain, "min.f32")
OP2(max_plain, "max.f32")
OP2(min_nan, "min.NaN.f32")
OP2(max_nan, "max.NaN.f32")
OP2(min_ftz, "min.ftz.f32")
OP2(copy_sign, "copysign.f32")
OP1(sqrt_rn, "sqrt.rn.f32")
OP1(sqrt_rz, "sqrt.rz.f32")
OP1(sqrt_rm, "sqrt.rm.f32")
OP1(sqrt_rp, "sqrt.rp.f32")
OP1(rcp_rn, "rcp.rn.f32")
OP1(rcp_rz, "rcp.rz.f32")
OP1(rcp_rp, "rcp.rp.f32")
OP1(neg_ftz, "neg.ftz.f32")
OP1(abs_ftz, "abs.ftz.f32")
#undef OP1
#undef OP2

#define FMA(name, instruction)                                              \
  WW_DEVICE float name(float a, float b, float c) {                         \
    float d;                                                                \
    asm(instruction " %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c)); \
    return d;                                                               \
  }
FMA(fma_rn, "fma.rn.f32")
FMA(fma_rz, "fma.rz.f32")
FMA(fma_rm, "fma.rm.f32")
FMA(fma_rp, "fma.rp.f32")
FMA(fma_ftz, "fma.rn.ftz.f32")
FMA(fma_sat, "fma.rn.sat.f32")
#undef FMA

// out: 16 values a pair (a, b).
WW_KERNEL void float_add_mul(const float* in, float* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = in[2 * i];
  const float b = in[2 * i + 1];
  float* r = out + 16 * i;
  r[0] = add_rn(a, b);
  r[1] = add_rz(a, b);
  r[2] = add_rm(a, b);
  r[3] = add_rp(a, b);
  r[4] = add_ftz(a, b);
  r[5] = add_sat(a, b);
  r[6] = a * b;
  r[7] = mul_rz(a, b);
  r[8] = mul_rm(a, b);
  r[9] = mul_rp(a, b);
  r[10] = mul_ftz(a, b);
  r[11] = sub_rn(a, b);
  r[12] = fma_rn(a, b, a);
  r[13] = fma_rz(a, b, b) + fma_rm(a, b, 0.0f);
  r[14] = fma_rp(a, b, -1.0f);
  r[15] = fma_ftz(a, b, a) - fma_sat(a, b, b);
}

WW_KERNEL void float_div_sqrt(const float* in, float* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = in[2 * i];
  const float b = in[2 * i + 1];
  float* r = out + 16 * i;
  r[0] = div_rn(a, b);
  r[1] = div_rz(a, b);
  r[2] = div_rm(a, b);
  r[3] = div_rp(a, b);
  r[4] = div_ftz(a, b);
  r[5] = sqrt_rn(a);
  r[6] = sqrt_rz(a);
  r[7] = sqrt_rm(a);
  r[8] = sqrt_rp(ww::abs(b));
  r[9] = rcp_rn(a);
  r[10] = rcp_rz(a);
  r[11] = rcp_rp(b);
  r[12] = neg_ftz(a);
  r[13] = abs_ftz(b);
  r[14] = copy_sign(a, b);
  r[15] = ww::floor(a) + ww::ceil(b) * ww::trunc(a) - ww::round_even(b);
}

WW_KERNEL void float_compare(const float* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = in[2 * i];
  const float b = in[2 * i + 1];
  u32* r = out + 8 * i;
  r[0] = ww::bits<u32>(min_plain(a, b));
  r[1] = ww::bits<u32>(max_plain(a, b));
  r[2] = ww::bits<u32>(min_nan(a, b));
  r[3] = ww::bits<u32>(max_nan(a, b));
  r[4] = ww::bits<u32>(min_ftz(a, b));
  u32 flags = 0;
#define COMPARE(bit, condition)                                                \
  {                                                                            \
    u32 set;                                                                   \
    asm("set." condition ".u32.f32 %0, %1, %2;" : "=r"(set) : "f"(a), "f"(b)); \
    flags |= set & (1u << bit);                                                \
  }
  COMPARE(0, "eq")
  COMPARE(1, "ne")
  COMPARE(2, "lt")
  COMPARE(3, "le")
  COMPARE(4, "gt")
  COMPARE(5, "ge")
  COMPARE(6, "equ")
  COMPARE(7, "neu")
  COMPARE(8, "ltu")
  COMPARE(9, "leu")
  COMPARE(10, "gtu")
  COMPARE(11, "geu")
  COMPARE(12, "num")
  COMPARE(13, "nan")
  COMPARE(14, "lt.ftz")
#undef COMPARE
  r[5] = flags;
  u32 kinds = 0;
#define TEST(bit, kind)                                                                                        \
  {                                                                                                            \
    u32 set;                                                                                                   \
    asm("{\n\t.reg .pred p;\n\ttestp." kind ".f32 p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(set) : "f"(a)); \
    kinds |= set << bit;                                                                                       \
  }
  TEST(0, "finite")
  TEST(1, "infinite")
  TEST(2, "number")
  TEST(3, "notanumber")
  TEST(4, "normal")
  TEST(5, "subnormal")
#undef TEST
  r[6] = kinds;
  r[7] = ww::bits<u32>(a < b ? a : b);
}

// f64: 6 results a pair.
WW_KERNEL void double_ops(const double* in, double* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double a = in[2 * i];
  const double b = in[2 * i + 1];
  double* r = out + 6 * i;
  r[0] = a + b;
  r[1] = a * b;
  r[2] = ww::fma(a, b, a);
  r[3] = a / b;
  r[4] = __builtin_sqrt(a);
  r[5] = __builtin_fmin(a, b) - __builtin_fmax(a, b);
}

#define HALF2(name, instruction)                                \
  WW_DEVICE u32 name(u32 a, u32 b) {                            \
    u32 d;                                                      \
    asm(instruction " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); \
    return d;                                                   \
  }
HALF2(half_add, "add.rn.f16x2")
HALF2(half_mul, "mul.rn.f16x2")
HALF2(half_sub_sat, "sub.rn.sat.f16x2")
HALF2(half_mul_ftz, "mul.rn.ftz.f16x2")
HALF2(half_min, "min.f16x2")
HALF2(half_max_nan, "max.NaN.f16x2")
#undef HALF2

// f16 pairs: 8 words a pair of words.
WW_KERNEL void half_ops(const u32* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u32 a = in[2 * i];
  const u32 b = in[2 * i + 1];
  u32* r = out + 8 * i;
  r[0] = half_add(a, b);
  r[1] = half_mul(a, b);
  r[2] = half_sub_sat(a, b);
  r[3] = half_mul_ftz(a, b);
  r[4] = half_min(a, b);
  r[5] = half_max_nan(a, b);
  asm("fma.rn.f16x2 %0, %1, %2, %1;" : "=r"(r[6]) : "r"(a), "r"(b));
  asm("fma.rn.relu.f16x2 %0, %1, %2, %2;" : "=r"(r[7]) : "r"(a), "r"(b));
}

// bf16 pairs: 2 words a pair of words.
WW_KERNEL void bfloat_ops(const u32* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  asm("fma.rn.bf16x2 %0, %1, %2, %1;" : "=r"(out[2 * i]) : "r"(in[2 * i]), "r"(in[2 * i + 1]));
  asm("max.bf16x2 %0, %1, %2;" : "=r"(out[2 * i + 1]) : "r"(in[2 * i]), "r"(in[2 * i + 1]));
}
