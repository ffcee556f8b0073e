// cp.async (PTX manual, "Non-bulk copy"): copies at once. Groups and waits then have nothing left to do; a copy may
// complete any time before the wait that names it.
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

// Copies `size` of the `capacity` bytes and zeroes the rest, byte by byte.
void copy_bytes(FunctionEmitter& e, Value* to, Value* from, Value* size, unsigned capacity) {
  llvm::BasicBlock* before = e.builder.GetInsertBlock();
  llvm::BasicBlock* loop = e.block("bytes");
  e.builder.CreateBr(loop);
  e.enter(loop);
  llvm::PHINode* index = e.builder.CreatePHI(e.builder.getInt32Ty(), 2);
  index->addIncoming(e.builder.getInt32(0), before);
  llvm::BasicBlock* read = e.block("read");
  llvm::BasicBlock* write = llvm::BasicBlock::Create(e.module.context, "write", e.target);
  e.builder.CreateCondBr(e.builder.CreateICmpULT(index, size), read, write);
  e.enter(read);
  Value* byte = e.builder.CreateLoad(e.builder.getInt8Ty(),
                                     e.builder.CreatePtrAdd(from, e.builder.CreateZExt(index, e.builder.getInt64Ty())));
  e.builder.CreateBr(write);
  write->moveAfter(read);
  e.enter(write);
  llvm::PHINode* value = e.builder.CreatePHI(e.builder.getInt8Ty(), 2);
  value->addIncoming(byte, read);
  value->addIncoming(e.builder.getInt8(0), loop);
  e.builder.CreateStore(value, e.builder.CreatePtrAdd(to, index));
  Value* next = e.builder.CreateAdd(index, e.builder.getInt32(1));
  index->addIncoming(next, write);
  llvm::BasicBlock* done = e.block("copied");
  e.builder.CreateCondBr(e.builder.CreateICmpULT(next, e.builder.getInt32(capacity)), loop, done);
  e.enter(done);
}

}  // namespace

// cp.async.{ca,cg}.shared.global [dst], [src], cp-size{, src-size}{, policy} or {, ignore-src}; commit_group;
// wait_group N; wait_all.
Status emit_cp(FunctionEmitter& e) {
  if (!e.has(Modifier::kAsync)) return e.unsupported();
  if (e.has(Modifier::kBulk)) return emit_bulk_copy(e);
  if (e.has(Modifier::kMbarrier)) return emit_copy_arrival(e);
  if (e.has(Modifier::kCommitGroup) || e.has(Modifier::kWaitGroup) || e.has(Modifier::kWaitAll)) return {};
  const ptx::Operand& capacity_operand = e.operand(2);
  if (capacity_operand.kind != ptx::OperandKind::kInteger) return e.unsupported();
  const unsigned capacity = unsigned(capacity_operand.value);
  Value* to = e.address(e.operand(0), ptx::Space::kShared);
  Value* from = e.address(e.operand(1), ptx::Space::kGlobal);
  llvm::Type* whole = capacity == 16 ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(e.builder.getInt32Ty(), 4))
                                     : e.integer(8 * capacity);
  const llvm::Align alignment(capacity);

  // What follows is the number of bytes to read, a predicate that says to read none, or a cache policy.
  Value* size = nullptr;
  const unsigned extra = e.operand_count() - 3 - (e.has(Modifier::kL2CacheHint) ? 1 : 0);
  if (extra > 0) {
    if (e.register_type(e.operand(3)) == Type::kPred)
      size = e.builder.CreateSelect(e.read_predicate(3), e.builder.getInt32(0), e.builder.getInt32(capacity));
    else
      size = e.read(3, Type::kU32);
  }
  llvm::BasicBlock* done = nullptr;
  if (size != nullptr) {
    llvm::BasicBlock* full = e.block("full");
    llvm::BasicBlock* partial = e.block("partial");
    done = llvm::BasicBlock::Create(e.module.context, "done", e.target);
    e.builder.CreateCondBr(e.builder.CreateICmpUGE(size, e.builder.getInt32(capacity)), full, partial);
    e.enter(partial);
    copy_bytes(e, to, from, size, capacity);
    e.builder.CreateBr(done);
    e.enter(full);
  }
  if (capacity == 16) {
    Value* load = e.builder.CreateAlignedLoad(whole, from, alignment);
    Value* copy = llvm::PoisonValue::get(whole);
    for (uint64_t i = 0; i < 4; ++i)
      copy = e.builder.CreateInsertElement(copy, e.builder.CreateExtractElement(load, i), i);
    e.builder.CreateAlignedStore(copy, to, alignment);
  } else {
    e.builder.CreateAlignedStore(e.builder.CreateAlignedLoad(whole, from, alignment), to, alignment);
  }
  if (done != nullptr) {
    e.builder.CreateBr(done);
    done->moveAfter(e.builder.GetInsertBlock());
    e.enter(done);
  }
  return {};
}

}  // namespace ww::lower
