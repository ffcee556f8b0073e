#include "ptx/texture_operands.h"

#include "ptx/suffixes.h"

namespace ww::ptx {

namespace {

bool has_any(const Instruction& i, std::initializer_list<Modifier> modifiers) {
  for (const Modifier m : modifiers)
    if (i.has(m)) return true;
  return false;
}

// The first `count` elements of a vector; a scalar is the first.
void take(const Function& function, const Operand& operand, unsigned count, std::array<const Operand*, 3>& to) {
  if (operand.kind != OperandKind::kVector) {
    to[0] = &operand;
    return;
  }
  const auto elements = function.elements(operand);
  for (unsigned k = 0; k < count && k < elements.size(); ++k) to[k] = &elements[k];
}

}  // namespace

TextureOperands texture_operands(const Function& function, const Instruction& i) {
  TextureOperands result;
  const auto operands = function.operands_of(i);
  const bool fetches = i.opcode == Opcode::kTex || i.opcode == Opcode::kTld4;
  const bool loads = fetches || i.opcode == Opcode::kSuld;
  const bool is_array = has_any(i, {Modifier::kA1d, Modifier::kA2d, Modifier::kAcube, Modifier::kA2dms});
  const bool has_samples = has_any(i, {Modifier::k2dms, Modifier::kA2dms});
  result.axes = has_any(i, {Modifier::k1d, Modifier::kA1d})                      ? 1
                : has_any(i, {Modifier::k3d, Modifier::kCube, Modifier::kAcube}) ? 3
                                                                                 : 2;
  const Operand& list = operands[loads ? 1 : 0];
  result.values = &operands[loads ? 0 : 1];
  if (result.values->kind == OperandKind::kPair) {
    const auto pair = function.elements(*result.values);
    result.values = &pair[0];
    result.present = &pair[1];
  }
  const auto parts = function.elements(list);
  result.image = &parts[0];
  const Operand& place = parts[parts.size() - 1];  // behind a sampler, if there is one
  if (place.kind == OperandKind::kVector) {
    const auto elements = function.elements(place);
    size_t next = 0;
    if (has_samples) result.sample = &elements[next++];  // before the layer, as an H200 has it
    if (is_array) result.layer = &elements[next++];
    for (unsigned axis = 0; axis < result.axes && next < elements.size(); ++axis) result.at[axis] = &elements[next++];
  } else {
    result.at[0] = &place;
  }
  if (!fetches) {
    result.access = TextureAccess::kSurface;
    result.coordinate = Type::kS32;
    return result;
  }
  result.own_sampler = parts.size() > 2 && !has_samples;
  result.coordinate = i.opcode == Opcode::kTld4 ? Type::kF32 : i.type(1);
  result.access = i.opcode == Opcode::kTld4         ? TextureAccess::kGather
                  : result.coordinate == Type::kS32 ? TextureAccess::kTexel
                                                    : TextureAccess::kSample;
  size_t next = 2;
  if (i.has(Modifier::kLevel)) {
    result.level = TextureLevel::kGiven;
    result.lod = &operands[next++];
  }
  if (i.has(Modifier::kGrad)) {
    result.level = TextureLevel::kGradient;
    take(function, operands[next++], result.axes, result.dx);
    take(function, operands[next++], result.axes, result.dy);
  }
  if (i.opcode == Opcode::kTld4)
    result.channel = i.has(Modifier::kRight) ? 0 : i.has(Modifier::kG) ? 1 : i.has(Modifier::kB) ? 2 : 3;
  // An offset, then a depth to compare with, which textures of CUDA never do. A cube has no offsets.
  const bool is_cube = has_any(i, {Modifier::kCube, Modifier::kAcube});
  result.compares = next < operands.size() && is_cube;
  if (next < operands.size() && !is_cube) {
    const Operand& operand = operands[next];
    // A scalar is a depth, but for a signed integer of 1D images (NVIDIA's assembler takes .b32 for a depth there too).
    const bool is_signed_scalar =
        operand.kind == OperandKind::kInteger ||
        (operand.kind == OperandKind::kRegister && function.register_types[operand.index] == Type::kS32);
    const bool is_depth = operand.kind != OperandKind::kVector && !(result.axes == 1 && is_signed_scalar);
    if (!is_depth) take(function, operand, result.axes, result.offset);
    result.compares = is_depth || next + 1 < operands.size();
  }
  return result;
}

SurfaceOutside surface_outside(const Instruction& instruction) {
  return instruction.has(Modifier::kZero)    ? SurfaceOutside::kZero
         : instruction.has(Modifier::kClamp) ? SurfaceOutside::kClamp
                                             : SurfaceOutside::kTrap;
}

SurfaceReduction surface_reduction(const Instruction& instruction) {
  return instruction.has(Modifier::kMinModifier)   ? SurfaceReduction::kMin
         : instruction.has(Modifier::kMaxModifier) ? SurfaceReduction::kMax
         : instruction.has(Modifier::kAnd)         ? SurfaceReduction::kAnd
         : instruction.has(Modifier::kOr)          ? SurfaceReduction::kOr
                                                   : SurfaceReduction::kAdd;
}

ImageProperty image_property(const Instruction& instruction) {
  static constexpr std::pair<Modifier, ImageProperty> kProperties[] = {
      {Modifier::kWidth, ImageProperty::kWidth},
      {Modifier::kHeight, ImageProperty::kHeight},
      {Modifier::kDepth, ImageProperty::kDepth},
      {Modifier::kNumMipmapLevels, ImageProperty::kLevels},
      {Modifier::kNumSamples, ImageProperty::kSamples},
      {Modifier::kArraySize, ImageProperty::kArraySize},
      {Modifier::kNormalizedCoords, ImageProperty::kNormalized}};
  for (const auto& [modifier, property] : kProperties)
    if (instruction.has(modifier)) return property;
  return ImageProperty::kUnknown;
}

}  // namespace ww::ptx
