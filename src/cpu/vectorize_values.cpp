// How values of the per-lane function are held: types, constants, slots.
#include <llvm/IR/Constants.h>

#include "cpu/vectorizer.h"

namespace ww::cpu {

llvm::Type* FunctionVectorizer::element(Type* type) const {
  if (type->isHalfTy()) return Type::getInt16Ty(type->getContext());
  if (auto* pointer = llvm::dyn_cast<llvm::PointerType>(type)) {
    const unsigned space = pointer->getAddressSpace();
    return Type::getIntNTy(type->getContext(), space == 3 || space == 5 ? 32 : 64);
  }
  return type;
}

unsigned FunctionVectorizer::field_count(Type* type) {
  if (type->isVoidTy()) return 0;
  if (auto* aggregate = llvm::dyn_cast<llvm::StructType>(type)) return aggregate->getNumElements();
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return unsigned(array->getNumElements());
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return vector->getNumElements();
  return 1;
}

llvm::Type* FunctionVectorizer::field_type(Type* type, unsigned field) {
  if (auto* aggregate = llvm::dyn_cast<llvm::StructType>(type)) return aggregate->getElementType(field);
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return array->getElementType();
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return vector->getElementType();
  return type;
}

llvm::FixedVectorType* FunctionVectorizer::vector_of(Type* scalar) const {
  return llvm::FixedVectorType::get(scalar, lanes_);
}

llvm::Type* FunctionVectorizer::at(Type* scalar, int strip) const {
  return strip == kUniformStrip ? scalar : vector_of(scalar);
}

// Masks in slots are in the form that the level computes with: bits on v4, all-ones integers below.
llvm::Type* FunctionVectorizer::slot_type(Type* emitted) const {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(emitted);
  if (vector == nullptr || !vector->getElementType()->isIntegerTy(1) || level_.has_scatter) return emitted;
  return vector_of(Type::getInt32Ty(emitted->getContext()));
}

llvm::Value* FunctionVectorizer::to_slot(Value* value) {
  Type* type = slot_type(value->getType());
  return type == value->getType() ? value : builder_.CreateSExt(value, type);
}

llvm::Value* FunctionVectorizer::from_slot(Value* value, Type* emitted) {
  if (value->getType() == emitted) return value;
  return builder_.CreateICmpSLT(value, llvm::Constant::getNullValue(value->getType()));
}

bool FunctionVectorizer::needs_slot(const Instruction& instruction) const {
  if (llvm::isa<llvm::PHINode>(instruction)) return true;
  const BasicBlock* home = instruction.getParent();
  if (home == &source_.getEntryBlock()) return false;
  const bool home_parted = divergence_.parted(home);
  for (const llvm::Use& use : instruction.uses()) {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    const BasicBlock* place = phi != nullptr ? phi->getIncomingBlock(use) : user->getParent();
    if (place != home && (home_parted || divergence_.parted(place))) return true;
  }
  return false;
}

// Vectors that live across many parted blocks would be phis in all of them, and spilled in the end: they stay in
// memory. With eight strips a warp that is so for all that leave their block, and finding the phis would take minutes.
bool FunctionVectorizer::is_long_lived(const Value* value) const {
  constexpr unsigned kManyBlocks = 48, kManyStrips = 8;
  const unsigned long_life = strips_ >= kManyStrips ? 0 : 8;
  const BlockOrder& order = divergence_.order();
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || order.blocks().size() < kManyBlocks) return false;
  const unsigned home = order.index(instruction->getParent());
  for (const llvm::Use& use : instruction->uses()) {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    const unsigned place = order.index(phi != nullptr ? phi->getIncomingBlock(use) : user->getParent());
    if (place > home + long_life) return true;
  }
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction))
    for (const BasicBlock* from : phi->blocks()) {
      const unsigned place = order.index(from);
      if (std::max(place, home) - std::min(place, home) > long_life) return true;
    }
  return false;
}

llvm::AllocaInst* FunctionVectorizer::slot(const Value* value, unsigned field, int strip) {
  auto& slots = slots_[{value, field}];
  const unsigned index = strip == kUniformStrip ? 0 : unsigned(strip);
  if (slots[index] == nullptr) {
    llvm::IRBuilder<> builder(entry_, entry_->begin());
    slots[index] = builder.CreateAlloca(slot_type(at(element(field_type(value->getType(), field)), strip)));
    if (strip != kUniformStrip && is_long_lived(value)) kept_in_memory_.push_back(slots[index]);
  }
  return slots[index];
}

llvm::Value* FunctionVectorizer::scalar_constant(const Value* value, unsigned field) {
  Type* source_type = field_type(value->getType(), field);
  Type* type = element(source_type);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    if (global->getAddressSpace() == 3) {
      const auto found = state_.shared_offsets.find(global);
      Value* offset = llvm::ConstantInt::get(type, found == state_.shared_offsets.end() ? 0 : found->second);
      if (!state_.options.clustered) return offset;
      Value* begin = context_field(offsetof(WarpContext, own_shared), type);
      return llvm::IRBuilder<>(entry_->getTerminator()).CreateAdd(begin, offset);
    }
    // Tables of devicelib are constants of the module itself.
    if (global->hasInitializer())
      return llvm::ConstantExpr::getPtrToInt(const_cast<llvm::GlobalVariable*>(global), type);
    const auto found = state_.options.globals.find(global->getName().str());
    return llvm::ConstantInt::get(type, found == state_.options.globals.end() ? 0 : found->second);
  }
  if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) {
    const auto found = state_.functions.find(function);
    return builder_.CreatePtrToInt(found == state_.functions.end() ? nullptr : found->second, type);
  }
  const auto* constant = llvm::cast<llvm::Constant>(value);
  if (source_type != value->getType()) {
    constant = constant->getAggregateElement(field);
    if (constant == nullptr) return llvm::Constant::getNullValue(type);
  }
  if (llvm::isa<llvm::UndefValue>(constant) || constant->isNullValue()) {
    if (!source_type->isHalfTy() || !llvm::isa<llvm::ConstantFP>(constant)) return llvm::Constant::getNullValue(type);
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(constant); number != nullptr && source_type->isHalfTy())
    return llvm::ConstantInt::get(type, number->getValueAPF().bitcastToAPInt());
  return const_cast<llvm::Constant*>(constant);
}

llvm::Value* FunctionVectorizer::get(const Value* value, int strip, unsigned field) {
  if (llvm::isa<llvm::Constant>(value)) {
    Value* scalar = scalar_constant(value, field);
    return strip == kUniformStrip ? scalar : splat(scalar);
  }
  const Key key{value, field};
  if (strip != kUniformStrip && !in_strips(value)) {
    const int64_t step = varying(value) ? *steps_.step(value) : 0;
    const unsigned place = step != 0 ? unsigned(strip) : 0;
    if (Value* known = splats_[key].strip[place]) return known;
    Value* spread = splat(get(value, kUniformStrip, field));
    if (step != 0) {
      llvm::SmallVector<llvm::Constant*, 16> row;
      for (unsigned i = 0; i < lanes_; ++i)
        row.push_back(llvm::ConstantInt::get(spread->getType()->getScalarType(),
                                             uint64_t(step) * (unsigned(strip) * lanes_ + i), false, true));
      spread = builder_.CreateAdd(spread, llvm::ConstantVector::get(row));
    }
    splats_[key].strip[place] = spread;
    return spread;
  }
  const unsigned index = strip == kUniformStrip ? 0 : unsigned(strip);
  if (const auto found = now_.find(key); found != now_.end() && found->second.strip[index] != nullptr)
    return found->second.strip[index];
  if (const auto found = direct_.find(key); found != direct_.end() && found->second.strip[index] != nullptr)
    return found->second.strip[index];
  llvm::AllocaInst* place = slot(value, field, strip);
  Value* loaded = builder_.CreateLoad(place->getAllocatedType(), place);
  Value* result = from_slot(loaded, at(element(field_type(value->getType(), field)), strip));
  now_[key].strip[index] = result;
  return result;
}

void FunctionVectorizer::set(const Value* value, int strip, Value* emitted, unsigned field) {
  const Key key{value, field};
  const unsigned index = strip == kUniformStrip ? 0 : unsigned(strip);
  now_[key].strip[index] = emitted;
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction != nullptr && needs_slot(*instruction))
    builder_.CreateStore(to_slot(emitted), slot(value, field, strip));
  else
    direct_[key].strip[index] = emitted;
}

llvm::Constant* FunctionVectorizer::lane_numbers(int strip) const {
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (unsigned i = 0; i < lanes_; ++i)
    numbers.push_back(llvm::ConstantInt::get(Type::getInt32Ty(source_.getContext()), uint64_t(strip) * lanes_ + i));
  return llvm::ConstantVector::get(numbers);
}

llvm::Value* FunctionVectorizer::context_field(size_t offset, Type* type) {
  Value*& field = context_fields_[offset];
  if (field == nullptr) {
    llvm::IRBuilder<> builder(entry_->getTerminator());
    Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), context_, offset);
    field = builder.CreateLoad(type, place);
  }
  return field;
}

}  // namespace ww::cpu
