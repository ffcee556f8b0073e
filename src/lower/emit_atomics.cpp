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
    // In exact mode a sum has NVIDIA's NaN, and an f32 one is flushed in global memory.
    if (e.exact()) return AtomicRMWInst::BAD_BINOP;
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
  if (e.has(Modifier::kMinModifier)) return "min_" + type;
  if (e.has(Modifier::kMaxModifier)) return "max_" + type;
  return "";
}

// The sum that memory at `pointer` gets. Of f32 and f64 it is not the same in global as in shared memory; a generic
// address is in either.
Value* sum(FunctionEmitter& e, Value* pointer, Value* held, Value* added) {
  const Type type = e.type();
  const std::string name(ptx::spelling(type));
  const bool keeps_subnormals = type == Type::kF32 && e.has(Modifier::kBulk);
  if (!e.exact() || keeps_subnormals || (type != Type::kF32 && type != Type::kF64))
    return e.devicelib("add_rn_" + name, {held, added});
  const bool is_vector = ptx::vector_elements(e.instruction()) > 1;  // of global memory alone
  Value* in_global = e.devicelib("sum_in_global_" + name, {held, added});
  if (e.space() == ptx::Space::kGlobal || is_vector) return in_global;
  Value* in_shared = e.devicelib("sum_in_shared_" + name, {held, added});
  if (e.space() == ptx::Space::kShared) return in_shared;
  Value* is_shared = e.intrinsic("isspacep.cluster", e.builder.getInt1Ty(), {pointer});
  return e.builder.CreateSelect(is_shared, in_shared, in_global);
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
  Value* updated =
      e.has(Modifier::kAddModifier) ? sum(e, pointer, old, operand) : e.devicelib(function_for_loop(e), {old, operand});
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

Value* update_memory(FunctionEmitter& e, Value* pointer, Value* operand) {
  const AtomicOrdering order = memory_order(e, AtomicOrdering::Monotonic);
  const llvm::SyncScope::ID scope = sync_scope(e);
  const AtomicRMWInst::BinOp op = operation(e);
  if (op == AtomicRMWInst::BAD_BINOP) return compare_and_swap_loop(e, pointer, operand, order, scope);
  return e.builder.CreateAtomicRMW(op, pointer, operand, llvm::Align(ptx::bits(e.type()) / 8), order, scope);
}

namespace {

Value* compare_and_swap(FunctionEmitter& e, Value* pointer, Value* expected, Value* desired) {
  const AtomicOrdering order = memory_order(e, AtomicOrdering::Monotonic);
  const AtomicOrdering failure = order == AtomicOrdering::SequentiallyConsistent ? order
                                 : order == AtomicOrdering::Acquire || order == AtomicOrdering::AcquireRelease
                                     ? AtomicOrdering::Acquire
                                     : AtomicOrdering::Monotonic;
  Value* exchange = e.builder.CreateAtomicCmpXchg(pointer, expected, desired, llvm::Align(ptx::bits(e.type()) / 8),
                                                  order, failure, sync_scope(e));
  return e.builder.CreateExtractValue(exchange, 0);
}

// Each element of a vector is atomic by itself.
Status emit_vector(FunctionEmitter& e, Value* pointer, const ptx::Operand& operand, const ptx::Operand* destination) {
  const Type type = e.type();
  std::vector<Value*> values, results;
  for (const ptx::Operand& element : e.elements(operand)) values.push_back(e.read(element, type));
  for (Value* value : values) {
    Value* place = e.builder.CreatePtrAdd(pointer, e.constant(64, results.size() * ptx::bits(type) / 8));
    results.push_back(update_memory(e, place, value));
    if (results.back() == nullptr) return e.unsupported();
  }
  if (destination == nullptr || destination->kind != ptx::OperandKind::kVector) return {};
  for (size_t i = 0; i < results.size(); ++i) e.write(e.elements(*destination)[i], results[i], type);
  return {};
}

}  // namespace

// atom.op d, [a], b{, c}; red.op [a], b.
Status emit_atom(FunctionEmitter& e) {
  if (e.has(Modifier::kAsync)) return emit_async_store(e);
  const bool is_red = e.instruction().opcode == ptx::Opcode::kRed;
  const unsigned address_position = is_red ? 0 : 1;
  const Type type = e.type();
  const unsigned width = ptx::bits(type);
  Value* pointer = e.address(e.operand(address_position), e.space());
  const ptx::Operand& operand = e.operand(address_position + 1);
  if (operand.kind == ptx::OperandKind::kVector)
    return emit_vector(e, pointer, operand, is_red ? nullptr : &e.operand(0));
  Value* result = e.has(Modifier::kCas) ? compare_and_swap(e, pointer, e.read_bits(operand, width),
                                                           e.read_bits(address_position + 2, width))
                                        : update_memory(e, pointer, e.read(operand, type));
  if (result == nullptr) return e.unsupported();
  if (!is_red) e.write(0, result, type);
  return {};
}

}  // namespace ww::lower
