// Gives every loop one entry.
//
// Guarantees: natural loops only. PTX's own branches can make others (brx.idx into the middle of a loop).
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/Reg2Mem.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "lower/passes.h"

namespace ww::lower {

Status make_reducible(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    const llvm::LoopInfo& loops = context.function_analyses.getResult<llvm::LoopAnalysis>(function);
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
    if (!llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops)) continue;
    // The pass knows branches only, and loses values of phis where several edges lead to one block: values go through
    // memory meanwhile.
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LowerSwitchPass());
    passes.addPass(llvm::RegToMemPass());
    passes.addPass(llvm::FixIrreduciblePass());
    passes.addPass(llvm::PromotePass());
    const llvm::PreservedAnalyses preserved = passes.run(function, context.function_analyses);
    context.function_analyses.invalidate(function, preserved);
  }
  return {};
}

}  // namespace ww::lower
