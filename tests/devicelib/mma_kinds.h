// Recorded fragments of mma.sync, data/mma/<name>.bin: the registers of A, B, C and D, each for all warps one after the
// other, a lane's registers side by side.
#pragma once

#include "devicelib/mma_shape.h"

namespace ww::devicelib {

struct MmaKind {
  const char* name;
  MmaShape shape;
};
inline constexpr MmaKind kMmaKinds[] = {
    {"f16_k16", {16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}},
    {"f16_k8", {16, 8, 8, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}},
    {"bf16_k16", {16, 8, 16, MmaType::kBf16, MmaType::kBf16, MmaAccumulator::kF32, false}},
    {"bf16_k8", {16, 8, 8, MmaType::kBf16, MmaType::kBf16, MmaAccumulator::kF32, false}},
    {"tf32_k8", {16, 8, 8, MmaType::kTf32, MmaType::kTf32, MmaAccumulator::kF32, false}},
    {"tf32_k4", {16, 8, 4, MmaType::kTf32, MmaType::kTf32, MmaAccumulator::kF32, false}},
    {"e4m3_k32", {16, 8, 32, MmaType::kE4M3, MmaType::kE4M3, MmaAccumulator::kF32, false}},
    {"e5m2_k32", {16, 8, 32, MmaType::kE5M2, MmaType::kE5M2, MmaAccumulator::kF32, false}},
    {"f16_k16_f16", {16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF16, false}},
    {"s8_k32", {16, 8, 32, MmaType::kS8, MmaType::kS8, MmaAccumulator::kS32, true}},
};

inline constexpr int kMmaWarps = 14;

}  // namespace ww::devicelib
