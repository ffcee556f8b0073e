#include "cpu/prepare.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

namespace ww::cpu {

using llvm::BasicBlock;
using llvm::Instruction;

static void fold_block_size(llvm::Module& module, std::array<uint32_t, 3> block) {
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  llvm::Type* i32 = llvm::Type::getInt32Ty(module.getContext());
  const auto replace_calls = [&](const std::string& name, uint32_t value) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr) return;
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      call->replaceAllUsesWith(llvm::ConstantInt::get(i32, value));
      call->eraseFromParent();
    }
  };
  for (unsigned axis = 0; axis < 3; ++axis) {
    replace_calls(std::string("ww.ntid.") + kAxes[axis], block[axis]);
    if (block[axis] == 1) replace_calls(std::string("ww.tid.") + kAxes[axis], 0);
  }
  // What the machine's numbers can be lets LLVM see that indices do not wrap around (the scheduler refuses larger
  // grids).
  const auto bound = [&](const std::string& name, uint64_t count) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr || count >= uint64_t(1) << 32) return;
    for (llvm::User* user : function->users())
      llvm::cast<llvm::CallInst>(user)->addRangeRetAttr(
          llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, count)));
  };
  bound("ww.laneid", 32);
  for (unsigned axis = 0; axis < 3; ++axis) {
    bound(std::string("ww.tid.") + kAxes[axis], block[axis]);
    bound(std::string("ww.ctaid.") + kAxes[axis],
          std::min<uint64_t>(uint64_t(1) << 31, (uint64_t(1) << 31) / block[axis]));
  }
  replace_calls("ww.nwarpid", (block[0] * block[1] * block[2] + 31) / 32);
}

// Constant expressions in operands become instructions, so that emission meets plain globals only.
static void expand_constant_expressions(llvm::Function& function) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      for (unsigned i = 0; i < instruction.getNumOperands(); ++i) {
        auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(instruction.getOperand(i));
        if (expression == nullptr) continue;
        Instruction* expanded = expression->getAsInstruction();
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction))
          expanded->insertBefore(phi->getIncomingBlock(i)->getTerminator()->getIterator());
        else
          expanded->insertBefore(instruction.getIterator());
        expanded->setDebugLoc(instruction.getDebugLoc());
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
          // The entries of one predecessor must stay equal.
          BasicBlock* block = phi->getIncomingBlock(i);
          for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
            if (phi->getIncomingBlock(k) == block) phi->setIncomingValue(k, expanded);
        } else {
          instruction.setOperand(i, expanded);
        }
        changed = true;
      }
    }
  }
}

// One `ret`; lanes that end elsewhere branch to it.
static void unify_exits(llvm::Function& function) {
  std::vector<Instruction*> ends;
  for (BasicBlock& block : function)
    if (llvm::isa<llvm::ReturnInst, llvm::UnreachableInst>(block.getTerminator()))
      ends.push_back(block.getTerminator());
  llvm::Type* type = function.getReturnType();
  if (ends.size() == 1 && llvm::isa<llvm::ReturnInst>(ends[0]) && ends[0]->getParent()->size() > 0 &&
      ends[0]->getParent() != &function.getEntryBlock())
    return;
  BasicBlock* exit = BasicBlock::Create(function.getContext(), "exit", &function);
  llvm::IRBuilder<> builder(exit);
  llvm::PHINode* result = type->isVoidTy() ? nullptr : builder.CreatePHI(type, unsigned(ends.size()), "result");
  result != nullptr ? builder.CreateRet(result) : builder.CreateRetVoid();
  for (Instruction* end : ends) {
    if (result != nullptr) {
      auto* returns = llvm::dyn_cast<llvm::ReturnInst>(end);
      result->addIncoming(returns != nullptr ? returns->getReturnValue() : llvm::Constant::getNullValue(type),
                          end->getParent());
    }
    llvm::BranchInst* branch = llvm::BranchInst::Create(exit, end->getIterator());
    branch->setDebugLoc(end->getDebugLoc());
    end->eraseFromParent();
  }
}

Status prepare_module(llvm::Module& module, std::array<uint32_t, 3> block) {
  fold_block_size(module, block);
  llvm::PassBuilder passes;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(sccs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, sccs, modules);

  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  simplify.addPass(llvm::EarlyCSEPass(true));
  simplify.addPass(llvm::InstCombinePass());
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  simplify.addPass(llvm::LowerSwitchPass());
  simplify.addPass(llvm::ADCEPass());
  llvm::FunctionPassManager shape;
  shape.addPass(llvm::LoopSimplifyPass());
  shape.addPass(llvm::LCSSAPass());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    simplify.run(function, functions);
    functions.clear(function, function.getName());
    llvm::removeUnreachableBlocks(function);
    expand_constant_expressions(function);
    unify_exits(function);
    shape.run(function, functions);
    functions.clear(function, function.getName());
  }
  return {};
}

}  // namespace ww::cpu
