// Gives every loop one entry.
//
// Guarantees: natural loops only. PTX's own branches can make others (brx.idx into the middle of a loop).
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include "lower/passes.h"

namespace ww::lower {

Status make_reducible(PassContext& context) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::FixIrreduciblePass());
  context.run(passes);
  return {};
}

}  // namespace ww::lower
