// Memory of a warp: what its lanes read and write together.
#pragma once

#include <string>

#include "coverage/kernel_writer.h"

namespace ww::coverage {

constexpr unsigned kWarpsOfBlock = kBlock / 32;

// Adds the text that makes `bytes` (a multiple of 128) of memory for each warp, leaves their address in the 64-bit
// register `address`, which it declares, and fills them: with columns of operands of type `fill` (of 32 or 64 bits; for
// the operand `name`) or, if it is kNone, with 0xc9. Shared memory, or (not `shared`) global memory among the results.
// Lanes see each other's words after `bar.warp.sync`, which is added.
void add_warp_region(KernelWriter& writer, bool shared, const std::string& address, unsigned bytes, ptx::Type fill,
                     const std::string& name);

// Adds results that hold the region (of global memory: nothing, it is there).
void add_region_results(KernelWriter& writer, bool shared, const std::string& address, unsigned bytes);

}  // namespace ww::coverage
