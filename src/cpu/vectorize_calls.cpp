// Functions that were not inlined: recursion and function pointers.
//
// A function takes the context, the mask of its lanes, and two memory areas: arguments and results, each an array of 32
// elements a value (as for runtime functions). A call through a pointer is made once for each function that the lanes
// name.
#include "cpu/vectorizer.h"

namespace ww::cpu {

static uint64_t array_bytes(llvm::Type* type, const llvm::DataLayout& layout) {
  return warp_array_bytes(type->isIntegerTy(1) ? 1 : layout.getTypeStoreSize(type).getFixedValue());
}

void FunctionVectorizer::load_arguments() {
  Value* arguments = target_.getArg(2);
  uint64_t offset = 0;
  builder_.SetInsertPoint(entry_->getTerminator());
  for (llvm::Argument& argument : source_.args()) {
    Type* type = element(argument.getType());
    const bool is_bit = type->isIntegerTy(1);
    Type* stored = is_bit ? builder_.getInt8Ty() : type;
    const uint64_t size = layout_.getTypeStoreSize(stored).getFixedValue();
    for (int s = 0; s < int(strips_); ++s) {
      Value* place =
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), arguments, offset + uint64_t(s) * lanes_ * size);
      Value* value =
          builder_.CreateAlignedLoad(vector_of(stored), place, llvm::Align(std::min<uint64_t>(64, lanes_ * size)));
      if (is_bit) value = builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
      direct_[{&argument, 0u}].strip[unsigned(s)] = value;
    }
    offset += array_bytes(type, layout_);
  }
}

void FunctionVectorizer::emit_return(llvm::ReturnInst& instruction) {
  const Value* value = instruction.getReturnValue();
  if (value != nullptr) {
    Value* results = target_.getArg(3);
    uint64_t offset = 0;
    for (unsigned field = 0; field < field_count(value->getType()); ++field) {
      Type* type = element(field_type(value->getType(), field));
      const bool is_bit = type->isIntegerTy(1);
      const uint64_t size = is_bit ? 1 : layout_.getTypeStoreSize(type).getFixedValue();
      for (int s = 0; s < int(strips_); ++s) {
        Value* strip = get(value, s, field);
        if (is_bit) strip = builder_.CreateZExt(strip, vector_of(builder_.getInt8Ty()));
        Value* place =
            builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), results, offset + uint64_t(s) * lanes_ * size);
        // Other lanes may have their results from another function already.
        const llvm::Align alignment(std::min<uint64_t>(64, lanes_ * size));
        Value* others = builder_.CreateAlignedLoad(strip->getType(), place, alignment);
        strip = builder_.CreateSelect(expand(start_mask_, s), strip, others);
        builder_.CreateAlignedStore(strip, place, alignment);
      }
      offset += array_bytes(type, layout_);
    }
  }
  builder_.CreateRetVoid();
}

Status FunctionVectorizer::emit_call(llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee != nullptr && callee->isDeclaration()) return unsupported(call, "a function without a body");
  if (call.isInlineAsm()) return unsupported(call);
  // Arguments and results lie in memory of their own: the callee uses its own scratch, but the call may be recursive.
  uint64_t arguments_bytes = 64, results_bytes = 64;
  for (const llvm::Use& argument : call.args()) arguments_bytes += array_bytes(element(argument->getType()), layout_);
  for (unsigned field = 0; field < field_count(call.getType()); ++field)
    results_bytes += array_bytes(element(field_type(call.getType(), field)), layout_);
  llvm::IRBuilder<> builder(entry_, entry_->begin());
  const auto area = [&](uint64_t bytes) {
    llvm::AllocaInst* made = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), bytes));
    made->setAlignment(llvm::Align(64));
    return made;
  };
  llvm::AllocaInst* arguments = area(arguments_bytes);
  llvm::AllocaInst* results = area(results_bytes);
  uint64_t offset = 0;
  for (const llvm::Use& argument : call.args()) {
    Type* type = element(argument->getType());
    const bool is_bit = type->isIntegerTy(1);
    const uint64_t size = is_bit ? 1 : layout_.getTypeStoreSize(type).getFixedValue();
    for (int s = 0; s < int(strips_); ++s) {
      Value* strip = get(argument.get(), s);
      if (is_bit) strip = builder_.CreateZExt(strip, vector_of(builder_.getInt8Ty()));
      Value* place =
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), arguments, offset + uint64_t(s) * lanes_ * size);
      builder_.CreateAlignedStore(strip, place, llvm::Align(std::min<uint64_t>(64, lanes_ * size)));
    }
    offset += array_bytes(type, layout_);
  }
  Type* pointer = builder_.getPtrTy();
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer, builder_.getInt32Ty(), pointer, pointer}, false);
  const auto make_call = [&](Value* function, Value* mask) {
    builder_.CreateCall(type, function, {context_, mask, arguments, results});
  };
  if (callee != nullptr) {
    make_call(state_.functions.at(callee), mask_bits());
  } else if (!varying(call.getCalledOperand())) {
    make_call(host_pointer(get(call.getCalledOperand(), kUniformStrip)), mask_bits());
  } else {
    // The function of the lowest lane left, for all lanes that name it, until none is left.
    llvm::SmallVector<Value*, 8> targets;
    for (int s = 0; s < int(strips_); ++s) targets.push_back(get(call.getCalledOperand(), s));
    spill(call.getCalledOperand(), 0, 0);
    llvm::LLVMContext& context = source_.getContext();
    BasicBlock* before = builder_.GetInsertBlock();
    BasicBlock* loop = BasicBlock::Create(context, "target", &target_);
    BasicBlock* done = BasicBlock::Create(context, "targets.done", &target_);
    builder_.CreateBr(loop);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* left = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    left->addIncoming(mask_bits(), before);
    Value* lane = builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {builder_.getInt32Ty()}, {left, builder_.getTrue()});
    // Scratch memory is of this frame: the callee, even a recursive one, has its own.
    Value* target =
        builder_.CreateLoad(builder_.getInt64Ty(), builder_.CreateGEP(builder_.getInt64Ty(), scratch(0), lane));
    llvm::SmallVector<Value*, 8> same;
    for (Value* strip : targets) same.push_back(builder_.CreateICmpEQ(strip, splat(target)));
    Value* mask = builder_.CreateAnd(pack_bits(same), left);
    make_call(host_pointer(target), mask);
    Value* rest = builder_.CreateAnd(left, builder_.CreateNot(mask));
    left->addIncoming(rest, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpEQ(rest, builder_.getInt32(0)), done, loop);
    builder_.SetInsertPoint(done);
  }
  offset = 0;
  for (unsigned field = 0; field < field_count(call.getType()); ++field) {
    Type* field_of_call = element(field_type(call.getType(), field));
    const bool is_bit = field_of_call->isIntegerTy(1);
    Type* stored = is_bit ? builder_.getInt8Ty() : field_of_call;
    const uint64_t size = layout_.getTypeStoreSize(stored).getFixedValue();
    for (int s = 0; s < int(strips_); ++s) {
      Value* place =
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), results, offset + uint64_t(s) * lanes_ * size);
      Value* value =
          builder_.CreateAlignedLoad(vector_of(stored), place, llvm::Align(std::min<uint64_t>(64, lanes_ * size)));
      if (is_bit) value = builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
      set(&call, s, value, field);
    }
    offset += array_bytes(field_of_call, layout_);
  }
  return {};
}

}  // namespace ww::cpu
