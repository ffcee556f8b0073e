// Inlines every device function that is not part of a recursion.
//
// Assumes direct calls only (indirect ones have become switches over direct calls).
// Guarantees: what remains besides the kernel is recursive; in the kernel, `ww.exit` has become a return.
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Local.h>

#include "lower/passes.h"

namespace ww::lower {
namespace {

void mark_functions(llvm::Module& module) {
  llvm::CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component)
    for (llvm::CallGraphNode* node : *component) {
      llvm::Function* function = node->getFunction();
      if (function == nullptr || function->isDeclaration() || !function->hasLocalLinkage()) continue;
      function->addFnAttr(component.hasCycle() ? llvm::Attribute::NoInline : llvm::Attribute::AlwaysInline);
    }
}

// In a kernel, the end of the lane is the end of the function.
void exits_to_returns(llvm::Module& module) {
  llvm::Function* exit = module.getFunction("ww.exit");
  if (exit == nullptr) return;
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : exit->users()) calls.push_back(llvm::cast<llvm::CallInst>(user));
  for (llvm::CallInst* call : calls) {
    if (call->getFunction()->hasLocalLinkage()) continue;
    llvm::BasicBlock* block = call->getParent();
    const llvm::DebugLoc place = call->getDebugLoc();
    llvm::changeToUnreachable(call);
    llvm::Instruction* end = block->getTerminator();
    llvm::ReturnInst* leave = llvm::ReturnInst::Create(module.getContext(), nullptr, end->getIterator());
    leave->setDebugLoc(place);
    end->eraseFromParent();
  }
}

}  // namespace

Status inline_functions(PassContext& context) {
  mark_functions(context.module);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(llvm::GlobalDCEPass());
  context.module_analyses.invalidate(context.module, passes.run(context.module, context.module_analyses));
  exits_to_returns(context.module);
  for (llvm::Function& function : context.module)
    if (!function.isDeclaration()) context.function_analyses.invalidate(function, llvm::PreservedAnalyses::none());
  return {};
}

}  // namespace ww::lower
