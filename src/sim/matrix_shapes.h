// Which mma an instruction asks for.
#pragma once

#include "devicelib/mma.h"
#include "ptx/module.h"

namespace ww::sim {

// False: a legal mma that is not supported (sparse, sub-byte, Volta's m8n8k4).
bool mma_shape(const ptx::Instruction& instruction, devicelib::MmaShape& shape);

// A shape in one word, for Op::detail.
uint32_t pack_shape(const devicelib::MmaShape& shape);
devicelib::MmaShape unpack_shape(uint32_t packed);

}  // namespace ww::sim
