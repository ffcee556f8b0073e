// Which matrix step an mma is: its shape, its types and what its suffixes ask for.
#pragma once

#include "base/float_formats.h"
#include "devicelib/devicelib.h"

// What files that are compiled for several instruction sets call at run time: no copy may be left to the linker.
#define WW_ALWAYS_INLINE [[gnu::always_inline]]

namespace ww::devicelib {

enum class MmaType : u8 { kF16, kBf16, kTf32, kE4M3, kE5M2, kS8, kU8, kS4, kU4, kB1, kF64 };
enum class MmaAccumulator : u8 { kF32, kF16, kS32, kF64 };

struct MmaShape {
  u8 m = 16, n = 8;  // m 16 or 8
  u16 k = 16;        // of a sparse A too: it keeps half of that
  MmaType a = MmaType::kF16, b = MmaType::kF16;
  MmaAccumulator accumulator = MmaAccumulator::kF32;  // of d
  bool saturate = false;                              // .satfinite of s32
  MmaAccumulator c = accumulator;
  bool sparse = false;
  u8 selector = 0;                             // which lanes of four hold the metadata of a sparse A
  bool bit_and = false;                        // b1: and, not exclusive or, before the count
  bool a_columns = false;                      // m8n8k4 of f16: A lies in columns
  bool b_rows = false;                         // m8n8k4 of f16: B lies in rows
  Rounding rounding = Rounding::kNearestEven;  // f64
  bool ada = false;                            // the sums of sm_89, not of sm_90 (mma_model.h)
};

// Volta's shape: four products of 8 x 8 x 4, each on eight lanes.
WW_ALWAYS_INLINE constexpr bool is_quad_pair(const MmaShape& s) {
  return s.m == 8 && s.a == MmaType::kF16;
}

WW_ALWAYS_INLINE constexpr int mma_bits(MmaType type) {
  switch (type) {
    case MmaType::kF16:
    case MmaType::kBf16:
      return 16;
    case MmaType::kTf32:
      return 32;
    case MmaType::kF64:
      return 64;
    case MmaType::kS4:
    case MmaType::kU4:
      return 4;
    case MmaType::kB1:
      return 1;
    default:
      return 8;
  }
}

// Registers of one lane, 32 bits each, but 64 for f64.
WW_ALWAYS_INLINE constexpr int mma_a_registers(const MmaShape& s) {
  if (is_quad_pair(s)) return 2;
  const int kept = s.sparse ? s.k / 2 : s.k;
  return s.a == MmaType::kF64 ? s.m * kept / 32 : s.m * kept * mma_bits(s.a) / 1024;
}
WW_ALWAYS_INLINE constexpr int mma_b_registers(const MmaShape& s) {
  if (is_quad_pair(s)) return 2;
  return s.b == MmaType::kF64 ? s.n * s.k / 32 : s.n * s.k * mma_bits(s.b) / 1024;
}
WW_ALWAYS_INLINE constexpr int mma_accumulator_registers(const MmaShape& s, MmaAccumulator type) {
  return s.m * s.n * (is_quad_pair(s) ? 4 : 1) / 32 / (type == MmaAccumulator::kF16 ? 2 : 1);
}
WW_ALWAYS_INLINE constexpr int mma_c_registers(const MmaShape& s) {
  return mma_accumulator_registers(s, s.c);
}
WW_ALWAYS_INLINE constexpr int mma_d_registers(const MmaShape& s) {
  return mma_accumulator_registers(s, s.accumulator);
}

// How many of four lanes hold the metadata of a sparse A: a nibble for each two elements that it keeps (4-bit elements:
// four; tf32: one). A selector says which: it is below 4 / this. (NVIDIA's assembler takes more for m16n8k32 of f16
// with f32 sums, which an H200 then refuses as an illegal instruction.)
WW_ALWAYS_INLINE constexpr int mma_metadata_lanes(const MmaShape& s) {
  return s.k / (s.a == MmaType::kTf32 ? 2 : mma_bits(s.a) == 4 ? 8 : 4) / 4;
}

// A shape in one word.
constexpr u32 pack_shape(const MmaShape& s) {
  const u32 log_k = u32(31 - __builtin_clz(unsigned(s.k)));
  return u32(s.m == 16) | log_k << 1 | u32(s.a) << 5 | u32(s.b) << 9 | u32(s.accumulator) << 13 | u32(s.c) << 15 |
         u32(s.saturate) << 17 | u32(s.sparse) << 18 | u32(s.selector) << 19 | u32(s.bit_and) << 21 |
         u32(s.a_columns) << 22 | u32(s.b_rows) << 23 | u32(s.rounding) << 24 | u32(s.ada) << 27;
}
constexpr MmaShape unpack_shape(u32 p) {
  MmaShape s{u8((p & 1) != 0 ? 16 : 8),  8, u16(1u << (p >> 1 & 15)), MmaType(p >> 5 & 15), MmaType(p >> 9 & 15),
             MmaAccumulator(p >> 13 & 3)};
  s.c = MmaAccumulator(p >> 15 & 3);
  s.saturate = (p >> 17 & 1) != 0;
  s.sparse = (p >> 18 & 1) != 0;
  s.selector = u8(p >> 19 & 3);
  s.bit_and = (p >> 21 & 1) != 0;
  s.a_columns = (p >> 22 & 1) != 0;
  s.b_rows = (p >> 23 & 1) != 0;
  s.rounding = Rounding(p >> 24 & 7);
  s.ada = (p >> 27 & 1) != 0;
  return s;
}

// The shape of "m16n8k16.row.col.f32.f16.f16.f32": the suffixes of mma.sync, and ".select1" for a sparse one's
// selector. False: no mma that is known here.
bool mma_shape(const char* name, MmaShape& shape);

}  // namespace ww::devicelib
