// Syntax tree to PTX text.
#pragma once

#include <string>

#include "ptx/module.h"

namespace ww::ptx {

// Canonical text; parsing it gives a module that prints the same (and equals this one but for locations).
std::string print(const Module& module);

// One instruction as text, without guard's newline or label: "add.rn.f32 %f1, %f2, %f3;". For messages and traces.
std::string print(const Module& module, const Function& function, const Instruction& instruction);

}  // namespace ww::ptx
