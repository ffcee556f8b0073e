// Assumes nothing. Guarantees what docs/lower-ir.md says, or names the first thing that breaks it.
#include "lower/validator.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

#include "lower/intrinsics.h"

namespace ww::lower {
namespace {

using llvm::Instruction;

template <typename T>
Error violation(const std::string& rule, const T& where, const llvm::Function* function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  where.print(stream);
  Error error = runtime_error(rule + ":" + text);
  if (function != nullptr) error.kernel = function->getName().str();
  return error;
}

bool is_scalar(const llvm::Type* type) {
  if (type->isHalfTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy()) return true;
  if (!type->isIntegerTy()) return false;
  switch (type->getIntegerBitWidth()) {
    case 1:
    case 8:
    case 16:
    case 32:
    case 64:
    case 128:
      return true;
    default:
      return false;
  }
}

bool is_aggregate(const llvm::Type* type) {
  return type->isVectorTy() || type->isStructTy() || type->isArrayTy();
}

// Structs and vectors come from loads, calls and compare-and-swap, go into stores and returns, and are taken apart and
// put together with constant indices.
Status check_aggregates(const Instruction& instruction) {
  const llvm::Function* function = instruction.getFunction();
  if (is_aggregate(instruction.getType())) {
    switch (instruction.getOpcode()) {
      case Instruction::Load:
      case Instruction::Call:
      case Instruction::AtomicCmpXchg:
      case Instruction::InsertElement:
      case Instruction::InsertValue:
        break;
      default:
        return violation("an operation on vectors or structs", instruction, function);
    }
  }
  for (const llvm::Value* operand : instruction.operands()) {
    if (!is_aggregate(operand->getType())) continue;
    switch (instruction.getOpcode()) {
      case Instruction::Store:
      case Instruction::Ret:
      case Instruction::ExtractElement:
      case Instruction::ExtractValue:
      case Instruction::InsertElement:
      case Instruction::InsertValue:
        break;
      default:
        return violation("a vector or struct as operand", instruction, function);
    }
  }
  if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction))
    if (!llvm::isa<llvm::ConstantInt>(extract->getIndexOperand()))
      return violation("a computed vector index", instruction, function);
  return {};
}

Status check_call(const llvm::CallInst& call, Stage stage) {
  const llvm::Function* function = call.getFunction();
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return violation("an indirect call", call, function);
  const std::string_view name(callee->getName().data(), callee->getName().size());
  if (callee->isIntrinsic() || !callee->isDeclaration()) return {};
  if (name.starts_with("ww_"))
    return stage == Stage::kFinal ? violation("a devicelib function that was not inlined", call, function) : Status();
  const IntrinsicFacts* facts = find_intrinsic(name);
  if (facts == nullptr) return violation("a function that intrinsics.def does not know", call, function);
  if (!facts->type.empty() && !has_type(callee->getFunctionType(), facts->type))
    return violation("a ww.* function of another type than intrinsics.def has", call, function);
  if (((facts->flags & kConvergent) != 0) != callee->isConvergent())
    return violation("`convergent` differs from intrinsics.def", call, function);
  if ((facts->flags & kReadNone) && !callee->doesNotAccessMemory())
    return violation("memory effects differ from intrinsics.def", call, function);
  if ((facts->flags & kNoReturn) && !llvm::isa<llvm::UnreachableInst>(call.getNextNode()))
    return violation("something follows a call that does not return", call, function);
  if (!call.getDebugLoc()) return violation("a call without the line it comes from", call, function);
  return {};
}

Status check_instruction(const Instruction& instruction, Stage stage) {
  const llvm::Function* function = instruction.getFunction();
  switch (instruction.getOpcode()) {
    case Instruction::Br:
    case Instruction::Switch:
    case Instruction::Ret:
      break;
    case Instruction::Unreachable: {
      const auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(instruction.getPrevNode());
      const bool follows = call != nullptr && call->getCalledFunction() != nullptr && call->doesNotReturn();
      if (!follows && stage == Stage::kFinal)
        return violation("`unreachable` that follows neither ww.trap nor ww.exit", instruction, function);
      break;
    }
    case Instruction::Alloca:
      if (instruction.getParent() != &function->getEntryBlock() ||
          !llvm::cast<llvm::AllocaInst>(instruction).isStaticAlloca())
        return violation("an alloca outside the entry block", instruction, function);
      if (llvm::cast<llvm::AllocaInst>(instruction).getAddressSpace() != 5)
        return violation("an alloca outside address space 5", instruction, function);
      break;
    case Instruction::Freeze:
    case Instruction::ShuffleVector:
      if (stage == Stage::kFinal) return violation("an instruction that back ends do not take", instruction, function);
      break;
    case Instruction::Call:
      WW_TRY(check_call(llvm::cast<llvm::CallInst>(instruction), stage));
      break;
    default:
      if (instruction.isTerminator())
        return violation("a terminator that back ends do not take", instruction, function);
      break;
  }
  if (stage == Stage::kIntermediate) return {};
  WW_TRY(check_aggregates(instruction));
  const llvm::Type* type = instruction.getType();
  if (!type->isVoidTy() && !is_aggregate(type) && !is_scalar(type))
    return violation("a type that back ends do not take", instruction, function);
  const bool builds = llvm::isa<llvm::InsertElementInst>(instruction) || llvm::isa<llvm::InsertValueInst>(instruction);
  for (const llvm::Use& use : instruction.operands())
    if (llvm::isa<llvm::UndefValue>(use.get()) && !(builds && use.getOperandNo() == 0))
      return violation("an undefined operand", instruction, function);
  if (auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&instruction))
    if (math->getFastMathFlags().any()) return violation("a fast-math flag", instruction, function);
  if ((instruction.mayReadOrWriteMemory() || llvm::isa<llvm::CallInst>(instruction)) && !instruction.getDebugLoc())
    return violation("an instruction without the line it comes from", instruction, function);
  return {};
}

// Every edge to a block that dominates its source is a loop's; any other backward edge makes an irreducible loop.
Status check_loops(const llvm::Function& function) {
  llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
  std::map<const llvm::BasicBlock*, int> state;  // 1: on the stack, 2: done
  std::vector<std::pair<const llvm::BasicBlock*, llvm::const_succ_iterator>> stack;
  const llvm::BasicBlock* entry = &function.getEntryBlock();
  state[entry] = 1;
  stack.emplace_back(entry, llvm::succ_begin(entry));
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next == llvm::succ_end(block)) {
      state[block] = 2;
      stack.pop_back();
      continue;
    }
    const llvm::BasicBlock* successor = *next++;
    if (state[successor] == 1) {
      if (!dominators.dominates(successor, block)) {
        Error error = runtime_error("a loop with several entries at block " + successor->getName().str());
        error.kernel = function.getName().str();
        return error;
      }
    } else if (state[successor] == 0) {
      state[successor] = 1;
      stack.emplace_back(successor, llvm::succ_begin(successor));
    }
  }
  return {};
}

Status check_function(const llvm::Function& function, Stage stage) {
  if (!function.hasLocalLinkage()) {
    if (!function.getReturnType()->isVoidTy() || function.arg_size() != 1 ||
        !function.getArg(0)->getType()->isPointerTy() || function.getArg(0)->getType()->getPointerAddressSpace() != 4)
      return runtime_error("kernel " + function.getName().str() + " is not `void (ptr addrspace(4))`");
  }
  for (const llvm::BasicBlock& block : function)
    for (const Instruction& instruction : block) WW_TRY(check_instruction(instruction, stage));
  return stage == Stage::kFinal ? check_loops(function) : Status();
}

Status check_variable(const llvm::GlobalVariable& variable) {
  switch (variable.getAddressSpace()) {
    case 0:
      if (!variable.isConstant() || !variable.hasInitializer() || !variable.hasLocalLinkage())
        return violation("a generic variable that is not a constant of devicelib", variable, nullptr);
      return {};
    case 1:
    case 4:
      if (variable.hasInitializer())
        return violation("a global variable that the device does not place", variable, nullptr);
      return {};
    case 3:
      if (variable.hasInitializer() != variable.hasLocalLinkage())
        return violation("a shared variable that is neither static nor dynamic", variable, nullptr);
      return {};
    default:
      return violation("a variable in an unknown address space", variable, nullptr);
  }
}

}  // namespace

Status validate(const llvm::Module& module, Stage stage) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream)) return runtime_error("illegal IR: " + text);
  unsigned kernels = 0;
  for (const llvm::GlobalVariable& variable : module.globals()) WW_TRY(check_variable(variable));
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const bool is_devicelib = function.getSubprogram() == nullptr;
    if (is_devicelib && stage == Stage::kIntermediate) continue;
    kernels += function.hasLocalLinkage() ? 0 : 1;
    WW_TRY(check_function(function, stage));
  }
  if (kernels != 1) return runtime_error("a module with " + std::to_string(kernels) + " kernels instead of one");
  return {};
}

}  // namespace ww::lower
