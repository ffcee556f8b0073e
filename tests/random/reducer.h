// Shrinks a program that shows something to a few lines that still do.
#pragma once

#include <functional>

#include "random/program.h"

namespace ww::programs {

// Takes statements away, puts bodies in place of what surrounds them, drops guards, results and whole functions for as
// long as `shows` stays true of what is left. `shows(program)` is true.
Program reduce(Program program, const std::function<bool(const Program&)>& shows);

}  // namespace ww::programs
