// devicelib as LLVM bitcode, compiled at build time and part of this library.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace ww::lower {

llvm::StringRef devicelib_bitcode();

}  // namespace ww::lower
