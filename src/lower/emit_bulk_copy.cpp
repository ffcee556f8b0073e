// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async (PTX manual, "Bulk copy", "st.async", "red.async"): done at
// once, and reported to the mbarrier at once. Groups and waits then have nothing left to do.
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

constexpr unsigned kChunk = 16;  // sizes and addresses are multiples

// for (i = 0; i < count; i += step) body(i), where `count` may be 0.
void loop(FunctionEmitter& e, Value* count, unsigned step, llvm::function_ref<void(Value* index)> body) {
  llvm::BasicBlock* before = e.builder.GetInsertBlock();
  llvm::BasicBlock* head = e.block("chunks");
  e.builder.CreateBr(head);
  e.enter(head);
  llvm::PHINode* index = e.builder.CreatePHI(e.builder.getInt32Ty(), 2);
  index->addIncoming(e.builder.getInt32(0), before);
  llvm::BasicBlock* inside = e.block("chunk");
  llvm::BasicBlock* done = llvm::BasicBlock::Create(e.module.context, "copied", e.target);
  e.builder.CreateCondBr(e.builder.CreateICmpULT(index, count), inside, done);
  e.enter(inside);
  body(index);
  index->addIncoming(e.builder.CreateAdd(index, e.builder.getInt32(step)), e.builder.GetInsertBlock());
  e.builder.CreateBr(head);
  done->moveAfter(e.builder.GetInsertBlock());
  e.enter(done);
}

Value* at(FunctionEmitter& e, Value* pointer, Value* offset) {
  return e.builder.CreatePtrAdd(pointer, e.builder.CreateZExt(offset, e.builder.getInt64Ty()));
}

void copy(FunctionEmitter& e, Value* to, Value* from, Value* size) {
  llvm::Type* word = e.builder.getInt64Ty();
  loop(e, size, kChunk, [&](Value* index) {
    for (unsigned half = 0; half < kChunk; half += 8) {
      Value* offset = e.builder.CreateAdd(index, e.builder.getInt32(half));
      Value* value = e.builder.CreateAlignedLoad(word, at(e, from, offset), llvm::Align(8));
      e.builder.CreateAlignedStore(value, at(e, to, offset), llvm::Align(8));
    }
  });
}

// False: LLVM has no such operation, and devicelib neither.
bool reduce(FunctionEmitter& e, Value* to, Value* from, Value* size) {
  const unsigned bytes = ptx::bits(e.type()) / 8;
  bool known = true;
  loop(e, size, bytes, [&](Value* index) {
    Value* value = e.builder.CreateAlignedLoad(e.type_of(e.type()), at(e, from, index), llvm::Align(bytes));
    known = known && update_memory(e, at(e, to, index), value) != nullptr;
  });
  return known;
}

// The same place in the shared memory of another block of the cluster.
Value* at_rank(FunctionEmitter& e, Value* pointer, Value* rank) {
  return e.intrinsic("mapa", e.pointer(3), {pointer, rank});
}

}  // namespace

Status emit_bulk_copy(FunctionEmitter& e) {
  if (e.has(Modifier::kTensor)) return e.unsupported("tensor maps are made by NVIDIA's driver");
  if (e.has(Modifier::kCommitGroup) || e.has(Modifier::kWaitGroup) || e.has(Modifier::kPrefetch)) return {};
  const ptx::CopySpaces spaces = ptx::copy_spaces(e.instruction());
  Value* to = e.address(e.operand(0), spaces.to);
  Value* from = e.address(e.operand(1), spaces.from);
  Value* size = e.read(2, Type::kU32);
  const bool reports = e.has(Modifier::kMbarrierCompleteTxBytes);
  Value* object = reports ? e.address(e.operand(3), ptx::Space::kShared) : nullptr;
  if (e.has(Modifier::kMulticastCluster)) {
    Value* ranks = e.builder.CreateZExt(e.read_bits(4, 16), e.builder.getInt32Ty());
    loop(e, e.intrinsic("cluster_nctarank", e.builder.getInt32Ty(), {}), 1, [&](Value* rank) {
      Value* wanted = e.builder.CreateAnd(e.builder.CreateLShr(ranks, rank), 1);
      loop(e, wanted, 1, [&](Value*) {
        copy(e, at_rank(e, to, rank), from, size);
        update_mbarrier(e, at_rank(e, object, rank), "mbarrier_after_complete", size);
      });
    });
    return {};
  }
  if (!e.has(Modifier::kReduce))
    copy(e, to, from, size);
  else if (!reduce(e, to, from, size))
    return e.unsupported();
  if (reports) update_mbarrier(e, object, "mbarrier_after_complete", size);
  return {};
}

// st.async [a], b, [mbar]; red.async [a], b, [mbar].
Status emit_async_store(FunctionEmitter& e) {
  if (!e.has(Modifier::kMbarrierCompleteTxBytes)) return e.unsupported();
  const Type type = e.type();
  const unsigned bytes = ptx::bits(type) / 8;
  Value* to = e.address(e.operand(0), e.space());
  const ptx::Operand& operand = e.operand(1);
  std::vector<Value*> values;
  if (operand.kind == ptx::OperandKind::kVector)
    for (const ptx::Operand& element : e.elements(operand)) values.push_back(e.read(element, type));
  else
    values.push_back(e.read(operand, type));
  for (size_t i = 0; i < values.size(); ++i) {
    Value* place = e.builder.CreatePtrAdd(to, e.builder.getInt64(i * bytes));
    if (e.instruction().opcode == ptx::Opcode::kSt)
      e.builder.CreateAlignedStore(values[i], place, llvm::Align(bytes));
    else if (update_memory(e, place, values[i]) == nullptr)
      return e.unsupported();
  }
  update_mbarrier(e, e.address(e.operand(2), e.space()), "mbarrier_after_complete",
                  e.builder.getInt32(unsigned(values.size()) * bytes));
  return {};
}

}  // namespace ww::lower
