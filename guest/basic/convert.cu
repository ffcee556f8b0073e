// Conversions between number formats: rounding, saturation and special values.
#include "ww_guest.h"

#define TO_WORD(name, instruction)                  \
  WW_DEVICE u32 name(float a) {                     \
    u32 d;                                          \
    asm(instruction " %0, %1;" : "=r"(d) : "f"(a)); \
    return d;                                       \
  }
TO_WORD(to_s32_rni, "cvt.rni.s32.f32")
TO_WORD(to_s32_rzi, "cvt.rzi.s32.f32")
TO_WORD(to_s32_rmi, "cvt.rmi.s32.f32")
TO_WORD(to_s32_rpi, "cvt.rpi.s32.f32")
TO_WORD(to_u32_rzi, "cvt.rzi.u32.f32")
TO_WORD(to_u32_rni_ftz, "cvt.rni.ftz.u32.f32")
TO_WORD(to_u8_sat, "cvt.rzi.sat.u8.f32")
TO_WORD(to_s8_sat, "cvt.rni.sat.s8.f32")
TO_WORD(to_tf32, "cvt.rna.tf32.f32")
#undef TO_WORD

// out: 12 words a value.
WW_KERNEL void convert_from_f32(const float* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = in[i];
  u32* r = out + 12 * i;
  r[0] = to_s32_rni(a);
  r[1] = to_s32_rzi(a);
  r[2] = to_s32_rmi(a);
  r[3] = to_s32_rpi(a);
  r[4] = to_u32_rzi(a);
  r[5] = to_u32_rni_ftz(a);
  r[6] = to_u8_sat(a);
  r[7] = to_s8_sat(a) & 0xff;
  u16 half, half_rz, bfloat;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a));
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(half_rz) : "f"(a));
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bfloat) : "f"(a));
  r[8] = u32(half) << 16 | half_rz;
  r[9] = bfloat;
  u64 wide;
  asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(wide) : "f"(a));
  r[10] = u32(wide) ^ u32(wide >> 32);
  r[11] = to_tf32(a);
}

// out: 6 words a word.
WW_KERNEL void convert_from_integer(const u32* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u32 a = in[i];
  u32* r = out + 6 * i;
  float f;
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(a));
  r[0] = ww::bits<u32>(f);
  asm("cvt.rz.f32.u32 %0, %1;" : "=f"(f) : "r"(a));
  r[1] = ww::bits<u32>(f);
  asm("cvt.rp.f32.u64 %0, %1;" : "=f"(f) : "l"(u64(a) * 0x100000001u));
  r[2] = ww::bits<u32>(f);
  u32 narrow;
  asm("cvt.sat.s16.s32 %0, %1;" : "=r"(narrow) : "r"(a));
  r[3] = narrow & 0xffff;
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(narrow) : "r"(a));
  r[4] = narrow & 0xff;
  r[5] = u32(s32(s8(a))) + u32(s32(s16(a >> 8)));
}

// f64 to f32 and integers and back: 4 words a value.
WW_KERNEL void convert_f64(const double* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double a = in[i];
  u32* r = out + 4 * i;
  float f;
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(a));
  r[0] = ww::bits<u32>(f);
  asm("cvt.rm.f32.f64 %0, %1;" : "=f"(f) : "d"(a));
  r[1] = ww::bits<u32>(f);
  u64 wide;
  asm("cvt.rni.s64.f64 %0, %1;" : "=l"(wide) : "d"(a));
  r[2] = u32(wide) ^ u32(wide >> 32);
  double back;
  asm("cvt.f64.f32 %0, %1;" : "=d"(back) : "f"(f));
  const u64 bits = ww::bits<u64>(back);
  r[3] = u32(bits) ^ u32(bits >> 32);
}

// All 65,536 halves to f32 and s16, folded: 64 halves a thread.
WW_KERNEL void convert_halves(u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 fold = 0;
  for (u32 k = 0; k < 64; ++k) {
    const u16 half = u16(i * 64 + k);
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(half));
    u16 integer;
    asm("cvt.rni.s16.f16 %0, %1;" : "=h"(integer) : "h"(half));
    fold = ww::rotate_left(fold, 5) ^ (ww::bits<u32>(f) + integer);
  }
  out[i] = fold;
}
