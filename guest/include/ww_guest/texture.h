// 2D textures and surfaces by 64-bit handles (PTX's unified, bindless mode: a kernel gets handles as u64 parameters).
#pragma once
#include "ww_guest/core.h"

namespace ww {
using Texture = u64;
using Surface = u64;

// A filtered fetch at (x, y), in texels or in 0..1 as the sampler says. Four channels; absent ones read 0 (an H200
// gives no 1 for an absent fourth).
WW_DEVICE float4 tex2d(Texture texture, float x, float y) {
  float4 c;
  asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w)
               : "l"(texture), "f"(x), "f"(y));
  return c;
}
// The same at an explicit mip level.
WW_DEVICE float4 tex2d_level(Texture texture, float x, float y, float level) {
  float4 c;
  asm volatile("tex.level.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;"
               : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w)
               : "l"(texture), "f"(x), "f"(y), "f"(level));
  return c;
}
// One texel by integer coordinates, unfiltered.
WW_DEVICE float4 tex2d_texel(Texture texture, s32 x, s32 y) {
  float4 c;
  asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w)
               : "l"(texture), "r"(x), "r"(y));
  return c;
}

// Surfaces are addressed by byte in x and by row in y, and hold raw bits. Outside: reads give 0, writes are dropped.
WW_DEVICE float4 surf2d_read_float4(Surface surface, s32 x, s32 y) {
  u32 r, g, b, a;
  asm volatile("suld.b.2d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=r"(r), "=r"(g), "=r"(b), "=r"(a)
               : "l"(surface), "r"(x * 16), "r"(y)
               : "memory");
  return {bits<float>(r), bits<float>(g), bits<float>(b), bits<float>(a)};
}
WW_DEVICE void surf2d_write_float4(Surface surface, s32 x, s32 y, float4 c) {
  asm volatile("sust.b.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(surface), "r"(x * 16), "r"(y),
               "r"(bits<u32>(c.x)), "r"(bits<u32>(c.y)), "r"(bits<u32>(c.z)), "r"(bits<u32>(c.w))
               : "memory");
}
// Four halves a texel, as two pairs.
WW_DEVICE uint2 surf2d_read_half4(Surface surface, s32 x, s32 y) {
  uint2 c;
  asm volatile("suld.b.2d.v2.b32.zero {%0, %1}, [%2, {%3, %4}];"
               : "=r"(c.x), "=r"(c.y)
               : "l"(surface), "r"(x * 8), "r"(y)
               : "memory");
  return c;
}
WW_DEVICE void surf2d_write_half4(Surface surface, s32 x, s32 y, uint2 c) {
  asm volatile("sust.b.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" ::"l"(surface), "r"(x * 8), "r"(y), "r"(c.x), "r"(c.y)
               : "memory");
}
WW_DEVICE float surf2d_read_float(Surface surface, s32 x, s32 y) {
  u32 c;
  asm volatile("suld.b.2d.b32.zero %0, [%1, {%2, %3}];" : "=r"(c) : "l"(surface), "r"(x * 4), "r"(y) : "memory");
  return bits<float>(c);
}
WW_DEVICE void surf2d_write_float(Surface surface, s32 x, s32 y, float c) {
  asm volatile("sust.b.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x * 4), "r"(y), "r"(bits<u32>(c))
               : "memory");
}
}  // namespace ww
