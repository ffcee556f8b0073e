// Names and types of the lane-local functions of devicelib, as LLVM declarations.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace ww::lower {

// Declares `ww_NAME` of devicelib/functions.def in the module; null if the table has no such function. Bodies come
// later (devicelib_link.cpp).
llvm::Function* declare_devicelib_function(llvm::Module& module, const std::string& name);

}  // namespace ww::lower
