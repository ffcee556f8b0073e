// Makes SSA values of the allocas that stand for registers and small local variables.
//
// Assumes emission's form: every register an alloca in the entry block, written at entry.
// Guarantees: no register lives in memory. Arrays whose elements are picked by a computed index stay allocas.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "lower/passes.h"

namespace ww::lower {

Status promote_registers(PassContext& context) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::PromotePass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass());
  context.run(passes);
  return {};
}

}  // namespace ww::lower
