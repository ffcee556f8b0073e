#include "sim/matrix_shapes.h"

namespace ww::sim {

using namespace devicelib;
using ptx::Modifier;
using ptx::Type;

namespace {

bool input_type(Type type, MmaType& out) {
  static constexpr std::pair<Type, MmaType> kTypes[] = {{Type::kF16, MmaType::kF16},   {Type::kBF16, MmaType::kBf16},
                                                        {Type::kTF32, MmaType::kTf32}, {Type::kE4M3, MmaType::kE4M3},
                                                        {Type::kE5M2, MmaType::kE5M2}, {Type::kS8, MmaType::kS8},
                                                        {Type::kU8, MmaType::kU8},     {Type::kF64, MmaType::kF64}};
  for (const auto& [ptx_type, type_here] : kTypes)
    if (ptx_type == type) {
      out = type_here;
      return true;
    }
  return false;
}

bool accumulator_type(Type type, MmaAccumulator& out) {
  static constexpr std::pair<Type, MmaAccumulator> kTypes[] = {{Type::kF32, MmaAccumulator::kF32},
                                                               {Type::kF16, MmaAccumulator::kF16},
                                                               {Type::kS32, MmaAccumulator::kS32},
                                                               {Type::kF64, MmaAccumulator::kF64}};
  for (const auto& [ptx_type, type_here] : kTypes)
    if (ptx_type == type) {
      out = type_here;
      return true;
    }
  return false;
}

}  // namespace

bool mma_shape(const ptx::Instruction& instruction, MmaShape& shape) {
  struct Size {
    Modifier modifier;
    uint8_t m, n, k;
  };
  static constexpr Size kSizes[] = {{Modifier::kM16n8k4, 16, 8, 4},   {Modifier::kM16n8k8, 16, 8, 8},
                                    {Modifier::kM16n8k16, 16, 8, 16}, {Modifier::kM16n8k32, 16, 8, 32},
                                    {Modifier::kM8n8k4, 8, 8, 4},     {Modifier::kM8n8k16, 8, 8, 16}};
  if (instruction.has(Modifier::kSp) || instruction.has(Modifier::kSpOrderedMetadata) || instruction.type_count < 4)
    return false;
  shape = {};
  for (const Size& size : kSizes)
    if (instruction.has(size.modifier)) {
      shape.m = size.m;
      shape.n = size.n;
      shape.k = size.k;
    }
  shape.saturate = instruction.has(Modifier::kSatfinite);
  if (shape.k == 0 || !input_type(instruction.type(1), shape.a) || !input_type(instruction.type(2), shape.b) ||
      !accumulator_type(instruction.type(0), shape.accumulator) || instruction.type(0) != instruction.type(3))
    return false;
  return !(shape.m == 8 && shape.a == MmaType::kF16);
}

uint32_t pack_shape(const MmaShape& s) {
  return uint32_t(s.m == 16) | uint32_t(s.k) << 1 | uint32_t(s.a) << 8 | uint32_t(s.b) << 12 |
         uint32_t(s.accumulator) << 16 | uint32_t(s.saturate) << 20;
}
MmaShape unpack_shape(uint32_t p) {
  return {uint8_t(p & 1 ? 16 : 8), 8,
          uint8_t(p >> 1 & 63),    MmaType(p >> 8 & 15),
          MmaType(p >> 12 & 15),   MmaAccumulator(p >> 16 & 15),
          (p >> 20 & 1) != 0};
}

}  // namespace ww::sim
