// Brings a per-lane module into the form that the vectoriser takes.
//
// Assumes: a module as docs/lower-ir.md describes. Guarantees, for each function with a body: one `ret` and no other
// way out (a lane that exits or traps branches to it); only conditional and unconditional branches; simplified loops
// with one latch each and exits of their own; LCSSA form; no constant expressions in operands; block size and what
// follows from it folded.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"

namespace llvm {
class Module;
}

namespace ww::cpu {

// `block`: the block size of the launches that the code is for.
Status prepare_module(llvm::Module& module, std::array<uint32_t, 3> block);

}  // namespace ww::cpu
