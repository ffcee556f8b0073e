// bra, brx.idx, ret, exit, trap (PTX manual, "Control Flow Instructions").
#include "lower/emit.h"

namespace ww::lower {

Status emit_bra(FunctionEmitter& e) {
  const ptx::Operand& target = e.operand(0);
  if (target.kind != ptx::OperandKind::kLabel) return e.unsupported();
  e.builder.CreateBr(e.label_block(target.index));
  return {};
}

// brx.idx index, targets: an index out of range is undefined; here it takes the first target.
Status emit_brx(FunctionEmitter& e) {
  const ptx::Operand& list = e.operand(1);
  if (list.kind != ptx::OperandKind::kPrototype) return e.unsupported();
  const std::vector<uint32_t>& targets = e.function.prototypes[list.index].targets;
  if (targets.empty()) return e.unsupported("it has no targets");
  llvm::SwitchInst* branch =
      e.builder.CreateSwitch(e.read(0, ptx::Type::kU32), e.label_block(targets[0]), unsigned(targets.size() - 1));
  for (unsigned i = 1; i < targets.size(); ++i) branch->addCase(e.builder.getInt32(i), e.label_block(targets[i]));
  return {};
}

Status emit_ret(FunctionEmitter& e) {
  e.emit_return();
  return {};
}

Status emit_exit(FunctionEmitter& e) {
  if (e.function.is_entry) {
    e.emit_return();
    return {};
  }
  e.intrinsic("exit", e.builder.getVoidTy(), {});
  e.builder.CreateUnreachable();
  return {};
}

Status emit_trap(FunctionEmitter& e) {
  e.intrinsic("trap", e.builder.getVoidTy(), {});
  e.builder.CreateUnreachable();
  return {};
}

}  // namespace ww::lower
