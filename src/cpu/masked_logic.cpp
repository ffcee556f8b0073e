#include "cpu/masked_logic.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace ww::cpu {

using llvm::Value;

static Value* without_casts(Value* value) {
  while (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value)) value = cast->getOperand(0);
  return value;
}

static bool is_logic(Value* value) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(without_casts(value));
  return operation != nullptr && operation->isBitwiseLogicOp();
}

// A sign's copy, or a logic operation on another one's result.
static bool has_three_operands(Value* value) {
  value = without_casts(value);
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value))
    return call->getIntrinsicID() == llvm::Intrinsic::copysign;
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return is_logic(value) && (is_logic(operation->getOperand(0)) || is_logic(operation->getOperand(1)));
}

// An arithmetic fence, which takes floats alone, is what instruction selection does not see through.
static Value* opaque(Value* value, llvm::Instruction* before) {
  llvm::IRBuilder<> builder(before);
  auto* type = llvm::cast<llvm::VectorType>(value->getType());
  llvm::Type* element = type->getScalarSizeInBits() == 32 ? builder.getFloatTy() : builder.getDoubleTy();
  llvm::Type* floats = llvm::VectorType::get(element, type->getElementCount());
  Value* fenced = builder.CreateUnaryIntrinsic(llvm::Intrinsic::arithmetic_fence, builder.CreateBitCast(value, floats));
  return builder.CreateBitCast(fenced, type);
}

void separate_masked_logic(llvm::Function& function) {
  std::vector<llvm::SelectInst*> selects;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (select == nullptr || !select->getCondition()->getType()->isVectorTy()) continue;
    const unsigned bits = select->getType()->getScalarSizeInBits();
    if (bits == 32 || bits == 64) selects.push_back(select);
  }
  for (llvm::SelectInst* select : selects)
    for (const unsigned arm : {1u, 2u})
      if (Value* value = select->getOperand(arm); has_three_operands(value))
        select->setOperand(arm, opaque(value, select));
}

}  // namespace ww::cpu
