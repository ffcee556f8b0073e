// mbarrier objects (PTX manual, "mbarrier"): 64 bits in shared memory, changed by compare-and-swap.
//
// Bits 0-19: arrivals that a phase takes; 20-39: those that the present one still misses; 40: parity of the phase; 41:
// it is one; 42-63: bytes that are still to come (signed).
#include "lower/emit.h"

namespace ww::lower {

using llvm::AtomicOrdering;
using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

constexpr unsigned kPending = 20, kPhase = 40, kValid = 41, kBytes = 42;
constexpr uint64_t kCount = 0xfffff;

// What an operation takes from the missing arrivals, and from those of later phases, and adds to the bytes.
struct Change {
  Value* arrivals = nullptr;
  Value* dropped = nullptr;
  Value* bytes = nullptr;
};

// The next phase begins when neither arrivals nor bytes are missing.
Value* changed(FunctionEmitter& e, Value* state, const Change& change) {
  if (change.arrivals != nullptr) state = e.builder.CreateSub(state, e.builder.CreateShl(change.arrivals, kPending));
  if (change.dropped != nullptr) state = e.builder.CreateSub(state, change.dropped);
  if (change.bytes != nullptr) state = e.builder.CreateAdd(state, e.builder.CreateShl(change.bytes, kBytes));
  const uint64_t missing = kCount << kPending | ~uint64_t{0} << kBytes;
  Value* is_done = e.builder.CreateICmpEQ(e.builder.CreateAnd(state, missing), e.constant(64, 0));
  Value* next = e.builder.CreateXor(state, uint64_t{1} << kPhase);
  next = e.builder.CreateOr(next, e.builder.CreateShl(e.builder.CreateAnd(state, kCount), kPending));
  return e.builder.CreateSelect(is_done, next, state);
}

// Gives the state from before.
Value* update(FunctionEmitter& e, Value* pointer, const Change& change) {
  const llvm::SyncScope::ID scope = sync_scope(e);
  const AtomicOrdering order = e.has(Modifier::kRelaxed) ? AtomicOrdering::Monotonic : AtomicOrdering::Release;
  llvm::LoadInst* first = e.builder.CreateAlignedLoad(e.integer(64), pointer, llvm::Align(8));
  first->setAtomic(AtomicOrdering::Monotonic, scope);
  llvm::BasicBlock* before = e.builder.GetInsertBlock();
  llvm::BasicBlock* loop = e.block("mbarrier");
  e.builder.CreateBr(loop);
  e.enter(loop);
  llvm::PHINode* old = e.builder.CreatePHI(e.integer(64), 2);
  old->addIncoming(first, before);
  Value* exchange = e.builder.CreateAtomicCmpXchg(pointer, old, changed(e, old, change), llvm::Align(8), order,
                                                  AtomicOrdering::Monotonic, scope);
  old->addIncoming(e.builder.CreateExtractValue(exchange, 0), loop);
  llvm::BasicBlock* done = e.block("arrived");
  e.builder.CreateCondBr(e.builder.CreateExtractValue(exchange, 1), done, loop);
  e.enter(done);
  return old;
}

Value* wide(FunctionEmitter& e, Value* value) {
  return e.builder.CreateZExt(value, e.integer(64));
}

}  // namespace

// cp.async.mbarrier.arrive: copies are complete at once, so that the arrival is due now. Without .noinc it would first
// have raised what is missing by one.
Status emit_copy_arrival(FunctionEmitter& e) {
  if (!e.has(Modifier::kNoinc)) return {};
  update(e, e.address(e.operand(0), e.space()), {.arrivals = e.constant(64, 1)});
  return {};
}

Status emit_mbarrier(FunctionEmitter& e) {
  if (e.has(Modifier::kPendingCount)) {
    Value* state = e.builder.CreateLShr(e.read(1, Type::kB64), uint64_t{kPending});
    e.write(0, e.builder.CreateTrunc(e.builder.CreateAnd(state, kCount), e.builder.getInt32Ty()), Type::kU32);
    return {};
  }
  if (e.has(Modifier::kTestWait) || e.has(Modifier::kTryWait)) {  // p, [address], state or parity
    llvm::LoadInst* state =
        e.builder.CreateAlignedLoad(e.integer(64), e.address(e.operand(1), e.space()), llvm::Align(8));
    state->setAtomic(e.has(Modifier::kRelaxed) ? AtomicOrdering::Monotonic : AtomicOrdering::Acquire, sync_scope(e));
    Value* phase = e.builder.CreateTrunc(e.builder.CreateLShr(state, uint64_t{kPhase}), e.builder.getInt1Ty());
    Value* waited = e.has(Modifier::kParity) ? e.read(2, Type::kB32)
                                             : e.builder.CreateLShr(e.read(2, Type::kB64), uint64_t{kPhase});
    e.write(0, e.builder.CreateICmpNE(phase, e.builder.CreateTrunc(waited, e.builder.getInt1Ty())), Type::kPred);
    return {};
  }
  const bool has_result = e.operand(0).kind != ptx::OperandKind::kAddress;
  const unsigned at = has_result ? 1 : 0;
  Value* pointer = e.address(e.operand(at), e.space());
  if (e.has(Modifier::kInit) || e.has(Modifier::kInval)) {
    Value* state = e.constant(64, 0);
    if (e.has(Modifier::kInit)) {
      Value* count = e.builder.CreateAnd(wide(e, e.read(at + 1, Type::kB32)), kCount);
      state =
          e.builder.CreateOr(e.builder.CreateOr(count, e.builder.CreateShl(count, kPending)), uint64_t{1} << kValid);
    }
    e.builder.CreateAlignedStore(state, pointer, llvm::Align(8), true);
    return {};
  }
  const bool arrives = e.has(Modifier::kArrive) || e.has(Modifier::kArriveDrop);
  if (!arrives && !e.has(Modifier::kExpectTx) && !e.has(Modifier::kCompleteTx)) return e.unsupported();
  Value* operand = e.operand_count() > at + 1 ? wide(e, e.read(at + 1, Type::kB32)) : e.constant(64, 1);
  Change change;
  if (arrives) change.arrivals = e.has(Modifier::kExpectTx) ? e.constant(64, 1) : operand;
  if (e.has(Modifier::kArriveDrop)) change.dropped = change.arrivals;
  if (e.has(Modifier::kExpectTx)) change.bytes = operand;
  if (e.has(Modifier::kCompleteTx)) change.bytes = e.builder.CreateNeg(operand);
  Value* before = update(e, pointer, change);
  if (has_result) e.write(0, before, Type::kB64);
  return {};
}

}  // namespace ww::lower
