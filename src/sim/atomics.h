// What atomic operations do to an element of memory, for reductions that are no atom or red.
#pragma once

#include <cstdint>

#include "ptx/module.h"

namespace ww::sim {

// *place = op(*place, *operand)
using Combine = void (*)(uint8_t* place, const uint8_t* operand);

// The operation and type of the instruction's suffixes; null if there is none.
Combine combine_of(const ptx::Instruction& instruction);

}  // namespace ww::sim
