// LLVM's clean-up passes, chosen so that exact values stay exact and the form of docs/lower-ir.md is kept: no
// vectorizers, no lookup tables, no unrolling, no relaxed floating point (there are no fast-math flags to allow it).
//
// Assumes registers in SSA form. `simplify` runs before devicelib is linked, so that packing and unpacking of pairs
// cancel out while calls still stand for whole instructions; `optimize` afterwards. Guarantees: only what LLVM's
// semantics guarantee. Vectors and freezes that these passes make are `tidy`'s to remove.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "lower/passes.h"

namespace ww::lower {

static llvm::InstCombineOptions one_round() {
  return llvm::InstCombineOptions().setMaxIterations(1);
}

Status simplify(PassContext& context) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass(one_round()));
  passes.addPass(llvm::SimplifyCFGPass());
  context.run(passes);
  return {};
}

Status optimize(PassContext& context) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass(one_round()));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(/*LicmMssaOptCap=*/100, /*LicmMssaNoAccForPromotionCap=*/250, /*AllowSpeculation=*/true),
      /*UseMemorySSA=*/true));
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setPRE(false).setLoadPRE(false)));
  passes.addPass(llvm::InstCombinePass(one_round()));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  context.run(passes);
  return {};
}

}  // namespace ww::lower
