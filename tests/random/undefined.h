// Random programs of which the PTX manual, or NVIDIA's assembler, leaves the result open.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "random/program.h"

namespace ww::programs {

// Why devices may differ in the program's result; empty: they may not.
// - An atom with a vector of operands at a generic address that is not one of global memory (PTX manual, "atom": only
//   there). An H200 gives other values from run to run.
// - An instruction of a whole warp in a program with recursive functions: ptxas 13.0 takes the lanes for together again
//   behind the call, which they are not, and leaves out the wait. An H200's lanes then miss what others have written.
std::string undefined_in(const Program& program);

// Seeds whose programs ptxas misreads in ways that as_assembled (assembler.h) does not follow: the file's lines "SEED
// reason".
std::map<uint64_t, std::string> undefined_seeds(const std::string& path);

}  // namespace ww::programs
