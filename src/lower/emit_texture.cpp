// tex, tld4, txq, suld, sust, suq in 2D, by 64-bit handles (PTX manual, "Texture Instructions", "Surface
// Instructions").
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

// The handle and the coordinates of `[handle, {x, y}]`, which stand in a list: handle first. A texture reference of
// module scope stands for its own address, at which the device keeps the handle.
Value* handle_of(FunctionEmitter& e, const ptx::Operand& operand) {
  if (operand.kind == ptx::OperandKind::kVariable)
    return e.builder.CreateLoad(e.builder.getInt64Ty(), e.variable_pointer(operand.index));
  return e.read(operand, Type::kB64);
}

struct ImageAccess {
  Value* handle = nullptr;
  std::vector<Value*> coordinates;
};

// False if the operand has a form that is not supported (a separate sampler).
bool image_access(FunctionEmitter& e, const ptx::Operand& list, Type coordinate_type, ImageAccess& access) {
  if (list.kind != ptx::OperandKind::kList) return false;
  const auto parts = e.elements(list);
  if (parts.size() != 2) return false;
  access.handle = handle_of(e, parts[0]);
  if (parts[1].kind == ptx::OperandKind::kVector)
    for (const ptx::Operand& part : e.elements(parts[1])) access.coordinates.push_back(e.read(part, coordinate_type));
  else
    access.coordinates.push_back(e.read(parts[1], coordinate_type));
  return access.coordinates.size() >= 2;
}

llvm::StructType* repeated(FunctionEmitter& e, llvm::Type* type, unsigned count) {
  return llvm::StructType::get(e.module.context, std::vector<llvm::Type*>(count, type));
}

void write_elements(FunctionEmitter& e, const ptx::Operand& destination, Value* aggregate, Type type) {
  if (destination.kind != ptx::OperandKind::kVector) {
    e.write(destination, e.builder.CreateExtractValue(aggregate, 0), type);
    return;
  }
  const auto elements = e.elements(destination);
  for (unsigned i = 0; i < elements.size(); ++i) e.write(elements[i], e.builder.CreateExtractValue(aggregate, i), type);
}

std::string spelled(Type type) {
  return std::string(ptx::spelling(type));
}

// "2d.b32.v4.zero", as suld and sust have it.
std::string surface_name(FunctionEmitter& e, unsigned elements) {
  const char* outside = e.has(Modifier::kZero) ? "zero" : e.has(Modifier::kClamp) ? "clamp" : "trap";
  return "2d." + spelled(e.type()) + ".v" + std::to_string(elements) + "." + outside;
}

}  // namespace

// tex{.level}.2d.v4.dtype.ctype d, [handle, {x, y}]{, lod}.
Status emit_tex(FunctionEmitter& e) {
  const Type texel = e.type(0), coordinate = e.type(1);
  if (!e.has(Modifier::k2d) || e.has(Modifier::kGrad) || ptx::bits(texel) != 32) return e.unsupported();
  ImageAccess access;
  if (!image_access(e, e.operand(1), coordinate, access)) return e.unsupported();
  std::vector<Value*> arguments{access.handle, access.coordinates[0], access.coordinates[1]};
  std::string name = "tex.";
  unsigned operands = 2;
  if (e.has(Modifier::kLevel)) {
    if (coordinate != Type::kF32) return e.unsupported();
    name += "level.";
    arguments.push_back(e.read(2, Type::kF32));
    operands = 3;
  }
  if (e.operand_count() > operands) return e.unsupported();
  name += "2d." + spelled(texel) + "." + spelled(coordinate);
  write_elements(e, e.operand(0), e.intrinsic(name, repeated(e, e.type_of(texel), 4), arguments), texel);
  return {};
}

// tld4.comp.2d.v4.dtype.f32: one component of the four texels that a linear filter would take.
Status emit_tld4(FunctionEmitter& e) {
  const Type texel = e.type(0);
  ImageAccess access;
  if (!e.has(Modifier::k2d) || ptx::bits(texel) != 32 || e.operand_count() > 2 ||
      !image_access(e, e.operand(1), Type::kF32, access))
    return e.unsupported();
  const char* component = e.has(Modifier::kRight) ? "r" : e.has(Modifier::kG) ? "g" : e.has(Modifier::kB) ? "b" : "a";
  const std::string name = "tld4.2d." + std::string(component) + "." + spelled(texel);
  Value* result = e.intrinsic(name, repeated(e, e.type_of(texel), 4),
                              {access.handle, access.coordinates[0], access.coordinates[1]});
  write_elements(e, e.operand(0), result, texel);
  return {};
}

// txq and suq: width and height.
Status emit_texture_query(FunctionEmitter& e) {
  if (!e.has(Modifier::kWidth) && !e.has(Modifier::kHeight)) return e.unsupported();
  if (e.has(Modifier::kLevel)) return e.unsupported();
  const std::string name = std::string(e.instruction().opcode == ptx::Opcode::kTxq ? "txq." : "suq.") +
                           (e.has(Modifier::kWidth) ? "width" : "height");
  const ptx::Operand& operand = e.operand(1);
  Value* handle;
  if (operand.kind == ptx::OperandKind::kList)
    handle = handle_of(e, e.elements(operand)[0]);
  else if (operand.kind == ptx::OperandKind::kAddress && operand.base == ptx::OperandKind::kRegister) {
    ptx::Operand base = operand;
    base.kind = ptx::OperandKind::kRegister;
    handle = e.read(base, Type::kB64);
  } else if (operand.kind == ptx::OperandKind::kAddress && operand.base == ptx::OperandKind::kVariable) {
    handle = e.builder.CreateLoad(e.builder.getInt64Ty(), e.variable_pointer(operand.index));
  } else {
    handle = handle_of(e, operand);
  }
  e.write(0, e.intrinsic(name, e.builder.getInt32Ty(), {handle}), Type::kB32);
  return {};
}

// suld.b.2d{.vec}.btype.clamp d, [handle, {x in bytes, y}].
Status emit_suld(FunctionEmitter& e) {
  ImageAccess access;
  if (!e.has(Modifier::k2d) || !image_access(e, e.operand(1), Type::kS32, access)) return e.unsupported();
  const unsigned count = ptx::vector_elements(e.instruction());
  Value* result = e.intrinsic("suld." + surface_name(e, count), repeated(e, e.type_of(e.type()), count),
                              {access.handle, access.coordinates[0], access.coordinates[1]});
  write_elements(e, e.operand(0), result, e.type());
  return {};
}

// sust.b.2d{.vec}.btype.clamp [handle, {x in bytes, y}], values.
Status emit_sust(FunctionEmitter& e) {
  ImageAccess access;
  if (!e.has(Modifier::k2d) || e.has(Modifier::kP) || !image_access(e, e.operand(0), Type::kS32, access))
    return e.unsupported();
  const unsigned count = ptx::vector_elements(e.instruction());
  std::vector<Value*> arguments{access.handle, access.coordinates[0], access.coordinates[1]};
  const ptx::Operand& source = e.operand(1);
  if (source.kind == ptx::OperandKind::kVector)
    for (const ptx::Operand& element : e.elements(source)) arguments.push_back(e.read(element, e.type()));
  else
    arguments.push_back(e.read(source, e.type()));
  e.intrinsic("sust." + surface_name(e, count), e.builder.getVoidTy(), arguments);
  return {};
}

}  // namespace ww::lower
