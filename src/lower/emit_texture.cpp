// tex, tld4, txq, suld, sust, sured, suq, istypep (PTX manual, "Texture Instructions", "Surface Instructions").
//
// The commonest fetches, of 2D images without levels, offsets and samplers of their own, are intrinsics of their own;
// every other one is ww.tex.any, whose operands are devicelib's words of a fetch.
#include "devicelib/image_access.h"
#include "lower/emit.h"
#include "ptx/texture_operands.h"

namespace ww::lower {

using devicelib::FetchResult;
using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

bool is_reference(const ptx::Variable& variable) {
  const Type type = variable.type;
  return variable.function == ptx::kNoIndex &&
         (type == Type::kTexref || type == Type::kSurfref || type == Type::kSamplerref);
}

// Address of a variable as generic memory has it.
Value* address_of(FunctionEmitter& e, ptx::VariableId variable) {
  return e.builder.CreatePtrToInt(e.variable_pointer(variable), e.builder.getInt64Ty());
}

// A texture or surface reference of module scope stands for its own address, at which the device keeps the handle; a
// register may hold such an address too.
Value* handle_of(FunctionEmitter& e, const ptx::Operand& operand) {
  llvm::Type* i64 = e.builder.getInt64Ty();
  if (operand.kind == ptx::OperandKind::kVariable) return e.builder.CreateLoad(i64, e.variable_pointer(operand.index));
  Value* handle = e.read(operand, Type::kB64);
  const auto& variables = e.module.ptx.variables;
  for (ptx::VariableId id = 0; id < variables.size(); ++id) {
    if (!is_reference(variables[id])) continue;
    Value* is_address = e.builder.CreateICmpEQ(handle, address_of(e, id));
    handle = e.builder.CreateSelect(is_address, e.builder.CreateLoad(i64, e.variable_pointer(id)), handle);
  }
  return handle;
}

llvm::StructType* repeated(FunctionEmitter& e, llvm::Type* type, unsigned count) {
  return llvm::StructType::get(e.module.context, std::vector<llvm::Type*>(count, type));
}

// Elements wider than the type are cut.
void write_elements(FunctionEmitter& e, const ptx::Operand& destination, Value* aggregate, Type type) {
  const auto write = [&](const ptx::Operand& operand, unsigned i) {
    Value* value = e.builder.CreateExtractValue(aggregate, i);
    if (value->getType()->isIntegerTy()) value = e.builder.CreateTrunc(value, e.integer(ptx::bits(type)));
    e.write(operand, value, type);
  };
  if (destination.kind != ptx::OperandKind::kVector) return write(destination, 0);
  const auto elements = e.elements(destination);
  for (unsigned i = 0; i < elements.size(); ++i) write(elements[i], i);
}

std::string spelled(Type type) {
  return std::string(ptx::spelling(type));
}

FetchResult fetch_result(Type texel) {
  return texel == Type::kF32     ? FetchResult::kFloats
         : texel == Type::kF16   ? FetchResult::kHalves
         : texel == Type::kF16x2 ? FetchResult::kHalfPairs
                                 : FetchResult::kIntegers;
}

// The intrinsic of a fetch from a 2D image that says no more than where; null: it says more.
Value* plain_fetch(FunctionEmitter& e, const ptx::TextureOperands& parts) {
  const Type texel = e.type(0);
  const bool says_more = parts.level != ptx::TextureLevel::kZero || parts.offset[0] != nullptr ||
                         !e.has(Modifier::k2d) || parts.own_sampler;
  if (says_more || ptx::bits(texel) != 32 || texel == Type::kF16x2) return nullptr;
  static constexpr const char* kChannels[] = {"r", "g", "b", "a"};
  const std::string name = parts.access == ptx::TextureAccess::kGather
                               ? std::string("tld4.2d.") + kChannels[parts.channel] + "." + spelled(texel)
                               : "tex.2d." + spelled(texel) + "." + spelled(parts.coordinate);
  return e.intrinsic(
      name, repeated(e, e.type_of(texel), 4),
      {handle_of(e, *parts.image), e.read(*parts.at[0], parts.coordinate), e.read(*parts.at[1], parts.coordinate)});
}

Value* any_fetch(FunctionEmitter& e, const ptx::TextureOperands& parts) {
  const uint32_t code = devicelib::pack_fetch({static_cast<devicelib::FetchKind>(parts.access),
                                               static_cast<devicelib::FetchLevel>(parts.level), fetch_result(e.type(0)),
                                               parts.channel, parts.own_sampler, parts.compares});
  std::vector<Value*> arguments{handle_of(e, *parts.image), e.constant(32, code)};
  const auto add = [&](const ptx::Operand* operand, Type type) {
    arguments.push_back(operand != nullptr ? e.reinterpret(e.read(*operand, type), e.integer(32)) : e.constant(32, 0));
  };
  add(parts.layer, Type::kU32);
  add(parts.sample, Type::kU32);
  add(parts.lod, parts.coordinate);
  for (const auto* axes : {&parts.at, &parts.dx, &parts.dy})
    for (const ptx::Operand* operand : *axes) add(operand, parts.coordinate);
  for (const ptx::Operand* operand : parts.offset) add(operand, Type::kS32);
  return e.intrinsic("tex.any", repeated(e, e.integer(32), 4), arguments);
}

// The places that suld, sust and sured share: handle, x, y, and z or the layer.
std::vector<Value*> surface_place(FunctionEmitter& e, const ptx::TextureOperands& parts) {
  std::vector<Value*> place{handle_of(e, *parts.image)};
  for (const ptx::Operand* operand : {parts.at[0], parts.at[1], parts.layer != nullptr ? parts.layer : parts.at[2]})
    place.push_back(operand != nullptr ? e.read(*operand, Type::kS32) : e.constant(32, 0));
  return place;
}

// "b32.v4.zero", as suld and sust have it.
std::string surface_name(FunctionEmitter& e, unsigned elements) {
  static constexpr const char* kOutside[] = {"trap", "clamp", "zero"};
  return (e.has(Modifier::kP) ? "p" : spelled(e.type())) + ".v" + std::to_string(elements) + "." +
         kOutside[unsigned(ptx::surface_outside(e.instruction()))];
}

}  // namespace

// tex and tld4. Images have all the texels that a fetch can ask for: `d|p` is true.
Status emit_fetch(FunctionEmitter& e) {
  const ptx::TextureOperands parts = ptx::texture_operands(e.function, e.instruction());
  Value* result = plain_fetch(e, parts);
  if (result == nullptr) result = any_fetch(e, parts);
  write_elements(e, *parts.values, result, e.type(0));
  if (parts.present != nullptr) e.write(*parts.present, e.builder.getTrue(), Type::kPred);
  return {};
}

// txq and suq.
Status emit_texture_query(FunctionEmitter& e) {
  static constexpr const char* kProperties[] = {
      "width", "height", "depth", "num_mipmap_levels", "num_samples", "array_size", "normalized_coords"};
  const ImageProperty property = ptx::image_property(e.instruction());
  if (property == ImageProperty::kUnknown) return e.unsupported("the answer would depend on the source language");
  const std::string name =
      (e.instruction().opcode == ptx::Opcode::kTxq ? "txq." : "suq.") + std::string(kProperties[unsigned(property)]);
  ptx::Operand image = e.operand(1);
  if (image.kind == ptx::OperandKind::kList) image = e.elements(image)[0];
  if (image.kind == ptx::OperandKind::kAddress) image.kind = image.base;
  Value* level = e.operand_count() > 2 ? e.read(2, Type::kU32) : e.constant(32, 0);
  e.write(0, e.intrinsic(name, e.builder.getInt32Ty(), {handle_of(e, image), level}), Type::kB32);
  return {};
}

// suld.b.geom{.vec}.btype.clamp d, [handle, place].
Status emit_suld(FunctionEmitter& e) {
  const ptx::TextureOperands parts = ptx::texture_operands(e.function, e.instruction());
  const unsigned count = ptx::vector_elements(e.instruction());
  Value* result =
      e.intrinsic("suld." + surface_name(e, count), repeated(e, e.type_of(e.type()), count), surface_place(e, parts));
  write_elements(e, *parts.values, result, e.type());
  return {};
}

// sust.(b|p).geom{.vec}.btype.clamp [handle, place], values.
Status emit_sust(FunctionEmitter& e) {
  const ptx::TextureOperands parts = ptx::texture_operands(e.function, e.instruction());
  const unsigned count = ptx::vector_elements(e.instruction());
  std::vector<Value*> arguments = surface_place(e, parts);
  if (parts.values->kind == ptx::OperandKind::kVector)
    for (const ptx::Operand& element : e.elements(*parts.values)) arguments.push_back(e.read(element, e.type()));
  else
    arguments.push_back(e.read(*parts.values, e.type()));
  e.intrinsic("sust." + surface_name(e, count), e.builder.getVoidTy(), arguments);
  return {};
}

// sured.(b|p).op.geom.type.clamp [handle, place], b.
Status emit_sured(FunctionEmitter& e) {
  const ptx::TextureOperands parts = ptx::texture_operands(e.function, e.instruction());
  const bool by_texels = e.has(Modifier::kP);
  const uint32_t code =
      devicelib::pack_reduction({static_cast<devicelib::Reduction>(ptx::surface_reduction(e.instruction())),
                                 static_cast<devicelib::SurfaceOutside>(ptx::surface_outside(e.instruction())),
                                 ptx::is_signed(e.type()), by_texels});
  std::vector<Value*> arguments = surface_place(e, parts);
  arguments.push_back(e.constant(32, code));
  arguments.push_back(e.read(*parts.values, e.type()));
  e.intrinsic(ptx::bits(e.type()) == 64 ? "sured.b64" : "sured.b32", e.builder.getVoidTy(), arguments);
  return {};
}

// Whether an address is that of a variable of the type.
Status emit_istypep(FunctionEmitter& e) {
  const Type type = e.has(Modifier::kTexrefModifier)    ? Type::kTexref
                    : e.has(Modifier::kSurfrefModifier) ? Type::kSurfref
                                                        : Type::kSamplerref;
  Value* address = e.read(1, Type::kB64);
  Value* found = e.builder.getFalse();
  const auto& variables = e.module.ptx.variables;
  for (ptx::VariableId id = 0; id < variables.size(); ++id)
    if (is_reference(variables[id]) && variables[id].type == type)
      found = e.builder.CreateOr(found, e.builder.CreateICmpEQ(address, address_of(e, id)));
  e.write(0, found, Type::kPred);
  return {};
}

}  // namespace ww::lower
