// Which instructions are worked off strip by strip, and the dispatch by kind.
//
// A segment is a run of instructions without effect on other lanes. It is emitted for strip 0, then for strip 1, and so
// on; uniform instructions with strip 0. What looks at other lanes, or must keep the order of lanes (atomics), is
// emitted whole.
#include "cpu/vectorizer.h"

namespace ww::cpu {

static unsigned address_space_of(const llvm::Value* pointer) {
  return pointer->getType()->getPointerAddressSpace();
}

static bool may_alias(unsigned a, unsigned b) {
  if (a == b) return true;
  return a == 0 || b == 0;
}

static const llvm::Value* pointer_of(const llvm::Instruction& instruction) {
  return llvm::getLoadStorePointerOperand(&instruction);
}

// Whether the order of this access and others is a matter of the program.
static bool is_ordered(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isVolatile() || load->isAtomic();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->isVolatile() || store->isAtomic();
  return false;
}

// A uniform access is emitted once, before the later strips of what stands in front of it: if they could touch
// the same memory, a lane would see its own accesses out of order.
bool FunctionVectorizer::breaks_segment(llvm::ArrayRef<Instruction*> segment, const Instruction& next) const {
  const Value* pointer = pointer_of(next);
  if (pointer == nullptr || varying(pointer)) return false;
  for (const Instruction* earlier : segment) {
    const Value* other = pointer_of(*earlier);
    if (other == nullptr || !varying(other)) continue;
    if (is_ordered(next) || is_ordered(*earlier)) return true;
    if (!may_alias(address_space_of(pointer), address_space_of(other))) continue;
    if (llvm::isa<llvm::StoreInst>(next) || llvm::isa<llvm::StoreInst>(earlier)) return true;
  }
  return false;
}

bool FunctionVectorizer::is_whole(const Instruction& instruction) const {
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::FenceInst, llvm::AllocaInst>(instruction))
    return true;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return !varying(store->getPointerOperand()) && varying(store->getValueOperand());
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call);
}

Status FunctionVectorizer::emit_segment(llvm::ArrayRef<Instruction*> instructions) {
  for (int strip = 0; strip < int(strips_); ++strip)
    for (Instruction* instruction : instructions) {
      bool is_varying = in_strips(instruction);
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction))
        is_varying = varying(store->getPointerOperand());
      if (!is_varying && strip > 0) continue;
      WW_TRY(emit_instruction(*instruction, is_varying ? strip : kUniformStrip));
    }
  return {};
}

Status FunctionVectorizer::emit_instruction(Instruction& instruction, int strip) {
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return emit_binary(*operation, strip);
  if (auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    set(comparison, strip, compare(*comparison, strip));
    return {};
  }
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return emit_cast(*cast, strip);
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) return emit_intrinsic(*intrinsic, strip);
  if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) return emit_gep(*gep, strip);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return emit_load(*load, strip);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return emit_store(*store, strip);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    // A uniform condition chooses whole vectors.
    const bool spread = varying(select->getCondition()) && strip != kUniformStrip;
    Value* condition = get(select->getCondition(), spread ? strip : kUniformStrip);
    for (unsigned field = 0; field < field_count(select->getType()); ++field)
      set(select, strip,
          builder_.CreateSelect(condition, get(select->getTrueValue(), strip, field),
                                get(select->getFalseValue(), strip, field)),
          field);
    return {};
  }
  if (auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&instruction)) {
    Value* operand = get(unary->getOperand(0), strip);
    const bool is_half = unary->getType()->isHalfTy();
    set(unary, strip,
        is_half ? builder_.CreateXor(operand, llvm::ConstantInt::get(operand->getType(), 0x8000))
                : builder_.CreateFNeg(operand));
    return {};
  }
  if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&instruction)) {
    for (unsigned field = 0; field < field_count(freeze->getType()); ++field)
      set(freeze, strip, builder_.CreateFreeze(get(freeze->getOperand(0), strip, field)), field);
    return {};
  }
  if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    if (extract->getNumIndices() != 1) return unsupported(instruction, "nested aggregate");
    set(extract, strip, get(extract->getAggregateOperand(), strip, extract->getIndices()[0]));
    return {};
  }
  if (auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    if (insert->getNumIndices() != 1) return unsupported(instruction, "nested aggregate");
    for (unsigned field = 0; field < field_count(insert->getType()); ++field)
      set(insert, strip,
          field == insert->getIndices()[0] ? get(insert->getInsertedValueOperand(), strip)
                                           : get(insert->getAggregateOperand(), strip, field),
          field);
    return {};
  }
  if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    if (index == nullptr) return unsupported(instruction, "an index that is not constant");
    set(extract, strip, get(extract->getVectorOperand(), strip, unsigned(index->getZExtValue())));
    return {};
  }
  if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction)) {
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (index == nullptr) return unsupported(instruction, "an index that is not constant");
    for (unsigned field = 0; field < field_count(insert->getType()); ++field)
      set(insert, strip,
          field == index->getZExtValue() ? get(insert->getOperand(1), strip) : get(insert->getOperand(0), strip, field),
          field);
    return {};
  }
  if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    const unsigned width = field_count(shuffle->getOperand(0)->getType());
    for (unsigned field = 0; field < field_count(shuffle->getType()); ++field) {
      const int from = std::max(0, shuffle->getMaskValue(field));
      set(shuffle, strip, get(shuffle->getOperand(unsigned(from) < width ? 0 : 1), strip, unsigned(from) % width),
          field);
    }
    return {};
  }
  return unsupported(instruction);
}

Status FunctionVectorizer::emit_whole(Instruction& instruction) {
  if (auto* allocation = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) return emit_alloca(*allocation);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return emit_uniform_store(*store);
  if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
    builder_.CreateFence(fence->getOrdering());
    return {};
  }
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee != nullptr && callee->getName().starts_with("ww.")) return emit_warp_call(*call);
    return emit_call(*call);
  }
  return emit_atomic(instruction);
}

}  // namespace ww::cpu
