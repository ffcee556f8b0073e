// ld, ldu, st, fences (PTX manual, "Data Movement and Conversion Instructions" and "Memory Consistency Model").
#include <llvm/IR/Metadata.h>

#include "lower/emit.h"

namespace ww::lower {

using ptx::Modifier;
using ptx::Type;

llvm::SyncScope::ID sync_scope(FunctionEmitter& e) {
  if (e.has(Modifier::kSys)) return llvm::SyncScope::System;
  if (e.has(Modifier::kCta)) return e.module.context.getOrInsertSyncScopeID("block");
  return e.module.context.getOrInsertSyncScopeID("device");
}

llvm::AtomicOrdering memory_order(FunctionEmitter& e, llvm::AtomicOrdering otherwise) {
  if (e.has(Modifier::kRelaxed) || e.has(Modifier::kMmio)) return llvm::AtomicOrdering::Monotonic;
  if (e.has(Modifier::kAcquire)) return llvm::AtomicOrdering::Acquire;
  if (e.has(Modifier::kRelease)) return llvm::AtomicOrdering::Release;
  if (e.has(Modifier::kAcqRel)) return llvm::AtomicOrdering::AcquireRelease;
  if (e.has(Modifier::kSc)) return llvm::AtomicOrdering::SequentiallyConsistent;
  return otherwise;
}

namespace {

// The operand position of the address: eviction hints and cache policies come after.
struct Access {
  llvm::Type* element;
  unsigned count;
  llvm::Align alignment;
  bool is_volatile;
  llvm::AtomicOrdering order;
};

Access access_of(FunctionEmitter& e) {
  Access access;
  access.count = ptx::vector_elements(e.instruction());
  access.element = e.type_of(e.type());
  const unsigned bytes = std::max(1u, ptx::bits(e.type()) / 8) * access.count;
  access.alignment = llvm::Align(bytes);
  access.order = memory_order(e, llvm::AtomicOrdering::NotAtomic);
  // .cv fetches again, .wt writes through: programs poll with them.
  access.is_volatile =
      e.has(Modifier::kVolatile) || e.has(Modifier::kMmio) || e.has(Modifier::kCv) || e.has(Modifier::kWt);
  // LLVM has no atomic vectors: an ordered access of several elements is a volatile one with a fence.
  if (access.count > 1 && access.order != llvm::AtomicOrdering::NotAtomic) access.is_volatile = true;
  return access;
}

llvm::Type* access_type(const Access& access) {
  return access.count == 1 ? access.element : llvm::FixedVectorType::get(access.element, access.count);
}

}  // namespace

Status emit_ld(FunctionEmitter& e) {
  const Access access = access_of(e);
  if (e.type() == Type::kPred) return e.unsupported();
  const ptx::Space space = e.space();
  llvm::Value* pointer = e.address(e.operand(1), space);
  llvm::LoadInst* load =
      e.builder.CreateAlignedLoad(access_type(access), pointer, access.alignment, access.is_volatile);
  const unsigned number = pointer->getType()->getPointerAddressSpace();
  if (access.count == 1 && access.order != llvm::AtomicOrdering::NotAtomic)
    load->setAtomic(access.order, sync_scope(e));
  else if (access.order == llvm::AtomicOrdering::Acquire)
    e.builder.CreateFence(llvm::AtomicOrdering::Acquire, sync_scope(e));
  // What nobody writes while the kernel runs: constants, parameters, and what .nc promises.
  if (!access.is_volatile && !load->isAtomic() && (number == 4 || e.has(Modifier::kNc)))
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(e.module.context, {}));
  if (access.count == 1) {
    e.write(0, load, e.type());
    return {};
  }
  const auto elements = e.elements(e.operand(0));
  for (unsigned i = 0; i < elements.size(); ++i)
    e.write(elements[i], e.builder.CreateExtractElement(load, uint64_t(i)), e.type());
  return {};
}

Status emit_st(FunctionEmitter& e) {
  if (e.has(Modifier::kBulk)) return e.unsupported();
  if (e.has(Modifier::kAsync)) return emit_async_store(e);
  const Access access = access_of(e);
  llvm::Value* pointer = e.address(e.operand(0), e.space());
  llvm::Value* value;
  if (access.count == 1) {
    value = e.read(1, e.type());
  } else {
    value = llvm::PoisonValue::get(access_type(access));
    const auto elements = e.elements(e.operand(1));
    for (unsigned i = 0; i < elements.size(); ++i)
      value = e.builder.CreateInsertElement(value, e.read(elements[i], e.type()), uint64_t(i));
    if (access.order == llvm::AtomicOrdering::Release)
      e.builder.CreateFence(llvm::AtomicOrdering::Release, sync_scope(e));
  }
  llvm::StoreInst* store = e.builder.CreateAlignedStore(value, pointer, access.alignment, access.is_volatile);
  if (access.count == 1 && access.order != llvm::AtomicOrdering::NotAtomic)
    store->setAtomic(access.order, sync_scope(e));
  return {};
}

Status emit_fence(FunctionEmitter& e) {
  if (e.has(Modifier::kProxy) || e.has(Modifier::kMbarrierInit)) return {};  // there is one proxy here
  const bool is_sc = e.instruction().opcode == ptx::Opcode::kMembar || e.has(Modifier::kSc);
  llvm::AtomicOrdering order =
      is_sc ? llvm::AtomicOrdering::SequentiallyConsistent : memory_order(e, llvm::AtomicOrdering::AcquireRelease);
  if (order == llvm::AtomicOrdering::Monotonic) order = llvm::AtomicOrdering::AcquireRelease;
  e.builder.CreateFence(order, sync_scope(e));
  return {};
}

Status emit_nothing(FunctionEmitter&) {
  return {};
}

}  // namespace ww::lower
