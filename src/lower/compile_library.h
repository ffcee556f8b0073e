// What libwarpwave-compile.so exports: lowering for `warpwave compile`, apart from the command so that only this use of
// it loads LLVM. Both sides are compiled together, so C++ types may cross; exceptions may not.
#pragma once

#include <string>

#include "base/result.h"

namespace ww::lower {

struct CompileLibrary {
  // The per-lane IR (docs/lower-ir.md) of one kernel as text; of every kernel in turn if `kernel` is empty. `file`
  // stands in messages. Unknown kernel: kUsage, naming the entries.
  Result<std::string> (*emit_ir)(std::string ptx, const std::string& file, const std::string& kernel, bool fast);
};

constexpr char kCompileSymbol[] = "warpwave_compile";
using CompileFunction = const CompileLibrary* (*)();

}  // namespace ww::lower
