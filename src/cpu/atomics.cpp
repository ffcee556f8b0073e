// Atomic operations: one lane after the other, in the order of lanes. A block runs on one host thread, so its shared
// memory needs no locked instructions.
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "cpu/vectorizer.h"

namespace ww::cpu {

Status FunctionVectorizer::emit_atomic(Instruction& instruction) {
  auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  if (update == nullptr && exchange == nullptr) return unsupported(instruction);
  const Value* pointer = update != nullptr ? update->getPointerOperand() : exchange->getPointerOperand();
  const Value* operand = update != nullptr ? update->getValOperand() : exchange->getNewValOperand();
  Type* source_type = operand->getType();
  Type* type = element(source_type);
  const bool is_shared = pointer->getType()->getPointerAddressSpace() == 3;
  const bool is_uniform = !varying(pointer);

  // Addresses, operands, results in scratch memory.
  const uint64_t values = uint64_t{kWarpLanes} * 16;  // one array of them, of the widest type
  const uint64_t places_at = 0, operands_at = values, expected_at = 2 * values, old_at = 3 * values,
                 success_at = 4 * values;
  scratch(success_at + 64);
  if (!is_uniform) {
    for (int s = 0; s < int(strips_); ++s) {
      Value* places = host_address(address_of(pointer, s));
      builder_.CreateAlignedStore(places, scratch(places_at + uint64_t(s) * lanes_ * 8), llvm::Align(32));
    }
  }
  Value* uniform_place = is_uniform ? host_address(address_of(pointer, kUniformStrip)) : nullptr;
  spill(operand, 0, operands_at);
  if (exchange != nullptr) spill(exchange->getCompareOperand(), 0, expected_at);

  llvm::LLVMContext& context = source_.getContext();
  BasicBlock* before = builder_.GetInsertBlock();
  BasicBlock* loop = BasicBlock::Create(context, "lane", &target_);
  BasicBlock* done = BasicBlock::Create(context, "lanes.done", &target_);
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* left = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  left->addIncoming(mask_bits(), before);
  Value* lane = builder_.CreateZExt(
      builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {builder_.getInt32Ty()}, {left, builder_.getTrue()}),
      builder_.getInt64Ty());
  const auto in_lane = [&](Type* element_type, uint64_t offset) {
    return builder_.CreateGEP(element_type, scratch(offset), lane);
  };
  Value* place = is_uniform ? uniform_place
                            : builder_.CreateLoad(builder_.getInt64Ty(), in_lane(builder_.getInt64Ty(), places_at));
  place = host_pointer(place);
  Value* value = builder_.CreateLoad(type, in_lane(type, operands_at));
  const llvm::Align alignment(layout_.getTypeStoreSize(type));
  if (update != nullptr) {
    Value* old;
    if (source_type->isHalfTy()) value = builder_.CreateBitCast(value, source_type);
    if (is_shared) {
      old = builder_.CreateAlignedLoad(source_type, place, alignment);
      Value* changed = source_type->isHalfTy() && update->getOperation() == llvm::AtomicRMWInst::FAdd
                           ? builder_.CreateBitCast(
                                 float_to_half(builder_.CreateFAdd(half_to_float(builder_.CreateBitCast(old, type)),
                                                                   half_to_float(builder_.CreateBitCast(value, type)))),
                                 source_type)
                           : llvm::buildAtomicRMWValue(update->getOperation(), builder_, old, value);
      builder_.CreateAlignedStore(changed, place, alignment);
    } else {
      old = builder_.CreateAtomicRMW(update->getOperation(), place, value, alignment, update->getOrdering());
    }
    builder_.CreateStore(builder_.CreateBitCast(old, type), in_lane(type, old_at));
  } else {
    Value* expected = builder_.CreateLoad(type, in_lane(type, expected_at));
    Value* old;
    Value* success;
    if (is_shared) {
      old = builder_.CreateAlignedLoad(type, place, alignment);
      success = builder_.CreateICmpEQ(old, expected);
      builder_.CreateAlignedStore(builder_.CreateSelect(success, value, old), place, alignment);
    } else {
      Value* both = builder_.CreateAtomicCmpXchg(place, expected, value, alignment, exchange->getSuccessOrdering(),
                                                 exchange->getFailureOrdering());
      old = builder_.CreateExtractValue(both, 0);
      success = builder_.CreateExtractValue(both, 1);
    }
    builder_.CreateStore(old, in_lane(type, old_at));
    builder_.CreateStore(builder_.CreateZExt(success, builder_.getInt8Ty()), in_lane(builder_.getInt8Ty(), success_at));
  }
  Value* rest = builder_.CreateAnd(left, builder_.CreateSub(left, builder_.getInt32(1)));
  left->addIncoming(rest, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpEQ(rest, builder_.getInt32(0)), done, loop);
  builder_.SetInsertPoint(done);
  if (instruction.use_empty()) return {};
  for (int s = 0; s < int(strips_); ++s) {
    set(&instruction, s, reload(vector_of(type), old_at, s), 0);
    if (exchange != nullptr) set(&instruction, s, reload(vector_of(builder_.getInt1Ty()), success_at, s), 1);
  }
  return {};
}

}  // namespace ww::cpu
