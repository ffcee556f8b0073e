// Removes the calls that make a NaN NVIDIA's where nothing can see the difference.
//
// Assumes exact mode's form: every arithmetic result goes through ww_canonical_nan_* before anything else uses it, and
// devicelib's functions are still calls.
// Guarantees: a call stays where its value can reach memory, another lane, or an operation that looks at bits. A call
// whose users are all arithmetic goes: arithmetic makes a NaN of any NaN, and its own result is canonical.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

#include "lower/passes.h"

namespace ww::lower {
namespace {

// Functions of devicelib that hand bits of a NaN operand on.
bool hands_bits_on(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"ww_abs_", "ww_neg_", "ww_copysign_", "ww_ftz_", "ww_cvt_f32_bf16"})
    if (name.starts_with(prefix)) return true;
  return false;
}

class Visibility {
 public:
  // Whether the bits of a NaN in `value` can be told from those of another.
  bool is_visible(const llvm::Value* value) {
    const auto [entry, is_new] = known_.try_emplace(value, false);  // cycles of phis alone show nothing
    if (!is_new) return entry->second;
    for (const llvm::User* user : value->users())
      if (shows_bits(*user, value)) {
        known_[value] = true;
        return true;
      }
    return false;
  }

 private:
  bool shows_bits(const llvm::User& user, const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&user);
    if (instruction == nullptr) return true;
    switch (instruction->getOpcode()) {
      case llvm::Instruction::FAdd:
      case llvm::Instruction::FSub:
      case llvm::Instruction::FMul:
      case llvm::Instruction::FDiv:
      case llvm::Instruction::FCmp:
      case llvm::Instruction::FPTrunc:
      case llvm::Instruction::FPExt:
        return false;
      case llvm::Instruction::PHI:
        return is_visible(instruction);
      case llvm::Instruction::Select:
        return value == instruction->getOperand(0) || is_visible(instruction);
      case llvm::Instruction::BitCast:
        return is_visible(instruction);
      case llvm::Instruction::Call:
        return call_shows_bits(*llvm::cast<llvm::CallInst>(instruction));
      default:
        return true;
    }
  }

  bool call_shows_bits(const llvm::CallInst& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return true;
    switch (callee->getIntrinsicID()) {
      case llvm::Intrinsic::fma:
      case llvm::Intrinsic::sqrt:
      case llvm::Intrinsic::floor:
      case llvm::Intrinsic::ceil:
      case llvm::Intrinsic::trunc:
      case llvm::Intrinsic::roundeven:
      case llvm::Intrinsic::fptosi_sat:
      case llvm::Intrinsic::fptoui_sat:
        return false;
      default:
        break;
    }
    const llvm::StringRef name = callee->getName();
    if (name.starts_with("ww.mma.")) return false;
    return !name.starts_with("ww_") || hands_bits_on(name);
  }

  std::map<const llvm::Value*, bool> known_;
};

}  // namespace

Status remove_canonical_nans(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (call->getCalledFunction() != nullptr &&
            call->getCalledFunction()->getName().starts_with("ww_canonical_nan_"))
          calls.push_back(call);
    std::vector<llvm::CallInst*> invisible;
    for (llvm::CallInst* call : calls)
      if (!Visibility().is_visible(call)) invisible.push_back(call);
    for (llvm::CallInst* call : invisible) {
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
  }
  return {};
}

}  // namespace ww::lower
