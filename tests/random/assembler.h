// What NVIDIA's assembler makes of a random program.
#pragma once

#include "random/program.h"

namespace ww::programs {

// A program that does by the PTX manual what ptxas 13.0 for sm_90, without optimisation too, makes of the given one.
// Both are the same but where ptxas does something else than the manual says:
// - it drops the guard of `testp`;
// - it makes of `set` with a floating-point result, or with a 32-bit one of 16-bit operands, a comparison whose result
// is
//   0 or -1 and a conversion of that, and guards the first alone: where the guard is false, the old value is converted;
// - it builds the mma shapes of e4m3 and e5m2 from steps that begin at zero and then adds c to them, element after
//   element: a register of d that is one of c further on has changed by the time it is read as such.
Program as_assembled(Program program);

}  // namespace ww::programs
