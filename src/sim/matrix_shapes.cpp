#include "sim/matrix_shapes.h"

#include <string>

#include "ptx/types.h"

namespace ww::sim {

bool mma_shape(const ptx::Instruction& instruction, devicelib::MmaShape& shape) {
  if (instruction.type_count != 4) return false;
  std::string name;
  for (unsigned i = 0; i < instruction.modifier_count; ++i) {
    const ptx::Modifier modifier = instruction.modifiers[i];
    if (modifier == ptx::Modifier::kSync || modifier == ptx::Modifier::kAligned) continue;
    name += std::string(ptx::spelling(modifier)) + '.';
  }
  for (unsigned i = 0; i < 4; ++i) name += std::string(ptx::spelling(instruction.type(i))) + (i < 3 ? "." : "");
  return devicelib::mma_shape(name.c_str(), shape);
}

}  // namespace ww::sim
