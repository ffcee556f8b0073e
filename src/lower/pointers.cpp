// PTX computes addresses as integers; where such an address starts from a variable, this makes a getelementptr of it,
// so that alias analysis and back ends see which variable is meant. Generic accesses to shared or local variables
// become direct ones.
//
// Assumes registers in SSA form.
// Guarantees: an inttoptr whose sum contains the address of a variable is gone (through adds, subtractions, casts, phis
// and selects). Addresses that come from memory or parameters stay integers.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>
#include <set>

#include "lower/passes.h"

namespace ww::lower {
namespace {

using llvm::Value;

bool is_window(unsigned address_space) {
  return address_space == 3 || address_space == 5;
}

class PointerRecovery {
 public:
  explicit PointerRecovery(llvm::Function& function) : function_(function) {}

  bool run() {
    bool changed = false;
    std::vector<llvm::IntToPtrInst*> casts;
    for (llvm::Instruction& instruction : llvm::instructions(function_))
      if (auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction)) casts.push_back(cast);
    for (llvm::IntToPtrInst* cast : casts) {
      space_ = cast->getAddressSpace();
      failed_.clear();
      built_.clear();
      if (!is_rooted(cast->getOperand(0))) continue;
      Value* pointer = build(cast->getOperand(0));
      cast->replaceAllUsesWith(pointer);
      cast->eraseFromParent();
      changed = true;
    }
    std::vector<llvm::Instruction*> accesses;
    for (llvm::Instruction& instruction : llvm::instructions(function_))
      if (llvm::getLoadStorePointerOperand(&instruction) != nullptr || llvm::isa<llvm::AtomicRMWInst>(instruction) ||
          llvm::isa<llvm::AtomicCmpXchgInst>(instruction))
        accesses.push_back(&instruction);
    for (llvm::Instruction* access : accesses) changed |= make_direct(*access);
    return changed;
  }

 private:
  // The pointer that a cast chain of the wanted address space starts from, or null.
  Value* root(Value* pointer) {
    const unsigned own = pointer->getType()->getPointerAddressSpace();
    if (own == space_) return pointer;
    // Global and constant addresses are generic ones as they are.
    if (!is_window(own) && !is_window(space_)) return pointer;
    return nullptr;
  }

  // Whether the integer is a variable's address plus something. Cycles are taken to be rooted until a value is found
  // that is not; failures are remembered and the question asked again until none is new.
  bool is_rooted(Value* value) {
    size_t known;
    bool rooted;
    do {
      known = failed_.size();
      visited_.clear();
      rooted = look(value);
    } while (failed_.size() != known);
    return rooted;
  }

  bool look(Value* value) {
    if (failed_.count(value) != 0) return false;
    if (!visited_.insert(value).second) return true;
    if (look_inside(value)) return true;
    failed_.insert(value);
    return false;
  }

  bool look_inside(Value* value) {
    if (auto* cast = llvm::dyn_cast<llvm::PtrToIntOperator>(value)) return root(cast->getPointerOperand()) != nullptr;
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr) return false;
    switch (instruction->getOpcode()) {
      case llvm::Instruction::Add:
        return look(instruction->getOperand(0)) || look(instruction->getOperand(1));
      case llvm::Instruction::Sub:
        return look(instruction->getOperand(0));
      case llvm::Instruction::ZExt:
      case llvm::Instruction::Trunc:
        return is_window(space_) && instruction->getType()->getIntegerBitWidth() >= 32 &&
               instruction->getOperand(0)->getType()->getIntegerBitWidth() >= 32 && look(instruction->getOperand(0));
      case llvm::Instruction::Select:
        return look(instruction->getOperand(1)) && look(instruction->getOperand(2));
      case llvm::Instruction::PHI:
        for (Value* incoming : llvm::cast<llvm::PHINode>(instruction)->incoming_values())
          if (!look(incoming)) return false;
        return true;
      default:
        return false;
    }
  }

  Value* build(Value* value) {
    llvm::Type* type = llvm::PointerType::get(function_.getContext(), space_);
    if (auto* cast = llvm::dyn_cast<llvm::PtrToIntOperator>(value)) {
      Value* pointer = cast->getPointerOperand();
      if (pointer->getType() == type) return pointer;
      if (auto* constant = llvm::dyn_cast<llvm::Constant>(pointer))
        return llvm::ConstantExpr::getAddrSpaceCast(constant, type);
      auto* source = llvm::cast<llvm::Instruction>(cast);
      llvm::IRBuilder<> builder(source);
      return builder.CreateAddrSpaceCast(pointer, type);
    }
    if (const auto found = built_.find(value); found != built_.end()) return found->second;
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      llvm::IRBuilder<> builder(phi);
      llvm::PHINode* result = builder.CreatePHI(type, phi->getNumIncomingValues());
      built_[value] = result;
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        result->addIncoming(build(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      return result;
    }
    llvm::IRBuilder<> builder(instruction);
    Value* result = nullptr;
    switch (instruction->getOpcode()) {
      case llvm::Instruction::Add: {
        const unsigned side = is_rooted(instruction->getOperand(0)) ? 0 : 1;
        Value* base = build(instruction->getOperand(side));
        result = builder.CreatePtrAdd(base, instruction->getOperand(1 - side));
        break;
      }
      case llvm::Instruction::Sub: {
        Value* base = build(instruction->getOperand(0));
        result = builder.CreatePtrAdd(base, builder.CreateNeg(instruction->getOperand(1)));
        break;
      }
      case llvm::Instruction::Select: {
        Value* yes = build(instruction->getOperand(1));
        Value* no = build(instruction->getOperand(2));
        result = builder.CreateSelect(instruction->getOperand(0), yes, no);
        break;
      }
      default:
        result = build(instruction->getOperand(0));
        break;
    }
    built_[value] = result;
    return result;
  }

  // A generic pointer that is a cast of a shared or local one, plus offsets: the same in that space. Null if it is
  // none.
  Value* direct_pointer(Value* pointer) {
    if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
      Value* source = cast->getPointerOperand();
      return pointer->getType()->getPointerAddressSpace() == 0 ? source : nullptr;
    }
    auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
    if (gep == nullptr) return nullptr;
    Value* base = direct_pointer(gep->getPointerOperand());
    if (base == nullptr) return nullptr;
    llvm::IRBuilder<> builder(gep);
    std::vector<Value*> indices(gep->idx_begin(), gep->idx_end());
    return builder.CreateGEP(gep->getSourceElementType(), base, indices);
  }

  bool make_direct(llvm::Instruction& access) {
    for (llvm::Use& use : access.operands()) {
      if (!use->getType()->isPointerTy() || use->getType()->getPointerAddressSpace() != 0) continue;
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access); store != nullptr && use.getOperandNo() == 0) continue;
      Value* direct = direct_pointer(use.get());
      if (direct == nullptr) continue;
      use.set(direct);
      return true;
    }
    return false;
  }

  llvm::Function& function_;
  unsigned space_ = 0;
  std::set<Value*> visited_, failed_;
  std::map<Value*, Value*> built_;
};

}  // namespace

Status recover_pointers(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    if (PointerRecovery(function).run()) {
      for (llvm::BasicBlock& block : function) llvm::SimplifyInstructionsInBlock(&block);
      context.function_analyses.invalidate(function, llvm::PreservedAnalyses::none());
    }
  }
  return {};
}

}  // namespace ww::lower
