// Clusters (PTX manual, "mapa", "getctarank", "barrier.cluster"): addresses in other blocks' shared memory.
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Type;

namespace {

// A generic address in a 32-bit register has lost the part that all of the cluster's shared memory has in common.
Value* shared_pointer(FunctionEmitter& e, const ptx::Operand& operand, Type type) {
  if (e.space() == ptx::Space::kShared) {
    if (operand.kind == ptx::OperandKind::kVariable || operand.kind == ptx::OperandKind::kAddress)
      return e.address(operand, ptx::Space::kShared);
    return e.builder.CreateIntToPtr(e.read(operand, type), e.pointer(3));
  }
  if (operand.kind == ptx::OperandKind::kVariable)
    return e.builder.CreateAddrSpaceCast(e.address(operand, ptx::Space::kGeneric), e.pointer(3));
  Value* bits = e.read(operand, type);
  if (ptx::bits(type) == 32) {
    Value* window = e.builder.CreatePtrToInt(
        e.builder.CreateAddrSpaceCast(e.builder.CreateIntToPtr(e.builder.getInt32(0), e.pointer(3)), e.pointer(0)),
        e.builder.getInt64Ty());
    Value* upper = e.builder.CreateAnd(window, e.builder.getInt64(0xffffffff00000000u));
    bits = e.builder.CreateOr(upper, e.builder.CreateZExt(bits, e.builder.getInt64Ty()));
  }
  return e.builder.CreateAddrSpaceCast(e.builder.CreateIntToPtr(bits, e.pointer(0)), e.pointer(3));
}

}  // namespace

Status emit_mapa(FunctionEmitter& e) {
  const Type type = e.type();
  Value* mapped = e.intrinsic("mapa", e.pointer(3), {shared_pointer(e, e.operand(1), type), e.read(2, Type::kU32)});
  if (e.space() != ptx::Space::kShared) mapped = e.builder.CreateAddrSpaceCast(mapped, e.pointer(0));
  e.write(0, e.builder.CreatePtrToInt(mapped, e.type_of(type)), type);
  return {};
}

Status emit_getctarank(FunctionEmitter& e) {
  Value* rank = e.intrinsic("getctarank", e.builder.getInt32Ty(), {shared_pointer(e, e.operand(1), e.type())});
  e.write(0, rank, Type::kU32);
  return {};
}

// A cache policy changes no value.
Status emit_createpolicy(FunctionEmitter& e) {
  e.write(0, e.builder.getInt64(0), Type::kB64);
  return {};
}

}  // namespace ww::lower
