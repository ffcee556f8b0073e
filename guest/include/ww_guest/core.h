// Attributes, fixed-width types, vectors and the special registers that name a thread.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// A function of the guest library: always inlined, so that PTX has no calls that the source does not show.
#define WW_DEVICE __attribute__((device, always_inline)) inline
// Before a loop: keep it a loop. Unrolled copies of long bodies cost instruction cache on a GPU and compile time on a
// CPU.
#define WW_ROLLED _Pragma("clang loop unroll(disable)")
// A kernel, with the plain name that a launcher looks up.
#define WW_KERNEL extern "C" __attribute__((global))

using u8 = unsigned char;
using s8 = signed char;
using u16 = unsigned short;
using s16 = short;
using u32 = unsigned int;
using s32 = int;
using u64 = unsigned long long;
using s64 = long long;
using f16 = _Float16;
static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(f16) == 2);

// Vectors with PTX's alignment: one load or store (ld.v2, ld.v4) each.
#define WW_VECTORS(T, name, bytes)    \
  struct alignas(2 * bytes) name##2 { \
    T x, y;                           \
  };                                  \
  struct name##3 {                    \
    T x, y, z;                        \
  };                                  \
  struct alignas(4 * bytes) name##4 { \
    T x, y, z, w;                     \
  }
WW_VECTORS(float, float, 4);
WW_VECTORS(s32, int, 4);
WW_VECTORS(u32, uint, 4);
#undef WW_VECTORS

// threadIdx.x and the like. A property reads the special register each time: it costs one mov.
#define WW_SPECIAL_REGISTER(type, register)                                             \
  struct type {                                                                         \
    __declspec(property(get = get_x)) u32 x;                                            \
    __declspec(property(get = get_y)) u32 y;                                            \
    __declspec(property(get = get_z)) u32 z;                                            \
    WW_DEVICE static u32 get_x() { return u32(__nvvm_read_ptx_sreg_##register##_x()); } \
    WW_DEVICE static u32 get_y() { return u32(__nvvm_read_ptx_sreg_##register##_y()); } \
    WW_DEVICE static u32 get_z() { return u32(__nvvm_read_ptx_sreg_##register##_z()); } \
  }
namespace ww::special {
WW_SPECIAL_REGISTER(ThreadIdx, tid);
WW_SPECIAL_REGISTER(BlockIdx, ctaid);
WW_SPECIAL_REGISTER(BlockDim, ntid);
WW_SPECIAL_REGISTER(GridDim, nctaid);
}  // namespace ww::special
#undef WW_SPECIAL_REGISTER
#define threadIdx (ww::special::ThreadIdx{})
#define blockIdx (ww::special::BlockIdx{})
#define blockDim (ww::special::BlockDim{})
#define gridDim (ww::special::GridDim{})

namespace ww {
constexpr u32 kWarpSize = 32;
constexpr u32 kFullMask = 0xffffffffu;

WW_DEVICE u32 lane_id() {
  return u32(__nvvm_read_ptx_sreg_laneid());
}
WW_DEVICE u64 clock() {
  return u64(__nvvm_read_ptx_sreg_clock64());
}

// Reinterprets the bits of a value as another type of the same size.
template <class To, class From>
WW_DEVICE To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <class T>
WW_DEVICE T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
WW_DEVICE T max(T a, T b) {
  return a < b ? b : a;
}
// min.f32, max.f32: a NaN operand gives the other one.
WW_DEVICE float min(float a, float b) {
  return __builtin_fminf(a, b);
}
WW_DEVICE float max(float a, float b) {
  return __builtin_fmaxf(a, b);
}
template <class T>
WW_DEVICE T clamp(T x, T low, T high) {
  return min(max(x, low), high);
}
WW_DEVICE u32 ceil_div(u32 a, u32 b) {
  return (a + b - 1) / b;
}

WW_DEVICE u32 popcount(u32 x) {
  return u32(__builtin_popcount(x));
}
// Number of leading zeros; 32 for 0.
WW_DEVICE u32 leading_zeros(u32 x) {
  u32 n;
  asm("clz.b32 %0, %1;" : "=r"(n) : "r"(x));
  return n;
}
// Bits reversed, first to last.
WW_DEVICE u32 reverse_bits(u32 x) {
  return __builtin_bitreverse32(x);
}
// Left rotation by n modulo 32 (shf.l.wrap).
WW_DEVICE u32 rotate_left(u32 x, u32 n) {
  return __builtin_rotateleft32(x, n);
}
WW_DEVICE u32 rotate_right(u32 x, u32 n) {
  return __builtin_rotateright32(x, n);
}
// Bytes of {b, a} picked by the four nibbles of selector (PTX prmt.b32, default mode).
WW_DEVICE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  u32 d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(selector));
  return d;
}
// Upper half of the 64-bit product.
WW_DEVICE u32 mul_high(u32 a, u32 b) {
  return u32((u64(a) * b) >> 32);
}
}  // namespace ww
