// Whether two syntax trees say the same.
#pragma once

#include <string>

#include "ptx/module.h"

namespace ww::ptx {

// "" if the modules are the same in everything but their names and places in the text; else where they first differ, in
// words for a developer ("functions[2].instructions[7].operands: ..."). Order of declarations counts.
std::string first_difference(const Module& a, const Module& b);

}  // namespace ww::ptx
