// Operand types against instruction types (PTX ISA, "Type Checking Rules", and for ld, st and cvt "Operand Size
// Exceeding Instruction-Type Size").
#include "ptx/special_registers.h"
#include "ptx/verifier_state.h"

namespace ww::ptx {

namespace {

bool is_integer(Type type) {
  return is_signed(type) || is_unsigned(type);
}

// Types whose values live in registers of another name: e4m3x2 in .b16, tf32 and u16x2 in .b32.
bool is_packed_or_alternate(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF32:
    case Type::kF64:
      return false;
    default:
      return is_float(type);
  }
}

// A register of type `held` for an operand of type `wanted`; `relaxed`: it may be wider.
bool agree(Type held, Type wanted, bool relaxed) {
  if (wanted == Type::kNone)  // an address
    return (is_untyped(held) || is_integer(held)) && (bits(held) == 32 || bits(held) == 64);
  if ((held == Type::kPred) != (wanted == Type::kPred)) return false;
  if (wanted == Type::kPred) return true;
  const unsigned have = bits(held), want = bits(wanted);
  if (relaxed ? have < want : have != want) return false;
  if (held == wanted || is_untyped(held)) return true;
  if (is_untyped(wanted)) return true;
  if (is_packed_or_alternate(wanted) && !is_float(held)) return false;
  if (wanted == Type::kU16x2 || wanted == Type::kS16x2) return false;
  return is_integer(held) && is_integer(wanted);
}

// A value of type `held` for an operand that asks more of its registers than the type.
bool kind_agrees(Type held, RegisterKind kind) {
  switch (kind) {
    case RegisterKind::kBits:
      return is_untyped(held);
    case RegisterKind::kBitsOrHalves:
      return is_untyped(held) || held == Type::kF16x2;
    case RegisterKind::kBitsOrIntegers:
      return is_untyped(held) || is_integer(held);
    default:
      return true;
  }
}

std::string_view also_allowed(RegisterKind kind) {
  if (kind == RegisterKind::kBitsOrHalves) return " or .f16x2";
  return kind == RegisterKind::kBitsOrIntegers ? " or an integer" : "";
}

// The type of a vector of registers of two types of one width: bits if one of them is or if both are integers; kNone:
// they do not go together.
Type joined(Type a, Type b) {
  if (a == b || is_untyped(a)) return a;
  if (is_untyped(b)) return b;
  if (!is_integer(a) || !is_integer(b)) return Type::kNone;
  return bits(a) == 64 ? Type::kB64 : Type::kB32;
}

// Conversions of bf16 want registers of its width, those of other types take wider ones too.
bool has_bfloat(const Instruction& instruction) {
  return instruction.opcode == Opcode::kCvt &&
         (instruction.type(0) == Type::kBF16 || instruction.type(1) == Type::kBF16);
}

bool constant_agrees(const Operand& operand, Type type) {
  if (type == Type::kNone) return operand.kind == OperandKind::kInteger;
  if (operand.kind == OperandKind::kInteger) return type == Type::kPred || is_untyped(type) || is_integer(type);
  if (type == Type::kF32 || type == Type::kF64) return true;
  if (operand.kind == OperandKind::kFloat32) return type == Type::kB32;
  return type == Type::kB64;
}

bool had_16_bits(SpecialRegister which) {
  return which == SpecialRegister::kTid || which == SpecialRegister::kNtid || which == SpecialRegister::kCtaid ||
         which == SpecialRegister::kNctaid;
}

// The opaque type that a name in the brackets of a texture or surface instruction must have.
Type opaque_type(Opcode opcode, size_t place) {
  switch (opcode) {
    case Opcode::kTex:
    case Opcode::kTld4:
    case Opcode::kTxq:
      return place == 0 ? Type::kTexref : Type::kSamplerref;
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kSured:
    case Opcode::kSuq:
      return Type::kSurfref;
    default:
      return Type::kNone;
  }
}

// 0 for the scalar video instructions, 2 or 4 for those with two or four parts.
unsigned parts_of(Opcode opcode) {
  const char last = spelling(opcode).back();
  return last == '2' ? 2 : last == '4' ? 4 : 0;
}

// PTX ISA, "SIMD Video Instructions": a mask names parts from the highest down, a selector every part of eight bytes or
// four halves of its two registers.
bool selector_is_legal(Opcode opcode, bool destination, const Operand& operand) {
  const unsigned parts = parts_of(opcode), component = operand.component;
  if (parts == 0) return component <= 6;
  if (destination && component <= 6) return parts == 2 ? component >= 5 : component <= 4;
  if (component != (parts == 2 ? 7u : 8u)) return false;
  const unsigned count = operand.selector_digits();
  if (destination ? count > parts : count != parts) return false;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned digit = operand.selector_digit(i);
    if (destination ? digit >= parts : digit >= 2 * parts) return false;
    if (destination && i != 0 && digit <= operand.selector_digit(i - 1)) return false;
  }
  return true;
}

std::string expected_selector(Opcode opcode, OperandRole role) {
  switch (parts_of(opcode)) {
    case 2:
      return role == OperandRole::kDestination ? ".h0, .h1 or .h10" : ".h and two digits of 0 to 3";
    case 4:
      return role == OperandRole::kDestination ? ".b0 to .b3210, highest byte first" : ".b and four digits of 0 to 7";
    default:
      return ".b0, .b1, .b2, .b3, .h0 or .h1";
  }
}

// The operand of cvt that is a pair of e4m3 or e5m2: a .b16 register alone, as ptxas has it, though the instruction
// table has the same type for it as for others.
bool is_byte_pair(const Instruction& instruction, size_t index) {
  if (instruction.opcode != Opcode::kCvt || index > 1 || index >= instruction.type_count) return false;
  const Type type = instruction.types[index];
  return type == Type::kE4M3x2 || type == Type::kE5M2x2;
}

}  // namespace

std::string Verifier::describe(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return '\'' + function_->register_name(operand.index) + "' of type ." +
             std::string(spelling(function_->register_types[operand.index]));
    case OperandKind::kSpecialRegister: {
      const SpecialRegisterFacts& fact = facts(static_cast<SpecialRegister>(operand.index));
      return '\'' + std::string(fact.spelling) + "' of type ." + std::string(spelling(fact.type));
    }
    case OperandKind::kInteger:
      return "the integer " + std::to_string(static_cast<int64_t>(operand.value));
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      return "a floating-point constant";
    case OperandKind::kVariable:
      return '\'' + std::string(module_.variables[operand.index].name) + '\'';
    case OperandKind::kFunction:
      return '\'' + std::string(module_.functions[operand.index].name) + '\'';
    case OperandKind::kVector:
      return "a vector of " + std::to_string(operand.count);
    default:
      return "this operand";
  }
}

bool Verifier::check_scalar_type(size_t index, const OperandSpec& spec, const Operand& operand, Type type) {
  const std::string name = std::string(spelling(instruction_->opcode));
  const bool relaxed = spec.relaxed && !has_bfloat(*instruction_);
  const auto wrong = [&](std::string fix = {}) {
    const std::string expected = type == Type::kNone
                                     ? "an integer register of 32 or 64 bits"
                                     : "type ." + std::string(spelling(type)) + (relaxed ? " or wider" : "");
    return fail_operand(index, "wrong type of operand " + std::to_string(index + 1) + " of '" + name + '\'',
                        describe(operand), expected, std::move(fix));
  };
  if (is_byte_pair(*instruction_, index) &&
      (operand.kind != OperandKind::kRegister || function_->register_types[operand.index] != Type::kB16))
    return wrong("It takes a .b16 register");
  if (instruction_->opcode == Opcode::kCvt && instruction_->has(Modifier::kPack) && index == 0 &&
      operand.kind == OperandKind::kRegister && function_->register_types[operand.index] == Type::kF32)
    return wrong("It gives packed integers");
  switch (operand.kind) {
    case OperandKind::kSink:
      return true;
    case OperandKind::kRegister: {
      const Type held = function_->register_types[operand.index];
      if (operand.negated && held != Type::kPred && instruction_->opcode != Opcode::kVmad)
        return fail_operand(index, "only a predicate can be negated here", describe(operand), "a .pred register");
      if (spec.selector && operand.component != 0) {
        if (!selector_is_legal(instruction_->opcode, spec.role == OperandRole::kDestination, operand))
          return fail_operand(index, "bad selector of operand " + std::to_string(index + 1) + " of '" + name + '\'',
                              describe(operand), expected_selector(instruction_->opcode, spec.role));
        return bits(held) == 32 && !is_float(held) ? true : wrong();
      }
      return agree(held, type, relaxed) ? true : wrong();
    }
    case OperandKind::kInteger:
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      return constant_agrees(operand, type) ? true : wrong();
    case OperandKind::kSpecialRegister: {
      const Type held = facts(static_cast<SpecialRegister>(operand.index)).type;
      if (instruction_->opcode != Opcode::kMov)
        return fail_operand(index, "a special register outside mov", describe(operand), "a register",
                            "Move it to a register first");
      // mov.u16 takes the low half of positions and sizes, which had 16 bits on the first chips.
      return agree(held, type, false) ||
                     (bits(type) == 16 && had_16_bits(static_cast<SpecialRegister>(operand.index))) ||
                     (bits(type) == 32 && bits(held) == 64 && version() < 30)
                 ? true
                 : wrong();
    }
    case OperandKind::kVariable:
    case OperandKind::kFunction:
      if (is_float(type) || type == Type::kPred || (type != Type::kNone && bits(type) > 64))
        return wrong("An address is an integer");
      return true;
    default:
      return true;
  }
}

bool Verifier::check_register_kind(size_t index, const OperandSpec& spec, std::span<const Operand> elements) {
  if (spec.registers == RegisterKind::kAny) return true;
  Type whole = Type::kNone;
  const Operand* first = nullptr;
  for (const Operand& element : elements) {
    if (element.kind != OperandKind::kRegister) {
      if (element.kind != OperandKind::kSink) return true;  // a constant has no type: the vector is one of bits
      continue;
    }
    const Type held = function_->register_types[element.index];
    whole = first ? joined(whole, held) : held;
    if (whole == Type::kNone)
      return fail_operand(index, "a vector of registers of several types", describe(element),
                          "the type of " + describe(*first));
    if (!first) first = &element;
  }
  if (!first || kind_agrees(whole, spec.registers)) return true;
  return fail_operand(
      index,
      "wrong type of operand " + std::to_string(index + 1) + " of '" + std::string(spelling(instruction_->opcode)) +
          '\'',
      describe(*first),
      "type ." + std::string(spelling(operand_type(spec, *instruction_))) + std::string(also_allowed(spec.registers)));
}

bool Verifier::check_packed_vector(size_t index, const OperandSpec& spec, const Operand& operand) {
  const unsigned whole = bits(operand_type(spec, *instruction_));
  const auto elements = function_->elements(operand);
  if (elements.empty() || whole % elements.size() != 0 || (elements.size() != 2 && elements.size() != 4))
    return fail_operand(index, "a vector that does not pack the type", "a vector of " + std::to_string(elements.size()),
                        "2 or 4 elements");
  const unsigned width = whole / static_cast<unsigned>(elements.size());
  for (const Operand& element : elements) {
    if (element.kind != OperandKind::kRegister) continue;
    const Type held = function_->register_types[element.index];
    if (held == Type::kPred || bits(held) != width)
      return fail_operand(index, "an element that does not pack the type", describe(element),
                          "a register of " + std::to_string(width) + " bits");
  }
  return true;
}

bool Verifier::check_geometry_vector(size_t index, const OperandSpec& spec, const Operand& operand) {
  const Instruction& i = *instruction_;
  const bool array =
      i.has(Modifier::kA1d) || i.has(Modifier::kA2d) || i.has(Modifier::kAcube) || i.has(Modifier::kA2dms);
  const unsigned least = i.has(Modifier::k1d) ? 1 : i.has(Modifier::k2d) || i.has(Modifier::kA1d) ? 2 : 4;
  const unsigned count = operand.kind == OperandKind::kVector ? operand.count : 1;
  if (count < least || (count != 1 && count != 2 && count != 4))
    return fail_operand(index, "wrong number of coordinates", std::to_string(count), std::to_string(least));
  const Type type = operand_type(spec, i);
  if (operand.kind != OperandKind::kVector) return check_scalar_type(index, spec, operand, type);
  const auto elements = function_->elements(operand);
  const bool multisample = i.has(Modifier::k2dms) || i.has(Modifier::kA2dms);
  for (size_t k = 0; k < elements.size() && k < least; ++k) {
    const bool layer = (array && k == 0) || (multisample && k == (array ? 1u : 0u));
    if (!check_scalar_type(index, spec, elements[k], layer ? Type::kU32 : type)) return false;
  }
  return true;
}

bool Verifier::check_operand_type(size_t index, const OperandSpec& spec, const Operand& operand) {
  switch (spec.shape) {
    case OperandShape::kAddress: {
      const Type wanted = opaque_type(instruction_->opcode, 0);
      if (wanted != Type::kNone && operand.base == OperandKind::kVariable) {
        const Variable& variable = module_.variables[operand.index];
        const bool sampler = instruction_->opcode == Opcode::kTxq && variable.type == Type::kSamplerref;
        if (variable.type != wanted && variable.space != Space::kTexture && !sampler)
          return fail_operand(index, "a texture, sampler or surface at the wrong place",
                              '\'' + std::string(variable.name) + '\'',
                              "a ." + std::string(spelling(wanted)) + ", or a register that holds a handle");
      }
      return check_address(index, operand);
    }
    case OperandShape::kBracketList: {
      const auto elements = function_->elements(operand);
      for (size_t i = 0; i < elements.size(); ++i) {
        if (spec.elements[i].type == Type::kNone && spec.elements[i].type_index < 0) {
          if (!check_address(index, elements[i])) return false;
          if (elements[i].kind != OperandKind::kVariable || instruction_->opcode == Opcode::kCp) continue;
          const Variable& variable = module_.variables[elements[i].index];
          const bool opaque =
              variable.type == Type::kTexref || variable.type == Type::kSamplerref || variable.type == Type::kSurfref;
          if (!opaque && variable.space != Space::kTexture)
            return fail_operand(index, "not a texture, sampler or surface", describe(elements[i]),
                                "a .texref, .samplerref or .surfref, or a register that holds a handle");
          const Type wanted = opaque_type(instruction_->opcode, i);
          if (opaque && wanted != Type::kNone && variable.type != wanted)
            return fail_operand(index, "a texture, sampler or surface at the wrong place", describe(elements[i]),
                                "a ." + std::string(spelling(wanted)) + ", or a register that holds a handle");
        } else if (!check_operand_type(index, spec.elements[i], elements[i])) {
          return false;
        }
      }
      return true;
    }
    case OperandShape::kLabel:
    case OperandShape::kTargets:
    case OperandShape::kCall:
      return true;
    case OperandShape::kPackedVector:
      return check_packed_vector(index, spec, operand);
    case OperandShape::kGeometryVector:
      return check_geometry_vector(index, spec, operand);
    default:
      break;
  }
  const Type type = operand_type(spec, *instruction_);
  if (operand.kind == OperandKind::kPair) {
    const auto pair = function_->elements(operand);
    return check_value(index, spec, pair[0], type) && check_scalar_type(index, spec, pair[1], Type::kPred);
  }
  return check_value(index, spec, operand, type);
}

// A scalar or a vector.
bool Verifier::check_value(size_t index, const OperandSpec& spec, const Operand& operand, Type type) {
  if (operand.kind != OperandKind::kVector)
    return check_scalar_type(index, spec, operand, type) && check_register_kind(index, spec, {&operand, 1});
  unsigned width = 0;  // of the registers, which may be wider than the type, but not of several widths
  const auto elements = function_->elements(operand);
  for (const Operand& element : elements) {
    if (!check_scalar_type(index, spec, element, type)) return false;
    if (element.kind != OperandKind::kRegister) continue;
    const unsigned held = bits(function_->register_types[element.index]);
    if (width != 0 && held != width)
      return fail_operand(index, "a vector of registers of several widths", describe(element),
                          "a register of " + std::to_string(width) + " bits");
    width = held;
  }
  return check_register_kind(index, spec, elements);
}

}  // namespace ww::ptx
