// Which mma an instruction asks for.
#pragma once

#include "devicelib/mma_shape.h"
#include "ptx/module.h"

namespace ww::sim {

// False: an mma of newer chips. The selector of a sparse one is an operand: it is left at 0.
bool mma_shape(const ptx::Instruction& instruction, devicelib::MmaShape& shape);

}  // namespace ww::sim
