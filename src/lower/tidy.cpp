// Brings the module into the final form of docs/lower-ir.md.
//
// Assumes simplified IR in which LLVM's passes may have left vector operations, freezes, undefined values and hints.
// Guarantees: vectors only as results of loads and calls and as operands of stores, taken apart at once; no freeze, no
// undef or poison operand (where a value does not matter it is zero); no `llvm.assume`, no lifetime markers; unused
// declarations and globals gone.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

#include "lower/passes.h"

namespace ww::lower {
namespace {

bool has_vector_operations(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::ShuffleVectorInst>(instruction)) return true;
    const bool is_vector = instruction.getType()->isVectorTy();
    if (is_vector && !llvm::isa<llvm::LoadInst>(instruction) && !llvm::isa<llvm::InsertElementInst>(instruction) &&
        !llvm::isa<llvm::CallBase>(instruction))
      return true;
    if (llvm::isa<llvm::BitCastInst>(instruction) && instruction.getOperand(0)->getType()->isVectorTy()) return true;
  }
  return false;
}

void remove_hints_and_undefined(llvm::Function& function) {
  std::vector<llvm::Instruction*> dead;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&instruction)) {
      freeze->replaceAllUsesWith(freeze->getOperand(0));
      dead.push_back(freeze);
      continue;
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      if (intrinsic->isAssumeLikeIntrinsic()) {
        if (!intrinsic->getType()->isVoidTy())
          intrinsic->replaceAllUsesWith(llvm::Constant::getNullValue(intrinsic->getType()));
        dead.push_back(intrinsic);
      }
  }
  for (llvm::Instruction* instruction : dead) instruction->eraseFromParent();
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const bool builds_aggregate =
        llvm::isa<llvm::InsertElementInst>(instruction) || llvm::isa<llvm::InsertValueInst>(instruction);
    for (llvm::Use& use : instruction.operands())
      if (llvm::isa<llvm::UndefValue>(use.get()) && !(builds_aggregate && use.getOperandNo() == 0))
        use.set(llvm::Constant::getNullValue(use->getType()));
  }
}

}  // namespace

Status tidy(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    if (has_vector_operations(function)) {
      llvm::FunctionPassManager passes;
      passes.addPass(llvm::ScalarizerPass());
      passes.addPass(llvm::DCEPass());
      context.function_analyses.invalidate(function, passes.run(function, context.function_analyses));
    }
    remove_hints_and_undefined(function);
  }
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  context.module_analyses.invalidate(context.module, passes.run(context.module, context.module_analyses));
  std::vector<llvm::Function*> unused;
  for (llvm::Function& function : context.module)
    if (function.isDeclaration() && function.use_empty()) unused.push_back(&function);
  for (llvm::Function* function : unused) function->eraseFromParent();
  std::vector<llvm::GlobalVariable*> unused_variables;
  for (llvm::GlobalVariable& variable : context.module.globals()) {
    variable.removeDeadConstantUsers();
    if (variable.isDeclaration() && variable.use_empty()) unused_variables.push_back(&variable);
  }
  for (llvm::GlobalVariable* variable : unused_variables) variable->eraseFromParent();
  return {};
}

}  // namespace ww::lower
