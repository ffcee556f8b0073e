// mma.sync on whole fragments: the registers of 32 lanes in and out, as the PTX manual lays them out.
//
// Freestanding; a code generator calls it with the fragments stored to memory, register after register: element
// [32 * i + lane] is register i of a lane.
#pragma once

#include "devicelib/mma_model.h"
#include "devicelib/mma_shape.h"

namespace ww::devicelib {

// One element of d = a * b + c from the codes of a row of A and a column of B, `count` of each; a code of b1 is a word
// of 32 elements. `c` and the result: f32, f16 or s32 bits, `c` in the shape's own type. The shape's sizes are not
// used.
u32 mma_dot(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, int count, u32 c);
// The same of the shape's k.
inline u32 mma_dot(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, u32 c) {
  return mma_dot(model, shape, a, b, shape.a == MmaType::kB1 ? shape.k / 32 : shape.k, c);
}
// Which instruction set of this processor computes; the results are the same. kBase is what everything else is compiled
// for; x86-64-v3 and x86-64-v4, as the psABI names them, where the processor has them.
enum class MmaLevel : u8 { kBase, kV3, kV4 };
MmaLevel best_mma_level();

// Fragments of 32-bit registers. `metadata`: of sparse shapes, a word a lane. d may be c, if it has room for d.
void mma_32(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d,
            const u32* metadata = nullptr, MmaLevel level = best_mma_level());
// Fragments of f64: one fma a product in the shape's rounding, first k first.
void mma_f64(const MmaShape& shape, const u64* a, const u64* b, const u64* c, u64* d,
             MmaLevel level = best_mma_level());

}  // namespace ww::devicelib
