// atom and red (PTX manual, "Parallel Synchronization and Communication Instructions").
#include "lower/emit.h"

namespace ww::lower {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

// LLVM's operation for one of PTX's, or BAD_BINOP.
AtomicRMWInst::BinOp operation(FunctionEmitter& e) {
  const Type type = e.type();
  const bool is_signed = ptx::is_signed(type);
  if (e.has(Modifier::kExch)) return AtomicRMWInst::Xchg;
  if (e.has(Modifier::kAddModifier)) {
    if (!ptx::is_float(type)) return AtomicRMWInst::Add;
    // In exact mode an f32 sum has NVIDIA's NaN, and is flushed in global memory.
    if (type == Type::kF32 && e.exact()) return AtomicRMWInst::BAD_BINOP;
    return type == Type::kF32 || type == Type::kF64 || type == Type::kF16 ? AtomicRMWInst::FAdd
                                                                          : AtomicRMWInst::BAD_BINOP;
  }
  if (ptx::is_float(type)) return AtomicRMWInst::BAD_BINOP;
  if (e.has(Modifier::kAnd)) return AtomicRMWInst::And;
  if (e.has(Modifier::kOr)) return AtomicRMWInst::Or;
  if (e.has(Modifier::kXor)) return AtomicRMWInst::Xor;
  if (e.has(Modifier::kMinModifier)) return is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  if (e.has(Modifier::kMaxModifier)) return is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  if (e.has(Modifier::kInc)) return AtomicRMWInst::UIncWrap;
  if (e.has(Modifier::kDec)) return AtomicRMWInst::UDecWrap;
  return AtomicRMWInst::BAD_BINOP;
}

// The devicelib function that a compare-and-swap loop applies, for what LLVM has no operation for.
std::string function_for_loop(FunctionEmitter& e) {
  const std::string type(ptx::spelling(e.type()));
  // "atom.add.f32 on global memory flushes subnormal inputs and results to sign-preserving zero; on shared memory it
  // doesn't" (PTX manual, "atom").
  if (e.has(Modifier::kAddModifier) && e.type() == Type::kF32 && e.space() == ptx::Space::kGlobal && e.exact())
    return "add_rn_ftz_f32";
  if (e.has(Modifier::kAddModifier)) return "add_rn_" + type;
  if (e.has(Modifier::kMinModifier)) return "min_" + type;
  if (e.has(Modifier::kMaxModifier)) return "max_" + type;
  return "";
}

// old = *p; do { new = f(old, operand) } while (!cmpxchg(p, old, new)); gives old.
Value* compare_and_swap_loop(FunctionEmitter& e, Value* pointer, Value* operand, AtomicOrdering order,
                             llvm::SyncScope::ID scope) {
  const unsigned width = ptx::bits(e.type());
  llvm::IntegerType* integer = e.integer(width);
  const llvm::Align alignment(width / 8);
  llvm::LoadInst* first = e.builder.CreateAlignedLoad(integer, pointer, alignment);
  first->setAtomic(AtomicOrdering::Monotonic, scope);
  llvm::BasicBlock* before = e.builder.GetInsertBlock();
  llvm::BasicBlock* loop = e.block("cas");
  e.builder.CreateBr(loop);
  e.enter(loop);
  llvm::PHINode* old = e.builder.CreatePHI(integer, 2);
  old->addIncoming(first, before);
  Value* updated = e.devicelib(function_for_loop(e), {old, operand});
  if (updated == nullptr) return nullptr;
  updated = e.reinterpret(updated, integer);
  Value* exchange =
      e.builder.CreateAtomicCmpXchg(pointer, old, updated, alignment, order, AtomicOrdering::Monotonic, scope);
  old->addIncoming(e.builder.CreateExtractValue(exchange, 0), e.builder.GetInsertBlock());
  llvm::BasicBlock* done = e.block("done");
  e.builder.CreateCondBr(e.builder.CreateExtractValue(exchange, 1), done, loop);
  e.enter(done);
  return old;
}

}  // namespace

// atom.op d, [a], b{, c}; red.op [a], b.
Status emit_atom(FunctionEmitter& e) {
  const bool is_red = e.instruction().opcode == ptx::Opcode::kRed;
  if (e.has(Modifier::kV2) || e.has(Modifier::kV4) || e.has(Modifier::kV8) || e.has(Modifier::kAsync))
    return e.unsupported();
  const unsigned address_position = is_red ? 0 : 1;
  const Type type = e.type();
  const unsigned width = ptx::bits(type);
  if (width > 64) return e.unsupported();
  const AtomicOrdering order = memory_order(e, AtomicOrdering::Monotonic);
  const llvm::SyncScope::ID scope = sync_scope(e);
  Value* pointer = e.address(e.operand(address_position), e.space());
  const llvm::Align alignment(width / 8);
  Value* result;
  if (e.has(Modifier::kCas)) {
    const AtomicOrdering failure = order == AtomicOrdering::SequentiallyConsistent ? order
                                   : order == AtomicOrdering::Acquire || order == AtomicOrdering::AcquireRelease
                                       ? AtomicOrdering::Acquire
                                       : AtomicOrdering::Monotonic;
    Value* exchange =
        e.builder.CreateAtomicCmpXchg(pointer, e.read_bits(address_position + 1, width),
                                      e.read_bits(address_position + 2, width), alignment, order, failure, scope);
    result = e.builder.CreateExtractValue(exchange, 0);
  } else {
    Value* operand = e.read(address_position + 1, type);
    const AtomicRMWInst::BinOp op = operation(e);
    if (op == AtomicRMWInst::BAD_BINOP)
      result = compare_and_swap_loop(e, pointer, operand, order, scope);
    else
      result = e.builder.CreateAtomicRMW(op, pointer, operand, alignment, order, scope);
    if (result == nullptr) return e.unsupported();
  }
  if (!is_red) e.write(0, result, type);
  return {};
}

}  // namespace ww::lower
