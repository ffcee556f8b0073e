// mma.sync on whole fragments: 32 lanes' registers in, 32 lanes' registers out, as the PTX manual lays them out.
//
// Freestanding; a code generator calls it with the fragments stored to memory. Registers of one lane stand together:
// a[lane * a_registers + i].
#pragma once

#include "devicelib/mma_model.h"

namespace ww::devicelib {

enum class MmaType : u8 { kF16, kBf16, kTf32, kE4M3, kE5M2, kS8, kU8, kF64 };
enum class MmaAccumulator : u8 { kF32, kF16, kS32, kF64 };

struct MmaShape {
  u8 m, n, k;  // m 16 or 8, n 8
  MmaType a, b;
  MmaAccumulator accumulator;
  bool saturate;  // .satfinite of s32
};

// Registers of one lane: f16 pairs and bytes are packed; f64 counts as one 64-bit register.
int mma_a_registers(const MmaShape& shape);
int mma_b_registers(const MmaShape& shape);
int mma_c_registers(const MmaShape& shape);

// One element of d = a * b + c from the codes of k elements of a row of A and a column of B. `c` and the result: f32,
// f16 or s32 bits. The shape's m and n are not used.
u32 mma_dot(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, u32 c);
// 32-bit fragments. d may be c.
void mma_32(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d);
// f64 fragments; every product is added with one fma, first k first.
void mma_f64(const MmaShape& shape, const u64* a, const u64* b, const u64* c, u64* d);

}  // namespace ww::devicelib
