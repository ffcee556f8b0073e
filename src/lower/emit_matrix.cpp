// mma, ldmatrix, stmatrix, movmatrix (PTX manual, "Matrix Multiply-Accumulate Instructions").
#include "devicelib/mma_shape.h"
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

// The type of one register of a fragment: packed integers, or f32 and f64 as they are.
Type register_of(Type element) {
  if (element == Type::kF32 || element == Type::kF64) return element;
  return element == Type::kS32 ? Type::kS32 : Type::kB32;
}

std::vector<ptx::Operand> registers_of(FunctionEmitter& e, const ptx::Operand& operand) {
  if (operand.kind != ptx::OperandKind::kVector) return {operand};
  const auto elements = e.elements(operand);
  return {elements.begin(), elements.end()};
}

unsigned matrix_count(FunctionEmitter& e) {
  return e.has(Modifier::kX4) ? 4 : e.has(Modifier::kX2) ? 2 : 1;
}

std::string matrix_name(FunctionEmitter& e, const char* opcode) {
  return std::string(opcode) + ".x" + std::to_string(matrix_count(e)) + (e.has(Modifier::kTrans) ? ".trans" : "");
}

// The address of ldmatrix and stmatrix in shared memory, whose generic form names it too.
Value* shared_address(FunctionEmitter& e, const ptx::Operand& operand) {
  if (e.space() == ptx::Space::kShared) return e.address(operand, ptx::Space::kShared);
  return e.builder.CreateAddrSpaceCast(e.address(operand, ptx::Space::kGeneric), e.pointer(3));
}

}  // namespace

// mma{.sp}.sync.aligned.SHAPE.alayout.blayout.dtype.atype.btype.ctype d, a, b, c{, metadata, selector}.
Status emit_mma(FunctionEmitter& e) {
  const bool is_sparse = e.has(Modifier::kSp) || e.has(Modifier::kSpOrderedMetadata);
  if (e.instruction().type_count != 4 || e.operand_count() != (is_sparse ? 6 : 4)) return e.unsupported();
  std::string name = "mma";
  for (unsigned i = 0; i < e.instruction().modifier_count; ++i) {
    const Modifier modifier = e.instruction().modifiers[i];
    if (modifier == Modifier::kSync || modifier == Modifier::kAligned) continue;
    if (modifier == Modifier::kRn) continue;  // of f64: the rounding without one, too
    if (modifier == Modifier::kBlockScale) return e.unsupported();
    name += "." + std::string(ptx::spelling(modifier));
  }
  std::vector<Value*> arguments;
  for (unsigned i = 0; i < 4; ++i) {
    name += "." + std::string(ptx::spelling(e.type(i)));
    if (i == 0) continue;
    for (const ptx::Operand& part : registers_of(e, e.operand(i)))
      arguments.push_back(e.read(part, register_of(e.type(i))));
  }
  if (is_sparse) {
    name += ".select" + std::to_string(e.operand(5).value);
    arguments.push_back(e.read(4, Type::kB32));
  }
  if (devicelib::MmaShape shape; !devicelib::mma_shape(name.substr(4).c_str(), shape)) return e.unsupported();
  const std::vector<ptx::Operand> destination = registers_of(e, e.operand(0));
  const Type type = register_of(e.type(0));
  llvm::StructType* result_type =
      llvm::StructType::get(e.module.context, std::vector<llvm::Type*>(destination.size(), e.type_of(type)));
  Value* result = e.intrinsic(name, result_type, arguments);
  for (unsigned i = 0; i < destination.size(); ++i)
    e.write(destination[i], e.builder.CreateExtractValue(result, i), type);
  return {};
}

Status emit_ldmatrix(FunctionEmitter& e) {
  if (!e.has(Modifier::kM8n8) || e.type() != Type::kB16) return e.unsupported();
  const std::vector<ptx::Operand> destination = registers_of(e, e.operand(0));
  llvm::StructType* type =
      llvm::StructType::get(e.module.context, std::vector<llvm::Type*>(destination.size(), e.builder.getInt32Ty()));
  Value* result = e.intrinsic(matrix_name(e, "ldmatrix"), type, {shared_address(e, e.operand(1))});
  for (unsigned i = 0; i < destination.size(); ++i)
    e.write(destination[i], e.builder.CreateExtractValue(result, i), Type::kB32);
  return {};
}

Status emit_stmatrix(FunctionEmitter& e) {
  if (!e.has(Modifier::kM8n8) || e.type() != Type::kB16) return e.unsupported();
  std::vector<Value*> arguments{shared_address(e, e.operand(0))};
  for (const ptx::Operand& part : registers_of(e, e.operand(1))) arguments.push_back(e.read(part, Type::kB32));
  e.intrinsic(matrix_name(e, "stmatrix"), e.builder.getVoidTy(), arguments);
  return {};
}

Status emit_movmatrix(FunctionEmitter& e) {
  e.write(0, e.intrinsic("movmatrix", e.builder.getInt32Ty(), {e.read(1, Type::kB32)}), Type::kB32);
  return {};
}

}  // namespace ww::lower
