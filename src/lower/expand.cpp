// Writes out the few devicelib functions that are in every inner loop, without branches and with what is known about
// their operands: ww_canonical_nan_f32, ww_abs_f32, ww_neg_f32, ww_min_f32, ww_max_f32 and their .NaN forms.
//
// Assumes that calls which nothing can tell apart are gone (canonical_nan.cpp), in exact mode.
// Guarantees: none of these calls remains. In fast mode min and max do not tell -0 from +0.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "lower/nan_visibility.h"
#include "lower/passes.h"

namespace ww::lower {
namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr uint32_t kNanF32 = 0x7fffffff;

Value* nan_f32(IRBuilder<>& builder) {
  return llvm::ConstantFP::get(builder.getContext(),
                               llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, kNanF32)));
}

// LLVM takes `x < 0 ? NaN : sqrt(x)` for sqrt(x): there the test is made on the bits.
Value* is_nan(IRBuilder<>& builder, Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::sqrt)
    return builder.CreateFCmpUNO(value, llvm::ConstantFP::get(value->getType(), 0.0));
  Value* magnitude = builder.CreateAnd(builder.CreateBitCast(value, builder.getInt32Ty()), uint64_t{0x7fffffff});
  return builder.CreateICmpUGT(magnitude, builder.getInt32(0x7f800000));
}

Value* canonical(IRBuilder<>& builder, Value* value) {
  return builder.CreateSelect(is_nan(builder, value), nan_f32(builder), value);
}

bool is_number(const Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  return constant != nullptr && !constant->isNaN();
}

// The smaller or larger of two numbers; of a number and a NaN the number (or the NaN: `hands_nan_on`); -0 is less than
// +0.
Value* extreme(IRBuilder<>& builder, Value* a, Value* b, bool is_min, bool hands_nan_on, bool is_exact,
               bool is_visible) {
  if (is_number(a)) std::swap(a, b);  // a constant second, where it saves work
  const bool b_is_number = is_number(b);
  Value* is_better = is_min ? builder.CreateFCmpOLT(a, b) : builder.CreateFCmpOGT(a, b);
  Value* result = builder.CreateSelect(is_better, a, b);
  // A comparison takes zeros for equal and gives b: right if b is the constant that wins among zeros, or not zero at
  // all.
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(b);
  const bool zero_is_right = b_is_number && (!constant->isZero() || constant->isNegative() == is_min);
  if (is_exact && !zero_is_right) {
    llvm::Type* bits = builder.getInt32Ty();
    Value* a_bits = builder.CreateBitCast(a, bits);
    Value* b_bits = builder.CreateBitCast(b, bits);
    Value* merged = is_min ? builder.CreateOr(a_bits, b_bits) : builder.CreateAnd(a_bits, b_bits);
    result = builder.CreateSelect(builder.CreateFCmpOEQ(a, b), builder.CreateBitCast(merged, a->getType()), result);
  }
  if (hands_nan_on) return builder.CreateSelect(builder.CreateFCmpUNO(a, b), nan_f32(builder), result);
  if (b_is_number) return result;
  result = builder.CreateSelect(builder.CreateFCmpUNO(b, llvm::ConstantFP::get(b->getType(), 0.0)), a, result);
  return is_exact && is_visible ? canonical(builder, result) : result;
}

}  // namespace

Status expand_functions(PassContext& context) {
  const bool is_exact = context.options.numerics == Numerics::kExact;
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    std::vector<std::pair<llvm::CallInst*, bool>> calls;
    const NanVisibility visibility(function);
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (call->getCalledFunction() != nullptr && call->getCalledFunction()->getName().starts_with("ww_"))
          calls.emplace_back(call, is_exact && visibility.is_visible(call));
    for (const auto& [call, is_visible] : calls) {
      const llvm::StringRef name = call->getCalledFunction()->getName();
      IRBuilder<> builder(call);
      Value* result = nullptr;
      if (name == "ww_canonical_nan_f32") {
        result = canonical(builder, call->getArgOperand(0));
      } else if (name == "ww_abs_f32" || name == "ww_neg_f32") {
        Value* operand = call->getArgOperand(0);
        result = name == "ww_neg_f32" ? builder.CreateFNeg(operand)
                                      : builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, operand);
      } else if (name == "ww_min_f32" || name == "ww_max_f32" || name == "ww_min_NaN_f32" || name == "ww_max_NaN_f32") {
        result = extreme(builder, call->getArgOperand(0), call->getArgOperand(1), name.contains("min"),
                         name.contains("NaN"), is_exact, is_visible);
      } else {
        continue;
      }
      call->replaceAllUsesWith(result);
      call->eraseFromParent();
    }
  }
  return {};
}

}  // namespace ww::lower
