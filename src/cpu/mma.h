// Matrix steps of a warp on this processor, compiled once a level.
//
// Fragment layouts: PTX manual, "Matrix Fragments for
// mma.m16n8k16" and "mma.m16n8k8", with g = lane / 4 and t = lane % 4.
#pragma once

#include "cpu/warp_context.h"

namespace ww::cpu {

// f16 inputs, k 8 or 16, accumulators f32 or f16. `fast`: sums in f32 with fused steps; `exact`: the tensor core's own
// arithmetic (devicelib/mma_model.h), vectorised, for the Hopper parameters.
struct MmaFunctions {
  MmaFunction fast_k16_f32, fast_k8_f32, fast_k16_f16, fast_k8_f16;
  MmaFunction exact_k16_f32, exact_k8_f32;
};

// `mma_by_model`: any other shape and type, and what the exact functions leave to it (infinities, results that leave
// the range of f32): devicelib's functions for the level.
namespace v2 {
extern const MmaFunctions kMmaFunctions;
void mma_by_model(const void* a, const void* b, const void* c, void* d, uint32_t shape);
}  // namespace v2
namespace v3 {
extern const MmaFunctions kMmaFunctions;
void mma_by_model(const void* a, const void* b, const void* c, void* d, uint32_t shape);
}  // namespace v3
namespace v4 {
extern const MmaFunctions kMmaFunctions;
void mma_by_model(const void* a, const void* b, const void* c, void* d, uint32_t shape);
}  // namespace v4

}  // namespace ww::cpu
