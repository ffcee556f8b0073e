// Compiles the instruction table's notation and matches written instructions against it.
#include "ptx/matcher.h"

#include <algorithm>
#include <array>

namespace ww::ptx {

namespace {

struct Group {
  std::string_view name, alternatives;
};

constexpr Group kGroups[] = {
#define WW_GROUP(name, alternatives) {name, alternatives},
#include "ptx/suffix_groups.inc"
#undef WW_GROUP
};

struct CompiledTable {
  std::vector<CompiledForm> forms;
  std::vector<std::vector<uint16_t>> by_opcode;
  std::vector<std::string> faults;
};

// Reads one row's notation; faults are noted, never fatal.
class RowCompiler {
 public:
  RowCompiler(const InstructionForm& row, std::vector<std::string>& faults) : row_(row), faults_(faults) {}

  CompiledForm compile() {
    CompiledForm result;
    result.form = &row_;
    std::string_view rest = row_.pattern;
    while (!rest.empty()) result.pattern.push_back(take_element(rest));
    rest = row_.operands;
    if (rest == "...") {
      result.any_operands = true;
      rest = {};
    }
    while (!rest.empty()) {
      const size_t comma = top_level_comma(rest);
      result.operands.push_back(compile_operand(rest.substr(0, comma)));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    for (const OperandSpec& spec : result.operands) result.least_operands += spec.optional ? 0 : 1;
    return result;
  }

 private:
  void fault(std::string_view what) {
    faults_.push_back(std::string(spelling(row_.opcode)) + std::string(row_.pattern) + " " +
                      std::string(row_.operands) + ": " + std::string(what));
  }

  PatternElement take_element(std::string_view& rest) {
    PatternElement element;
    std::string_view body;
    const char open = rest.front();
    if (open == '{' || open == '(') {
      const size_t close = rest.find(open == '{' ? '}' : ')');
      if (close == std::string_view::npos) fault("bracket is not closed");
      body = rest.substr(1, close - 1);
      rest = close == std::string_view::npos ? std::string_view() : rest.substr(close + 1);
      element.optional = open == '{';
    } else {
      const size_t end = rest.find_first_of(".${(", 1);
      body = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
    }
    add_alternatives(element, body);
    for (const SuffixCode code : element.alternatives) element.holds_types |= is_type(code);
    return element;
  }

  void add_alternatives(PatternElement& element, std::string_view body) {
    while (!body.empty()) {
      const size_t bar = body.find('|');
      const std::string_view item = body.substr(0, bar);
      body = bar == std::string_view::npos ? std::string_view() : body.substr(bar + 1);
      if (item.starts_with('$')) {
        const auto* group = std::find_if(std::begin(kGroups), std::end(kGroups),
                                         [&](const Group& g) { return g.name == item.substr(1); });
        if (group == std::end(kGroups))
          fault("no group " + std::string(item));
        else
          add_alternatives(element, group->alternatives);
        continue;
      }
      const SuffixCode code = item.starts_with('.') ? find_suffix(item.substr(1)) : kNoSuffix;
      if (code == kNoSuffix) fault("no suffix " + std::string(item));
      element.alternatives.push_back(code);
    }
  }

  static size_t top_level_comma(std::string_view text) {
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[') ++depth;
      if (text[i] == ']') --depth;
      if (text[i] == ',' && depth == 0) return i;
    }
    return std::string_view::npos;
  }

  OperandSpec compile_operand(std::string_view text) {
    OperandSpec spec;
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.starts_with('?')) {
      spec.optional = true;
      text.remove_prefix(1);
    }
    if (text == "call") {
      spec.name = text;
      spec.shape = OperandShape::kCall;
      return spec;
    }
    if (text.starts_with('[')) {
      spec.role = OperandRole::kAddress;
      text = text.substr(1, text.size() - 2);
      if (text.find_first_of(",:") == std::string_view::npos) {
        spec.name = text;
        spec.shape = OperandShape::kAddress;
        return spec;
      }
      spec.name = "[]";
      spec.shape = OperandShape::kBracketList;
      while (!text.empty()) {
        const size_t comma = top_level_comma(text);
        spec.elements.push_back(compile_operand(text.substr(0, comma)));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
      }
      return spec;
    }
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      fault("operand without type");
      return spec;
    }
    spec.name = text.substr(0, colon);
    text.remove_prefix(colon + 1);
    if (spec.name.starts_with('d') || spec.name == "p") spec.role = OperandRole::kDestination;
    if (text == "label" || text == "targets") {
      spec.role = OperandRole::kLabel;
      spec.shape = text == "label" ? OperandShape::kLabel : OperandShape::kTargets;
      return spec;
    }
    compile_type_and_flags(spec, text);
    return spec;
  }

  void compile_type_and_flags(OperandSpec& spec, std::string_view text) {
    if (text.front() >= '0' && text.front() <= '5') {
      spec.type_index = static_cast<int8_t>(text.front() - '0');
      text.remove_prefix(1);
    } else if (text.front() == 'x') {
      text.remove_prefix(1);
    } else {
      size_t end = text.find_first_of("_|^!#=&~*", 0);
      end = std::min(end, text.size());
      // Flags that are letters follow a type's digits.
      const size_t digit = text.substr(0, end).find_last_of("0123456789d");
      end = digit == std::string_view::npos ? end : digit + 1;
      const auto type = find_type(text.substr(0, end));
      if (!type)
        fault("no type " + std::string(text.substr(0, end)));
      else
        spec.type = *type;
      text.remove_prefix(end);
    }
    for (; !text.empty(); text.remove_prefix(1)) switch (text.front()) {
        case 'w':
          spec.doubled = true;
          break;
        case '_':
          spec.sink = true;
          break;
        case '|':
          spec.pair = true;
          break;
        case '^':
          spec.pair = spec.pair_required = true;
          break;
        case '!':
          spec.negatable = true;
          break;
        case '#':
          spec.constant_only = true;
          spec.role = OperandRole::kImmediate;
          break;
        case '=':
          spec.register_only = true;
          break;
        case '&':
          spec.address = true;
          break;
        case '~':
          spec.relaxed = true;
          break;
        case 's':
          spec.selector = true;
          break;
        case 'u':
          spec.registers = RegisterKind::kBits;
          break;
        case 'h':
          spec.registers = RegisterKind::kBitsOrHalves;
          break;
        case 'i':
          spec.registers = RegisterKind::kBitsOrIntegers;
          break;
        case 'v':
          spec.shape = OperandShape::kModifierVector;
          break;
        case 'p':
          spec.shape = OperandShape::kPackedVector;
          break;
        case 'g':
          spec.shape = OperandShape::kGeometryVector;
          break;
        case 'n':
          spec.shape = OperandShape::kAnyVector;
          break;
        case '*': {
          spec.shape = OperandShape::kFixedVector;
          unsigned count = 0;
          while (text.size() > 1 && text[1] >= '0' && text[1] <= '9') {
            count = count * 10 + static_cast<unsigned>(text[1] - '0');
            text.remove_prefix(1);
          }
          if (count == 0 || count > 255) fault("count of a vector");
          spec.count = static_cast<uint8_t>(count);
          break;
        }
        default:
          fault("flag " + std::string(1, text.front()));
      }
  }

  const InstructionForm& row_;
  std::vector<std::string>& faults_;
};

const CompiledTable& table() {
  static const CompiledTable compiled = [] {
    CompiledTable result;
    const auto rows = instruction_table();
    result.forms.reserve(rows.size());
    for (const InstructionForm& row : rows) {
      const auto opcode = static_cast<unsigned>(row.opcode);
      if (result.by_opcode.size() <= opcode) result.by_opcode.resize(opcode + 1);
      result.by_opcode[opcode].push_back(static_cast<uint16_t>(result.forms.size()));
      result.forms.push_back(RowCompiler(row, result.faults).compile());
    }
    return result;
  }();
  return compiled;
}

// The outcome of laying suffixes on a pattern: how far it went and which elements are filled.
struct Attempt {
  unsigned consumed = 0;
  uint64_t filled = 0;
  bool complete = false;
};

bool holds(const PatternElement& element, SuffixCode code) {
  return std::find(element.alternatives.begin(), element.alternatives.end(), code) != element.alternatives.end();
}

// Modifiers that mean different things at different places: both layouts of a product, both spaces of a copy.
unsigned ordered_kind(SuffixCode code) {
  if (is_type(code)) return 0;
  switch (static_cast<Modifier>(code - kFirstModifier)) {
    case Modifier::kRow:
    case Modifier::kCol:
      return 1;
    case Modifier::kGlobal:
    case Modifier::kShared:
    case Modifier::kSharedCta:
    case Modifier::kSharedCluster:
      return 2;
    default:
      return 0;
  }
}

// Types go to the first free element after the last type's, modifiers to the first free element that has them (of those
// whose order counts: after the last one of their kind). `.cta` is the first suffix where it may be left out (bar,
// barrier). An optional type element that is filled too eagerly is given back: `skipped` counts how many to leave
// empty.
Attempt attempt(const CompiledForm& form, std::span<const SuffixCode> suffixes) {
  Attempt result;
  size_t next_type = 0;
  std::array<size_t, 3> next_ordered{};
  for (const SuffixCode code : suffixes) {
    bool found = false;
    const unsigned ordered = ordered_kind(code);
    for (size_t i = is_type(code) ? next_type : next_ordered[ordered]; i < form.pattern.size(); ++i) {
      const PatternElement& element = form.pattern[i];
      const bool late = i == 0 && element.optional && code == code_of(Modifier::kCta) && result.consumed != 0;
      if ((result.filled >> i & 1) == 0 && !late && holds(element, code)) {
        result.filled |= uint64_t{1} << i;
        if (is_type(code)) next_type = i + 1;
        if (ordered != 0) next_ordered[ordered] = i + 1;
        found = true;
        break;
      }
      if (is_type(code) && element.holds_types && !element.optional) break;
    }
    if (!found) return result;
    ++result.consumed;
  }
  result.complete = true;
  for (size_t i = 0; i < form.pattern.size(); ++i)
    if (!form.pattern[i].optional && (result.filled >> i & 1) == 0) result.complete = false;
  return result;
}

}  // namespace

const CompiledForm& compiled_form(unsigned index) {
  return table().forms[index];
}

std::span<const uint16_t> forms_of(Opcode opcode) {
  const auto& by_opcode = table().by_opcode;
  const auto index = static_cast<unsigned>(opcode);
  if (index >= by_opcode.size()) return {};
  return by_opcode[index];
}

std::span<const std::string> table_faults() {
  return table().faults;
}

bool matches(const CompiledForm& form, std::span<const SuffixCode> suffixes) {
  return attempt(form, suffixes).complete;
}

SuffixMismatch explain_mismatch(Opcode opcode, std::span<const SuffixCode> suffixes) {
  SuffixMismatch result;
  std::vector<SuffixCode> expected;
  for (const uint16_t index : forms_of(opcode)) {
    const CompiledForm& form = compiled_form(index);
    const Attempt tried = attempt(form, suffixes);
    if (tried.consumed < result.position) continue;
    if (tried.consumed > result.position) expected.clear();
    result.position = tried.consumed;
    const bool missing = tried.consumed == suffixes.size();
    for (size_t i = 0; i < form.pattern.size(); ++i) {
      if (tried.filled >> i & 1 || (missing && form.pattern[i].optional)) continue;
      for (const SuffixCode code : form.pattern[i].alternatives)
        if (std::find(expected.begin(), expected.end(), code) == expected.end()) expected.push_back(code);
      if (missing || !form.pattern[i].optional) break;  // what comes after a required suffix is not expected yet
    }
  }
  // Where a type stands that does not fit, a type is expected; the same for modifiers.
  if (result.position < suffixes.size()) {
    const bool type = is_type(suffixes[result.position]);
    const auto other = [&](SuffixCode code) { return is_type(code) != type; };
    if (!std::all_of(expected.begin(), expected.end(), other)) std::erase_if(expected, other);
  }
  constexpr size_t kMost = 12;
  for (size_t i = 0; i < expected.size() && i < kMost; ++i) {
    if (i != 0) result.expected += i + 1 == expected.size() ? " or " : ", ";
    result.expected += '.' + std::string(suffix_spelling(expected[i]));
  }
  if (expected.size() > kMost) result.expected += ", ...";
  if (expected.empty()) result.expected = "the end of the instruction's name";
  return result;
}

unsigned vector_count(const OperandSpec& spec, const Instruction& instruction) {
  switch (spec.shape) {
    case OperandShape::kFixedVector:
      return spec.count;
    case OperandShape::kModifierVector: {
      const unsigned elements = vector_elements(instruction);
      return elements == 1 ? 0 : elements;
    }
    case OperandShape::kPackedVector:
    case OperandShape::kAnyVector:
    case OperandShape::kGeometryVector:
      return kAnyCount;
    default:
      return 0;
  }
}

namespace {

bool fits(const OperandSpec& spec, const Instruction& instruction, const Function& function, const Operand& operand);

bool fits_scalar(const OperandSpec& spec, const Operand& operand) {
  if (operand.negated && !spec.negatable && !spec.selector) return false;
  if (operand.kind == OperandKind::kRegister && operand.component != 0) return spec.selector;
  switch (operand.kind) {
    case OperandKind::kSink:
      return spec.sink;
    case OperandKind::kRegister:
      return !spec.constant_only;
    case OperandKind::kInteger:
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      return spec.role != OperandRole::kDestination && !spec.register_only;
    case OperandKind::kSpecialRegister:
      return spec.role != OperandRole::kDestination && !spec.register_only && !spec.constant_only;
    case OperandKind::kVariable:
    case OperandKind::kFunction:
      return spec.address;
    default:
      return false;
  }
}

bool fits_vector(const OperandSpec& spec, const Instruction& instruction, const Function& function,
                 const Operand& operand) {
  const unsigned count = vector_count(spec, instruction);
  if (operand.kind == OperandKind::kPair && spec.pair) {
    const auto pair = function.elements(operand);
    return fits_vector(spec, instruction, function, pair[0]) && fits_scalar(spec, pair[1]);
  }
  if (operand.kind != OperandKind::kVector)
    return (count == 0 || count == 1 || spec.shape == OperandShape::kGeometryVector ||
            spec.shape == OperandShape::kAnyVector) &&
           fits_scalar(spec, operand);
  if (count == 0 || (count != kAnyCount && count != operand.count)) return false;
  for (const Operand& element : function.elements(operand)) {
    const bool sink_allowed = element.kind == OperandKind::kSink && spec.role == OperandRole::kDestination;
    if (!sink_allowed && !fits_scalar(spec, element)) return false;
  }
  return true;
}

bool fits_list(const OperandSpec& spec, const Instruction& instruction, const Function& function,
               const Operand& operand) {
  // A list of one element is read as an address.
  if (operand.kind != OperandKind::kList) return false;
  if (operand.count != spec.elements.size()) return false;
  const auto elements = function.elements(operand);
  for (size_t i = 0; i < elements.size(); ++i)
    if (!fits(spec.elements[i], instruction, function, elements[i])) return false;
  return true;
}

bool fits(const OperandSpec& spec, const Instruction& instruction, const Function& function, const Operand& operand) {
  switch (spec.shape) {
    case OperandShape::kAddress:
      return operand.kind == OperandKind::kAddress;
    case OperandShape::kBracketList:
      return fits_list(spec, instruction, function, operand);
    case OperandShape::kLabel:
      return operand.kind == OperandKind::kLabel;
    case OperandShape::kTargets:  // bound to its label at the end of the scope
      return operand.kind == OperandKind::kPrototype || operand.kind == OperandKind::kLabel;
    case OperandShape::kCall:
      return true;
    case OperandShape::kScalar:
      if (operand.kind == OperandKind::kPair) {
        if (!spec.pair) return false;
        for (const Operand& element : function.elements(operand))
          if (!fits_scalar(spec, element)) return false;
        return true;
      }
      return !spec.pair_required && fits_scalar(spec, operand);
    default:
      return fits_vector(spec, instruction, function, operand);
  }
}

// An operand that may be left out is taken only by a register of its width and kind: `e` and `f` of tex, the size of
// the source and the cache policy of cp.async are told apart by their types.
bool is_plausible(const OperandSpec& spec, const Instruction& instruction, const Function& function,
                  const Operand& operand) {
  if (operand.kind != OperandKind::kRegister) return true;
  const Type wanted = operand_type(spec, instruction), held = function.register_types[operand.index];
  return wanted == Type::kNone ||
         (bits(wanted) == bits(held) && (is_untyped(held) || is_untyped(wanted) || is_float(held) == is_float(wanted)));
}

bool match_from(const CompiledForm& form, const Instruction& instruction, const Function& function,
                std::span<const Operand> operands, size_t spec, size_t operand,
                std::vector<const OperandSpec*>& assigned) {
  if (spec == form.operands.size()) return operand == operands.size();
  const OperandSpec& here = form.operands[spec];
  if (operand < operands.size() && fits(here, instruction, function, operands[operand]) &&
      (!here.optional || is_plausible(here, instruction, function, operands[operand]))) {
    assigned.push_back(&here);
    if (match_from(form, instruction, function, operands, spec + 1, operand + 1, assigned)) return true;
    assigned.pop_back();
  }
  return here.optional && match_from(form, instruction, function, operands, spec + 1, operand, assigned);
}

}  // namespace

bool operand_fits(const OperandSpec& spec, const Instruction& instruction, const Function& function,
                  const Operand& operand) {
  return fits(spec, instruction, function, operand);
}

Type operand_type(const OperandSpec& spec, const Instruction& instruction) {
  const Type type = spec.type_index >= 0 ? instruction.type(static_cast<unsigned>(spec.type_index)) : spec.type;
  if (!spec.doubled) return type;
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return type;
  }
}

std::string expected_operand(const OperandSpec& spec, const Instruction& instruction) {
  switch (spec.shape) {
    case OperandShape::kAddress:
      return "an address in brackets";
    case OperandShape::kBracketList:
      return "a list of " + std::to_string(spec.elements.size()) + " in brackets";
    case OperandShape::kLabel:
      return "a label";
    case OperandShape::kTargets:
      return "the label of a .branchtargets";
    case OperandShape::kCall:
      return "the operands of a call";
    default:
      break;
  }
  const Type type = operand_type(spec, instruction);
  const std::string dotted = type == Type::kNone ? std::string() : " ." + std::string(spelling(type));
  const unsigned count = vector_count(spec, instruction);
  if (count == kAnyCount) return "a vector of" + (dotted.empty() ? " registers" : dotted);
  if (count >= 1) return "a vector of " + std::to_string(count) + (dotted.empty() ? " elements" : dotted);
  if (spec.constant_only) return "an integer constant";
  if (spec.role == OperandRole::kDestination) return "a" + dotted + " register";
  return "a" + dotted + (spec.register_only ? " register" : " register or constant");
}

bool match_operands(const CompiledForm& form, const Instruction& instruction, const Function& function,
                    std::span<const Operand> operands, std::vector<const OperandSpec*>& assigned) {
  assigned.clear();
  if (form.any_operands) return true;
  if (form.operands.size() == 1 && form.operands[0].shape == OperandShape::kCall) return true;
  if (operands.size() < form.least_operands || operands.size() > form.operands.size()) return false;
  return match_from(form, instruction, function, operands, 0, 0, assigned);
}

}  // namespace ww::ptx
