// Which LLVM type each PTX register gets: PTX's .b32 holds integers and floats alike.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace ww::lower {

// Registers of 16, 32 or 64 bits that the function's instructions mostly use as floating point.
std::vector<bool> floating_point_registers(const ptx::Function& function);

}  // namespace ww::lower
