// What crosses the lanes of a warp or the warps of a block: shuffles, votes, match, redux, elect, barriers.
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

constexpr uint32_t kAllLanes = 0xffffffffu;

// The member mask at operand `i`, or all lanes for the old forms without .sync.
Value* member_mask(FunctionEmitter& e, unsigned i) {
  return e.has(Modifier::kSync) && i < e.operand_count() ? e.read(i, Type::kB32) : e.builder.getInt32(kAllLanes);
}

llvm::StructType* value_and_predicate(FunctionEmitter& e) {
  return llvm::StructType::get(e.module.context, {e.builder.getInt32Ty(), e.builder.getInt1Ty()});
}

// d or d|p.
void write_pair(FunctionEmitter& e, Value* pair) {
  Value* value = e.builder.CreateExtractValue(pair, 0);
  const ptx::Operand& destination = e.operand(0);
  if (destination.kind != ptx::OperandKind::kPair) {
    e.write(destination, value, Type::kB32);
    return;
  }
  e.write(e.elements(destination)[0], value, Type::kB32);
  e.write(e.elements(destination)[1], e.builder.CreateExtractValue(pair, 1), Type::kPred);
}

}  // namespace

Status emit_shfl(FunctionEmitter& e) {
  const char* name = e.has(Modifier::kUp)     ? "shfl.up"
                     : e.has(Modifier::kDown) ? "shfl.down"
                     : e.has(Modifier::kBfly) ? "shfl.bfly"
                                              : "shfl.idx";
  write_pair(e, e.intrinsic(name, value_and_predicate(e),
                            {e.read(1, Type::kB32), e.read(2, Type::kB32), e.read(3, Type::kB32), member_mask(e, 4)}));
  return {};
}

Status emit_vote(FunctionEmitter& e) {
  const bool is_ballot = e.has(Modifier::kBallot);
  const char* name = is_ballot               ? "vote.ballot"
                     : e.has(Modifier::kAll) ? "vote.all"
                     : e.has(Modifier::kAny) ? "vote.any"
                                             : "vote.uni";
  Value* result = e.intrinsic(name, is_ballot ? e.builder.getInt32Ty() : e.builder.getInt1Ty(),
                              {e.read_predicate(1), member_mask(e, 2)});
  e.write(0, result, is_ballot ? Type::kB32 : Type::kPred);
  return {};
}

Status emit_match(FunctionEmitter& e) {
  const Type type = e.type();
  const std::string width = ptx::bits(type) == 64 ? ".b64" : ".b32";
  Value* value = e.read(1, type);
  Value* mask = member_mask(e, 2);
  if (e.has(Modifier::kAny)) {
    e.write(0, e.intrinsic("match.any" + width, e.builder.getInt32Ty(), {value, mask}), Type::kB32);
    return {};
  }
  write_pair(e, e.intrinsic("match.all" + width, value_and_predicate(e), {value, mask}));
  return {};
}

Status emit_redux(FunctionEmitter& e) {
  const Type type = e.type();
  if (ptx::is_float(type)) return e.unsupported();
  std::string name = "redux.";
  if (e.has(Modifier::kAddModifier)) name += "add";
  if (e.has(Modifier::kAnd)) name += "and";
  if (e.has(Modifier::kOr)) name += "or";
  if (e.has(Modifier::kXor)) name += "xor";
  if (e.has(Modifier::kMinModifier)) name += "min." + std::string(ptx::spelling(type));
  if (e.has(Modifier::kMaxModifier)) name += "max." + std::string(ptx::spelling(type));
  e.write(0, e.intrinsic(name, e.builder.getInt32Ty(), {e.read(1, type), e.read(2, Type::kB32)}), type);
  return {};
}

Status emit_elect(FunctionEmitter& e) {
  write_pair(e, e.intrinsic("elect", value_and_predicate(e), {e.read(1, Type::kB32)}));
  return {};
}

Status emit_activemask(FunctionEmitter& e) {
  e.write(0, e.intrinsic("activemask", e.builder.getInt32Ty(), {}), Type::kB32);
  return {};
}

// bar and barrier: .warp.sync, .sync, .arrive, .red. A missing thread count is 0, which means all of the block.
Status emit_barrier(FunctionEmitter& e) {
  llvm::Type* nothing = e.builder.getVoidTy();
  const auto call = [&](const char* name, llvm::Type* result, llvm::ArrayRef<Value*> operands) {
    auto* made = llvm::cast<llvm::CallInst>(e.intrinsic(name, result, operands));
    // Lanes of a warp may come one by one, and from several places.
    if (e.instruction().opcode != ptx::Opcode::kBar && !e.has(Modifier::kAligned))
      made->addFnAttr(llvm::Attribute::get(e.module.context, "ww.unaligned"));
    return made;
  };
  if (e.has(Modifier::kCluster)) {
    call(e.has(Modifier::kArrive) ? "barrier.cluster.arrive" : "barrier.cluster.wait", nothing, {});
    return {};
  }
  if (e.has(Modifier::kWarp)) {
    e.intrinsic("barrier.warp", nothing, {e.read(0, Type::kB32)});
    return {};
  }
  const bool is_reduction = e.has(Modifier::kRed);
  const unsigned first = is_reduction ? 1 : 0;                                    // the barrier's number
  const unsigned arguments = e.operand_count() - first - (is_reduction ? 1 : 0);  // number, threads
  Value* id = e.read(first, Type::kU32);
  Value* threads = arguments > 1 ? e.read(first + 1, Type::kU32) : e.builder.getInt32(0);
  if (!is_reduction) {
    call(e.has(Modifier::kArrive) ? "barrier.arrive" : "barrier.sync", nothing, {id, threads});
    return {};
  }
  Value* predicate = e.read_predicate(e.operand_count() - 1);
  if (e.has(Modifier::kPopc)) {
    e.write(0, call("barrier.red.popc", e.builder.getInt32Ty(), {id, threads, predicate}), Type::kU32);
    return {};
  }
  const char* name = e.has(Modifier::kAnd) ? "barrier.red.and" : "barrier.red.or";
  e.write(0, call(name, e.builder.getInt1Ty(), {id, threads, predicate}), Type::kPred);
  return {};
}

Status emit_nanosleep(FunctionEmitter& e) {
  e.intrinsic("nanosleep", e.builder.getVoidTy(), {e.read(0, Type::kU32)});
  return {};
}

}  // namespace ww::lower
