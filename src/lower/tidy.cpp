// Brings the module into the final form of docs/lower-ir.md.
//
// Assumes simplified IR in which LLVM's passes may have left vector operations, freezes, undefined values, unreachable
// blocks, hints, and instructions without a place. Guarantees: vectors only as results of loads and calls and as
// operands of stores, taken apart at once; no freeze, no undef or poison operand (where a value does not matter it is
// zero); `unreachable` only behind a call that does not return; no `llvm.assume`, no lifetime markers; a line for every
// instruction; unused declarations and globals gone.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

#include "lower/intrinsics.h"
#include "lower/passes.h"

namespace ww::lower {
namespace {

using llvm::Instruction;
using llvm::Value;

// -- vectors
// --------------------------------------------------------------------------------------------------------------

bool has_vector_operations(llvm::Function& function) {
  for (Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::ShuffleVectorInst>(instruction)) return true;
    if (instruction.getType()->isVectorTy() && !llvm::isa<llvm::LoadInst>(instruction) &&
        !llvm::isa<llvm::InsertElementInst>(instruction) && !llvm::isa<llvm::CallBase>(instruction))
      return true;
    if (llvm::isa<llvm::BitCastInst>(instruction) && instruction.getOperand(0)->getType()->isVectorTy()) return true;
  }
  return false;
}

// Element `index` of a vector that was put together by insertions, or null.
Value* inserted_element(Value* vector, uint64_t index) {
  while (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
    auto* at = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (at == nullptr) return nullptr;
    if (at->getZExtValue() == index) return insert->getOperand(1);
    vector = insert->getOperand(0);
  }
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(vector)) return constant->getAggregateElement(unsigned(index));
  return nullptr;
}

// LLVM reads the parts of an integer as elements of a bitcast vector, and puts parts together that way; here they are
// shifts.
void expand_vector_bitcasts(llvm::Function& function) {
  std::vector<Instruction*> casts;
  for (Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::BitCastInst>(instruction) &&
        instruction.getType()->isVectorTy() != instruction.getOperand(0)->getType()->isVectorTy())
      casts.push_back(&instruction);
  for (Instruction* cast : casts) {
    Value* source = cast->getOperand(0);
    if (auto* type = llvm::dyn_cast<llvm::FixedVectorType>(cast->getType())) {
      const unsigned width = type->getScalarSizeInBits();
      llvm::IRBuilder<> builder(cast);
      Value* bits = builder.CreateBitCast(source, builder.getIntNTy(width * type->getNumElements()));
      for (llvm::User* user : llvm::make_early_inc_range(cast->users())) {
        auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(user);
        auto* at = extract == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
        if (at == nullptr) continue;
        llvm::IRBuilder<> here(extract);
        Value* part = here.CreateTrunc(here.CreateLShr(bits, at->getZExtValue() * width), here.getIntNTy(width));
        extract->replaceAllUsesWith(here.CreateBitCast(part, type->getElementType()));
        extract->eraseFromParent();
      }
      if (cast->use_empty()) cast->eraseFromParent();
      continue;
    }
    auto* type = llvm::cast<llvm::FixedVectorType>(source->getType());
    const unsigned width = type->getScalarSizeInBits(), count = type->getNumElements();
    llvm::IRBuilder<> builder(cast);
    llvm::IntegerType* whole = builder.getIntNTy(width * count);
    Value* bits = llvm::ConstantInt::get(whole, 0);
    for (uint64_t i = 0; i < count; ++i) {
      Value* element = inserted_element(source, i);
      if (element == nullptr) element = builder.CreateExtractElement(source, i);
      if (llvm::isa<llvm::UndefValue>(element)) continue;
      Value* part = builder.CreateZExt(builder.CreateBitCast(element, builder.getIntNTy(width)), whole);
      bits = builder.CreateOr(bits, builder.CreateShl(part, i * width));
    }
    cast->replaceAllUsesWith(builder.CreateBitCast(bits, cast->getType()));
    cast->eraseFromParent();
  }
}

void remove_vector_operations(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!has_vector_operations(function)) return;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ScalarizerPass());
  analyses.invalidate(function, passes.run(function, analyses));
  expand_vector_bitcasts(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager clean;
  clean.addPass(llvm::DCEPass());
  analyses.invalidate(function, clean.run(function, analyses));
}

// -- values that do not matter
// --------------------------------------------------------------------------------------------

void remove_hints_and_undefined(llvm::Function& function) {
  std::vector<Instruction*> dead;
  for (Instruction& instruction : llvm::instructions(function)) {
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
  for (Instruction* instruction : dead) instruction->eraseFromParent();
  for (Instruction& instruction : llvm::instructions(function)) {
    const bool builds_aggregate =
        llvm::isa<llvm::InsertElementInst>(instruction) || llvm::isa<llvm::InsertValueInst>(instruction);
    for (llvm::Use& use : instruction.operands())
      if (llvm::isa<llvm::UndefValue>(use.get()) && !(builds_aggregate && use.getOperandNo() == 0))
        use.set(llvm::Constant::getNullValue(use->getType()));
  }
}

// -- blocks that are never reached
// ----------------------------------------------------------------------------------------

// A switch whose default cannot happen takes its first case instead; other ends of what LLVM proved impossible trap.
void give_unreachable_a_reason(llvm::Function& function) {
  std::vector<llvm::BasicBlock*> impossible;
  for (llvm::BasicBlock& block : function) {
    auto* end = llvm::dyn_cast<llvm::UnreachableInst>(block.getTerminator());
    if (end == nullptr) continue;
    auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(end->getPrevNode());
    if (call == nullptr || !call->doesNotReturn()) impossible.push_back(&block);
  }
  for (llvm::BasicBlock* block : impossible) {
    if (&block->front() == block->getTerminator())
      for (llvm::BasicBlock* before : llvm::make_early_inc_range(llvm::predecessors(block))) {
        auto* choice = llvm::dyn_cast<llvm::SwitchInst>(before->getTerminator());
        if (choice == nullptr || choice->getDefaultDest() != block || choice->getNumCases() == 0) continue;
        llvm::BasicBlock* first = choice->case_begin()->getCaseSuccessor();
        if (first == block) continue;
        for (llvm::PHINode& phi : first->phis()) phi.addIncoming(phi.getIncomingValueForBlock(before), before);
        choice->setDefaultDest(first);
      }
    if (llvm::pred_empty(block)) {
      block->eraseFromParent();
      continue;
    }
    llvm::IRBuilder<> builder(block->getTerminator());
    builder.CreateCall(
        declare_intrinsic(*function.getParent(), "ww.trap", llvm::FunctionType::get(builder.getVoidTy(), false)));
  }
}

// -- places
// ---------------------------------------------------------------------------------------------------------------

// Whatever lost its line takes that of its neighbour before, or behind, or the function's.
void restore_places(llvm::Function& function) {
  llvm::DISubprogram* scope = function.getSubprogram();
  if (scope == nullptr) return;
  const llvm::DebugLoc fallback = llvm::DILocation::get(function.getContext(), scope->getLine(), 0, scope);
  for (llvm::BasicBlock& block : function) {
    llvm::DebugLoc last;
    for (Instruction& instruction : block)
      if (instruction.getDebugLoc()) {
        last = instruction.getDebugLoc();
        break;
      }
    if (!last) last = fallback;
    for (Instruction& instruction : block) {
      if (instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0)
        last = instruction.getDebugLoc();
      else
        instruction.setDebugLoc(last);
    }
  }
}

}  // namespace

Status tidy(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    remove_vector_operations(function, context.function_analyses);
    remove_hints_and_undefined(function);
    give_unreachable_a_reason(function);
    restore_places(function);
    context.function_analyses.invalidate(function, llvm::PreservedAnalyses::none());
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
