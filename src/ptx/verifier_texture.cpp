// Textures and surfaces: what may stand for one, and how many elements the vectors of a geometry have.
#include "ptx/verifier_state.h"

namespace ww::ptx {

namespace {

bool is_cube(const Instruction& i) {
  return i.has(Modifier::kCube) || i.has(Modifier::kAcube);
}

// Axes of an image, as vectors have them: 3D has four elements.
unsigned vector_axes(const Instruction& i) {
  return i.has(Modifier::k1d) || i.has(Modifier::kA1d) ? 1 : i.has(Modifier::k3d) || is_cube(i) ? 4 : 2;
}

}  // namespace

// Variables by their type, registers by their width.
bool Verifier::check_image(size_t index, const Operand& operand, Type wanted) {
  const OperandKind kind = operand.kind == OperandKind::kAddress ? operand.base : operand.kind;
  const std::string expected = "a ." + std::string(spelling(wanted)) + ", or a .u64 register with a handle";
  if (kind == OperandKind::kRegister && bits(function_->register_types[operand.index]) != 64)
    return fail_operand(index, "a handle in a register of the wrong size", describe(operand), expected);
  if (kind != OperandKind::kVariable) return true;
  const Variable& variable = module_.variables[operand.index];
  const bool old_texture = variable.space == Space::kTexture && wanted == Type::kTexref;
  if (variable.type != wanted && !old_texture && variable.space != Space::kParam)
    return fail_operand(index, "not the image or sampler that the instruction wants", describe(operand), expected);
  return true;
}

bool Verifier::check_vector_count(std::string_view name, unsigned axes, bool may_be_scalar, bool may_be_longer) {
  size_t index = 0;
  const Operand* operand = named(name, &index);
  if (operand == nullptr || (operand->kind != OperandKind::kVector && may_be_scalar)) return true;
  const unsigned count = operand->kind == OperandKind::kVector ? operand->count : 0;
  if (count == axes || (may_be_longer && count > axes && (count == 2 || count == 4))) return true;
  return fail_operand(index, "wrong number of elements for this geometry", std::to_string(count), std::to_string(axes));
}

bool Verifier::check_texture(const Instruction& instruction) {
  const bool fetches = instruction.opcode == Opcode::kTex || instruction.opcode == Opcode::kTld4;
  switch (instruction.opcode) {
    case Opcode::kTex:
    case Opcode::kTld4: {
      const auto parts = function_->elements(operands_[1]);
      if (module_.texmode_independent && parts.size() == 2)
        return fail_operand(1, "a fetch without a sampler in the independent texture mode", describe(parts[0]),
                            "[texture, sampler, coordinates]");
      if (!check_image(1, parts[0], Type::kTexref)) return false;
      if (parts.size() == 3 && !check_image(1, parts[1], Type::kSamplerref)) return false;
      break;
    }
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kSured: {
      const size_t index = instruction.opcode == Opcode::kSuld ? 1 : 0;
      if (!check_image(index, function_->elements(operands_[index])[0], Type::kSurfref)) return false;
      const unsigned width = bits(instruction.type()) * vector_elements(instruction);
      if (width > 128)
        return fail(instruction.location, "a surface access of more than 128 bits", std::to_string(width) + " bits",
                    "at most 128 bits", "Split the access");
      return true;
    }
    case Opcode::kSuq:
      return check_image(1, operands_[1], Type::kSurfref);
    case Opcode::kTxq: {
      const bool of_sampler = instruction.has(Modifier::kFilterMode) || instruction.has(Modifier::kAddrMode0) ||
                              instruction.has(Modifier::kAddrMode1) || instruction.has(Modifier::kAddrMode2);
      const bool samplers_alone = instruction.has(Modifier::kForceUnnormalizedCoords);
      return check_image(
          1, operands_[1],
          samplers_alone || (of_sampler && module_.texmode_independent) ? Type::kSamplerref : Type::kTexref);
    }
    case Opcode::kIstypep:
      if (operands_[1].kind == OperandKind::kVariable)
        return fail_operand(1, "istypep of a variable", describe(operands_[1]), "a .u64 register with its address");
      return true;
    default:
      return true;
  }
  if (fetches && instruction.opcode == Opcode::kTld4 && is_cube(instruction) && named("e") != nullptr)
    return fail(instruction.location, "offsets into a cube", "an offset", "none");
  const unsigned axes = vector_axes(instruction);
  if (!check_vector_count("e", axes, true, true)) return false;
  if (!instruction.has(Modifier::kGrad)) return true;
  for (const std::string_view gradient : {"x", "y"})
    if (!check_vector_count(gradient, is_cube(instruction) ? 1 : axes, false, is_cube(instruction))) return false;
  return true;
}

}  // namespace ww::ptx
