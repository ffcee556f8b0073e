// Half precision: scalar f16 is the compiler's _Float16; half2 is two of them in one register, with packed arithmetic.
#pragma once
#include "ww_guest/core.h"

namespace ww {
// Two halves in 32 bits, x in the low one.
struct alignas(4) half2 {
  f16 x, y;
};

WW_DEVICE f16 to_half(float x) {
  return f16(x);
}  // nearest even
WW_DEVICE float to_float(f16 x) {
  return float(x);
}
WW_DEVICE u32 half_pair(float low, float high) {
  u32 d;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
}
WW_DEVICE half2 make_half2(float x, float y) {
  return bits<half2>(half_pair(x, y));
}
WW_DEVICE half2 make_half2(f16 x, f16 y) {
  return {x, y};
}
WW_DEVICE float2 to_float2(half2 h) {
  return {float(h.x), float(h.y)};
}
WW_DEVICE float2 to_float2(u32 pair) {
  return to_float2(bits<half2>(pair));
}

#define WW_HALF2_BINARY(name, instruction)                                            \
  WW_DEVICE half2 name(half2 a, half2 b) {                                            \
    u32 d;                                                                            \
    asm(instruction " %0, %1, %2;" : "=r"(d) : "r"(bits<u32>(a)), "r"(bits<u32>(b))); \
    return bits<half2>(d);                                                            \
  }
WW_HALF2_BINARY(operator+, "add.rn.f16x2")
WW_HALF2_BINARY(operator-, "sub.rn.f16x2")
WW_HALF2_BINARY(operator*, "mul.rn.f16x2")
WW_HALF2_BINARY(min, "min.f16x2")
WW_HALF2_BINARY(max, "max.f16x2")
#undef WW_HALF2_BINARY

WW_DEVICE half2 fma(half2 a, half2 b, half2 c) {
  u32 d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(bits<u32>(a)), "r"(bits<u32>(b)), "r"(bits<u32>(c)));
  return bits<half2>(d);
}
WW_DEVICE f16 fma(f16 a, f16 b, f16 c) {
  return __builtin_fmaf16(a, b, c);
}
WW_DEVICE f16 min(f16 a, f16 b) {
  return __builtin_fminf16(a, b);
}
WW_DEVICE f16 max(f16 a, f16 b) {
  return __builtin_fmaxf16(a, b);
}

// Two floats to two e4m3 bytes (low in bits 0..7), saturating to +-448; needs sm_89.
WW_DEVICE u16 e4m3_pair(float low, float high) {
  u16 d;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(high), "f"(low));
  return d;
}
// Two e4m3 bytes to two halves (exact).
WW_DEVICE u32 half_pair_of_e4m3(u16 pair) {
  u32 d;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(d) : "h"(pair));
  return d;
}
}  // namespace ww
