// Removes the calls that make a NaN NVIDIA's where nothing can see the difference.
//
// Assumes exact mode's form: every arithmetic result goes through ww_canonical_nan_* before anything else uses it, and
// devicelib's functions are still calls.
// Guarantees: a call stays where its value can reach memory, another lane, or an operation that looks at bits. A call
// whose users are all arithmetic goes: arithmetic makes a NaN of any NaN, and its own result is canonical.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "lower/nan_visibility.h"
#include "lower/passes.h"

namespace ww::lower {

Status remove_canonical_nans(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (call->getCalledFunction() != nullptr &&
            call->getCalledFunction()->getName().starts_with("ww_canonical_nan_"))
          calls.push_back(call);
    const NanVisibility visibility(function);
    std::vector<llvm::CallInst*> invisible;
    for (llvm::CallInst* call : calls)
      if (!visibility.is_visible(call)) invisible.push_back(call);
    for (llvm::CallInst* call : invisible) {
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
  }
  return {};
}

}  // namespace ww::lower
