#include "lower/nan_visibility.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>

#include <vector>

namespace ww::lower {
namespace {

enum class Use { kHides, kShows, kHandsOn };

// The integers that hold the bits of an f32, or of an f16 whose NaN may be any: what a register without a type gives an
// instruction of another type. As two halves, or as bf16, a NaN of those is a number or not by its bits.
class FloatBits {
 public:
  explicit FloatBits(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
      if (cast != nullptr && cast->getSrcTy()->isFloatingPointTy() && cast->getType()->isIntegerTy())
        spread(cast, cast->getSrcTy()->isHalfTy() ? halves_ : floats_);
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr &&
          call->getCalledFunction()->getName() == "ww_canonical_nan_f16")
        spread(call, halves_);
    }
  }
  bool of_float(const llvm::Value* value) const { return floats_.contains(value); }
  bool of_half(const llvm::Value* value) const { return halves_.contains(value); }

 private:
  using Values = llvm::DenseSet<const llvm::Value*>;

  static void spread(const llvm::Value* from, Values& values) {
    std::vector<const llvm::Value*> work = {from};
    while (!work.empty()) {
      const llvm::Value* value = work.back();
      work.pop_back();
      if (!values.insert(value).second) continue;
      for (const llvm::User* user : value->users())
        if (llvm::isa<llvm::PHINode>(user) || llvm::isa<llvm::SelectInst>(user)) work.push_back(user);
    }
  }
  Values floats_, halves_;
};

// Functions of devicelib that hand the bits of a NaN operand on; the others give NVIDIA's.
constexpr const char* kHandOn[] = {"ww_abs_", "ww_neg_", "ww_ftz_", "ww_cvt_f32_bf16", "ww_cvt_f64_f32"};

Use use_of(const llvm::CallInst& call, const llvm::Use& operand, const FloatBits& bits) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return Use::kShows;
  switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
      return Use::kHides;
    case llvm::Intrinsic::fabs:
      return Use::kHandsOn;
    default:
      break;
  }
  const llvm::StringRef name = callee->getName();
  const bool is_float = operand.get()->getType()->isFloatingPointTy();
  // Registers of a and b are integers: f16 or bf16 pairs, tf32, or what is no number.
  if (name.starts_with("ww.mma."))
    return is_float || name.contains("tf32") || !(bits.of_float(operand.get()) || bits.of_half(operand.get()))
               ? Use::kHides
               : Use::kShows;
  if (bits.of_float(operand.get()) || (bits.of_half(operand.get()) && name.contains("bf16"))) return Use::kShows;
  // The sign of a NaN goes to a number.
  if (name.starts_with("ww_copysign_") || name.contains("xorsign")) return Use::kShows;
  for (const char* prefix : kHandOn)
    if (name.starts_with(prefix)) return Use::kHandsOn;
  if (!name.starts_with("ww_")) return Use::kShows;
  // Halves travel as integers, and their functions name the format; other functions of integers look at bits, and a
  // register that holds a float may be their operand.
  const bool is_of_halves = name.contains("f16") || name.contains("e4m3") || name.contains("e5m2");
  return is_of_halves || is_float ? Use::kHides : Use::kShows;
}

// What an instruction does with the NaN bits of an operand.
Use use_of(const llvm::Instruction& user, const llvm::Use& operand, const FloatBits& bits) {
  switch (user.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FCmp:
      return Use::kHides;
    case llvm::Instruction::PHI:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::FPTrunc:  // keeps the upper bits of a NaN's payload
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FNeg:
      return Use::kHandsOn;
    case llvm::Instruction::Select:
      return operand.getOperandNo() == 0 ? Use::kShows : Use::kHandsOn;
    case llvm::Instruction::Call:
      return use_of(llvm::cast<llvm::CallInst>(user), operand, bits);
    default:
      return Use::kShows;
  }
}

}  // namespace

NanVisibility::NanVisibility(const llvm::Function& function) {
  const FloatBits bits(function);
  std::vector<const llvm::Value*> work;
  const auto show = [&](const llvm::Value* value) {
    if ((llvm::isa<llvm::Instruction>(value) || llvm::isa<llvm::Argument>(value)) && visible_.insert(value).second)
      work.push_back(value);
  };
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    for (const llvm::Use& operand : instruction.operands())
      if (use_of(instruction, operand, bits) == Use::kShows) show(operand.get());
  while (!work.empty()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(work.back());
    work.pop_back();
    if (instruction == nullptr) continue;
    for (const llvm::Use& operand : instruction->operands())
      if (use_of(*instruction, operand, bits) == Use::kHandsOn) show(operand.get());
  }
}

}  // namespace ww::lower
