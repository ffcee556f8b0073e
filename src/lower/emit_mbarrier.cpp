// mbarrier objects (PTX manual, "mbarrier"): 64 bits in shared memory, changed by a compare-and-swap loop around what
// devicelib says that the operation makes of them.
#include "lower/emit.h"

namespace ww::lower {

using llvm::AtomicOrdering;
using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

const llvm::Align kAlignment(8);

// Null: none of those that change an object.
const char* update_function(FunctionEmitter& e) {
  const bool bytes = e.has(Modifier::kExpectTx);
  if (e.has(Modifier::kArriveDrop)) return bytes ? "mbarrier_after_expect_drop" : "mbarrier_after_drop";
  if (e.has(Modifier::kArrive)) return bytes ? "mbarrier_after_expect_arrival" : "mbarrier_after_arrival";
  if (bytes) return "mbarrier_after_expect";
  return e.has(Modifier::kCompleteTx) ? "mbarrier_after_complete" : nullptr;
}

}  // namespace

Value* update_mbarrier(FunctionEmitter& e, Value* pointer, const char* function, Value* operand) {
  const llvm::SyncScope::ID scope = sync_scope(e);
  // What other instructions have written is there when they report it, relaxed ones too.
  const bool relaxed = e.has(Modifier::kRelaxed) && e.instruction().opcode == ptx::Opcode::kMbarrier;
  const AtomicOrdering order = relaxed ? AtomicOrdering::Monotonic : AtomicOrdering::Release;
  llvm::LoadInst* first = e.builder.CreateAlignedLoad(e.integer(64), pointer, kAlignment);
  first->setAtomic(AtomicOrdering::Monotonic, scope);
  llvm::BasicBlock* before = e.builder.GetInsertBlock();
  llvm::BasicBlock* loop = e.block("mbarrier");
  e.builder.CreateBr(loop);
  e.enter(loop);
  llvm::PHINode* old = e.builder.CreatePHI(e.integer(64), 2);
  old->addIncoming(first, before);
  Value* exchange = e.builder.CreateAtomicCmpXchg(pointer, old, e.devicelib(function, {old, operand}), kAlignment,
                                                  order, AtomicOrdering::Monotonic, scope);
  old->addIncoming(e.builder.CreateExtractValue(exchange, 0), loop);
  llvm::BasicBlock* done = e.block("arrived");
  e.builder.CreateCondBr(e.builder.CreateExtractValue(exchange, 1), done, loop);
  e.enter(done);
  return old;
}

// cp.async.mbarrier.arrive: copies are complete at once, so that the arrival is due now. Without .noinc it would first
// have raised what is missing by one.
Status emit_copy_arrival(FunctionEmitter& e) {
  if (!e.has(Modifier::kNoinc)) return {};
  update_mbarrier(e, e.address(e.operand(0), e.space()), "mbarrier_after_arrival", e.constant(32, 1));
  return {};
}

Status emit_mbarrier(FunctionEmitter& e) {
  if (e.has(Modifier::kPendingCount)) {
    e.write(0, e.devicelib("mbarrier_pending", {e.read(1, Type::kB64)}), Type::kU32);
    return {};
  }
  if (e.has(Modifier::kTestWait) || e.has(Modifier::kTryWait)) {  // p, [address], state or parity
    llvm::LoadInst* object = e.builder.CreateAlignedLoad(e.integer(64), e.address(e.operand(1), e.space()), kAlignment);
    object->setAtomic(e.has(Modifier::kRelaxed) ? AtomicOrdering::Monotonic : AtomicOrdering::Acquire, sync_scope(e));
    const bool parity = e.has(Modifier::kParity);
    e.write(0,
            e.devicelib(parity ? "mbarrier_has_left_parity" : "mbarrier_has_left_phase",
                        {object, e.read(2, parity ? Type::kB32 : Type::kB64)}),
            Type::kPred);
    return {};
  }
  const bool has_result = e.operand(0).kind != ptx::OperandKind::kAddress;
  const unsigned at = has_result ? 1 : 0;
  Value* pointer = e.address(e.operand(at), e.space());
  if (e.has(Modifier::kInit) || e.has(Modifier::kInval)) {
    Value* object =
        e.has(Modifier::kInit) ? e.devicelib("mbarrier_object", {e.read(at + 1, Type::kB32)}) : e.constant(64, 0);
    e.builder.CreateAlignedStore(object, pointer, kAlignment, true);
    return {};
  }
  const char* function = update_function(e);
  if (function == nullptr) return e.unsupported();
  Value* operand = e.operand_count() > at + 1 ? e.read(at + 1, Type::kB32) : e.constant(32, 1);
  Value* before = update_mbarrier(e, pointer, function, operand);
  if (has_result) e.write(0, before, Type::kB64);
  return {};
}

}  // namespace ww::lower
