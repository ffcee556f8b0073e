// Checks a module against docs/lower-ir.md.
#pragma once

#include "base/result.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace ww::lower {

enum class Stage : uint8_t {
  kIntermediate,  // between passes: what emission already guarantees
  kFinal,         // what back ends may rely on
};

// The first violation, as an error of kind kRuntime that shows the instruction.
Status validate(const llvm::Module& module, Stage stage);

}  // namespace ww::lower
