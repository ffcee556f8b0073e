// Random programs from seeds.
#pragma once

#include "random/program.h"
#include "random/vocabulary.h"

namespace ww::programs {

// The program of a seed: valid, ends, and has one result whatever the order of warps and lanes: the same on every
// machine for the same vocabulary.
//
// A kernel is entered with (in, out, block): see runner.h for what they hold.
Program program_of(uint64_t seed, const Vocabulary& vocabulary);

// What register `column` of the kernel holds at first; kNone: nothing.
ptx::Type column_type(unsigned column);
// Bytes of a thread in the column of a register of the type; those of neighbours stand side by side.
unsigned column_bytes(ptx::Type type);

}  // namespace ww::programs
