// Statements that are one instruction of the table, and chains of carries.
#include <algorithm>

#include "coverage/kernel_writer.h"
#include "coverage/operand_ways.h"
#include "random/maker.h"

namespace ww::programs {

using namespace ptx;

namespace {
// Instructions of .b32 that want integer registers.
bool wants_integers(Opcode opcode) {
  return opcode == Opcode::kBmsk || opcode == Opcode::kDp4a || opcode == Opcode::kDp2a || opcode == Opcode::kRedux ||
         opcode == Opcode::kMatch;
}

// Those that want registers of their very types, or untyped ones of the same width.
bool is_strict(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kMma) return true;
  if (instruction.opcode != Opcode::kCvt) return false;
  for (unsigned i = 0; i < instruction.type_count; ++i) switch (instruction.types[i]) {
      case Type::kBF16:
      case Type::kBF16x2:
      case Type::kF16x2:
      case Type::kTF32:
      case Type::kE4M3x2:
      case Type::kE5M2x2:
        return true;
      default:
        break;
    }
  return false;
}

// How many of a hundred picks of the form are kept. Devices without the hardware's roundings make hundreds of
// instructions of one: compiling those would take most of a campaign's time. Video instructions are many opcodes.
uint32_t kept_percent(const CompiledForm& row, const Instruction& instruction) {
  if (row.form->instruction_class == InstructionClass::kVideo) return 30;
  const bool is_quotient =
      instruction.opcode == Opcode::kDiv || instruction.opcode == Opcode::kRcp || instruction.opcode == Opcode::kSqrt;
  bool is_directed = false;
  for (const Modifier m : {Modifier::kRz, Modifier::kRm, Modifier::kRp}) is_directed |= instruction.has(m);
  if (is_directed && instruction.type() == Type::kF64) return is_quotient ? 2 : 8;
  return is_quotient ? 25 : 100;
}
}  // namespace

const coverage::Form& Maker::any_form(const std::vector<Word>& words) {
  const Word* word = &any(words);
  // Comparisons and conversions have many forms; others would drown without a choice by opcode first.
  return any(word->forms);
}

bool Maker::write_instruction(const coverage::Form& form, const std::string& mask, std::string& line) {
  const CompiledForm& row = form.compiled();
  const Instruction instruction = coverage::instruction_of(form);
  std::string operands;
  std::vector<std::string> taken;  // destinations: two of one instruction must differ
  strict_ = is_strict(instruction);
  struct Reset {
    bool& flag;
    ~Reset() { flag = false; }
  } reset{strict_};
  std::string first;  // element of a vector, whose others are declared alike
  const auto scalar = [&](const OperandSpec& spec, Type type) -> std::string {
    if (type == Type::kNone) return {};
    if (wants_integers(instruction.opcode) && is_untyped(type)) type = bits(type) == 32 ? Type::kU32 : Type::kU64;
    if (spec.role == OperandRole::kDestination) {
      for (int attempt = 0; attempt < 20; ++attempt) {
        std::string name = destination(type, spec.relaxed);
        if (!first.empty() && !name.empty() && held(name) != held(first)) continue;
        if (name.empty() || std::find(taken.begin(), taken.end(), name) == taken.end()) {
          taken.push_back(name);
          return name;
        }
      }
      return {};
    }
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::string name = source(type, spec.relaxed);
      if (first.empty() || name.empty() || held(name) == held(first)) return name;
    }
    return first;
  };
  const auto vector = [&](const OperandSpec& spec, Type type, unsigned count) -> std::string {
    std::string text = "{";
    first.clear();
    for (unsigned i = 0; i < count; ++i) {
      const std::string name = scalar(spec, type);
      if (name.empty()) return {};
      if (i == 0) first = name;
      text += (i == 0 ? "" : ", ") + name;
    }
    first.clear();
    return text + "}";
  };
  const bool is_simd_video =
      row.form->instruction_class == InstructionClass::kVideo &&
      (ptx::spelling(instruction.opcode).ends_with('2') || ptx::spelling(instruction.opcode).ends_with('4'));
  bool negated = false;
  for (const OperandSpec& spec : row.operands) {
    if (spec.optional) continue;
    const Type type = operand_type(spec, instruction);
    std::string text;
    if (spec.constant_only) {
      const auto constants = coverage::operand_constants(spec);
      if (constants.empty()) return false;
      text = any(constants);
    } else if (spec.role != OperandRole::kDestination && spec.role != OperandRole::kSource) {
      return false;
    } else if (spec.name == "m" && row.form->instruction_class == InstructionClass::kWarp) {
      text = mask;
    } else if (spec.shape == OperandShape::kScalar) {
      const bool takes_constants = !(is_simd_video && spec.name == "c") && type != Type::kU16x2 && type != Type::kS16x2;
      if (spec.role == OperandRole::kSource && takes_constants && !spec.register_only && !spec.negatable &&
          !spec.selector && row.form->instruction_class != InstructionClass::kMatrix && chance(constant_percent_))
        text = constant(type);
      const bool is_field = instruction.opcode == Opcode::kBfe || instruction.opcode == Opcode::kBfi;
      if (is_field && !text.empty() && spec.type == Type::kU32)
        text = number(below(256));  // positions and lengths are bytes
      if (text.empty()) text = scalar(spec, type);
      if (text.empty()) return false;
      if (spec.pair && (spec.pair_required || chance(30))) {
        const std::string second = scalar(spec, Type::kPred);
        if (second.empty()) return false;
        text += "|" + second;
      }
      if (spec.negatable && !negated && (type == Type::kPred || instruction.opcode == Opcode::kVmad) && chance(30)) {
        text = (type == Type::kPred ? "!" : "-") + text;
        negated = type != Type::kPred;  // vmad: one of them
      }
      if (spec.selector && chance(50)) {
        const auto ways =
            coverage::operand_selectors(ptx::spelling(instruction.opcode), spec.role == OperandRole::kDestination);
        text += any(ways);
      }
    } else if (spec.shape == OperandShape::kFixedVector) {
      text = vector(spec, type, spec.count);
    } else if (spec.shape == OperandShape::kPackedVector && bits(type) >= 32) {
      text = vector(spec, bits(type) == 32 ? Type::kB16 : Type::kB32, 2);
    }
    if (text.empty()) return false;
    operands += (operands.empty() ? "" : ", ") + text;
  }
  line = coverage::spelling(form) + " " + operands + ";";
  return true;
}

Statement Maker::value_statement() {
  Statement statement;
  for (;;) {
    const Word& word = any(vocabulary_.values);
    if (!word_enabled_[static_cast<size_t>(&word - vocabulary_.values.data())]) continue;
    const coverage::Form& form = any(word.forms);
    if (!chance(kept_percent(form.compiled(), coverage::instruction_of(form)))) continue;
    std::string line;
    if (!write_instruction(form, "", line)) continue;
    statement.lines = {line};
    break;
  }
  if (chance(guard_percent_)) statement.guard = (chance(50) ? "@" : "@!") + predicate() + " ";
  return statement;
}

// Begins with what sets the carry.
Statement Maker::carry_statement() {
  std::string text;
  const unsigned length = 2 + below(4);
  for (unsigned i = 0; i < length;) {
    const coverage::Form& form = any_form(vocabulary_.carries);
    const Instruction instruction = coverage::instruction_of(form);
    const bool reads = instruction.opcode == Opcode::kAddc || instruction.opcode == Opcode::kSubc ||
                       instruction.opcode == Opcode::kMadc;
    if (i == 0 ? reads : !reads && chance(80)) continue;
    std::string line;
    if (!write_instruction(form, "", line)) continue;
    text += (text.empty() ? "" : "\n") + line;
    ++i;
    if (i < length && !instruction.has(Modifier::kCc)) break;  // the carry is not defined any more
  }
  return {{text}, {}, {}, false};
}

// Integer quotients and remainders by what is not zero, nor makes the smallest number overflow.
Statement Maker::quotient_statement() {
  static const char* const kTypes[] = {"u16", "s16", "u32", "s32", "u64", "s64"};
  const char* type = kTypes[below(6)];
  const Type found = *find_type(type);
  const std::string width = number(bits(found)), divisor = temporary(("b" + width).c_str());
  std::string d = destination(found), a = source(found), b = source(found);
  if (d.empty() || a.empty() || b.empty()) return value_statement();
  const std::string mask = is_signed(found) ? (bits(found) == 16   ? "0x7fff"
                                               : bits(found) == 32 ? "0x7fffffff"
                                                                   : "0x7fffffffffffffff")
                                            : "";
  std::string text = "or.b" + width + " " + divisor + ", " + b + ", " + (chance(50) ? "1" : "2") + ";";
  if (!mask.empty()) text += "\nand.b" + width + " " + divisor + ", " + divisor + ", " + mask + ";";
  text += std::string("\n") + (chance(50) ? "div." : "rem.") + type + " " + d + ", " + a + ", " + divisor + ";";
  return {{text}, {}, {}, false};
}

}  // namespace ww::programs
