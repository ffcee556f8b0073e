// Pictures through texture and surface instructions: filtered and exact fetches, the four texels around a point, sizes, stores.
#include "device.h"

struct Texel {
  float r, g, b, a;
};

static __device__ Texel fetch(u64 texture, float x, float y) {
  Texel t;
  asm("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(t.r), "=f"(t.g), "=f"(t.b), "=f"(t.a) : "l"(texture), "f"(x), "f"(y));
  return t;
}
static __device__ Texel exact(u64 texture, s32 x, s32 y) {
  Texel t;
  asm("tex.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(t.r), "=f"(t.g), "=f"(t.b), "=f"(t.a) : "l"(texture), "r"(x), "r"(y));
  return t;
}
static __device__ Texel around(u64 texture, float x, float y) {
  Texel t;
  asm("tld4.g.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(t.r), "=f"(t.g), "=f"(t.b), "=f"(t.a) : "l"(texture), "f"(x), "f"(y));
  return t;
}

extern "C" __global__ void sample(u64 texture, u64 surface, const u32* in, u32* out, u32 n) {
  const u32 i = global_x();
  u32 width, height;
  asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(texture));
  asm("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(texture));
  const u32 word = in[i % n];
  const Texel a = fetch(texture, unit(word) * 40 - 4, unit(word << 6) * 20 - 2);
  const Texel b = exact(texture, static_cast<s32>(word & 31), static_cast<s32>(word >> 5 & 15));
  const Texel c = around(texture, static_cast<float>(word >> 9 & 31) + 0.75f, static_cast<float>(word >> 14 & 15) + 0.75f);
  asm volatile("sust.b.2d.b32.trap [%0, {%1,%2}], %3;" ::"l"(surface), "r"((i & 15) * 4), "r"(i >> 4), "r"(mixed(word, i)) : "memory");
  u32 read;
  asm volatile("suld.b.2d.b32.clamp %0, [%1, {%2,%3}];" : "=r"(read) : "l"(surface), "r"((i & 15) * 4), "r"(i >> 4) : "memory");
  u32* mine = out + 4 * i;
  mine[0] = bits_of(a.r) ^ bits_of(a.g) * 3;
  mine[1] = bits_of(b.r + b.a * 2);
  mine[2] = bits_of(c.r) ^ bits_of(c.g) * 3 ^ bits_of(c.b) * 5 ^ bits_of(c.a) * 7;
  mine[3] = read ^ width << 8 ^ height;
}
