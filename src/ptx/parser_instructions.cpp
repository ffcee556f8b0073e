// Instructions: the name with its suffixes, once a spelling; the operands, matched against the table's forms.
#include <algorithm>

#include "ptx/parser_state.h"

namespace ww::ptx {

namespace {

constexpr size_t kMostTypes = 6, kMostModifiers = 12, kMostOperands = 32;

// The opcode whose name is nearest to a misspelt one, or empty.
std::string_view nearest_opcode(std::string_view name) {
  std::string_view best;
  unsigned least = 3;
  if (name.size() > 20) return best;
  for (unsigned i = 0; i <= static_cast<unsigned>(Opcode::kXor); ++i) {
    const std::string_view candidate = spelling(static_cast<Opcode>(i));
    std::array<unsigned, 24> row{};
    if (candidate.size() >= row.size()) continue;
    for (unsigned k = 0; k <= candidate.size(); ++k) row[k] = k;
    for (unsigned a = 1; a <= name.size(); ++a) {
      unsigned diagonal = row[0];
      row[0] = a;
      for (unsigned b = 1; b <= candidate.size(); ++b) {
        const unsigned substituted = diagonal + (name[a - 1] != candidate[b - 1]);
        diagonal = row[b];
        row[b] = std::min({row[b] + 1, row[b - 1] + 1, substituted});
      }
    }
    if (row[candidate.size()] < least) {
      least = row[candidate.size()];
      best = candidate;
    }
  }
  return best;
}

}  // namespace

// Reads "add.rn.f32" into a template instruction and the forms it can be; remembered by spelling.
bool Parser::decode(std::string_view mnemonic, Location location, const Decoded*& decoded) {
  if (const auto known = decoded_.find(mnemonic); known != decoded_.end()) {
    decoded = &known->second;
    return true;
  }
  Decoded result;
  Instruction& instruction = result.instruction;
  const size_t dot = std::min(mnemonic.find('.'), mnemonic.size());
  const std::string_view name = mnemonic.substr(0, dot);
  const auto opcode = find_opcode(name);
  if (!opcode) {
    const std::string_view near = nearest_opcode(name);
    return fail(location, "unknown instruction", '\'' + std::string(name.substr(0, 60)) + '\'', "a PTX instruction",
                near.empty() ? std::string() : "Did you mean '" + std::string(near) + "'?");
  }
  instruction.opcode = *opcode;
  std::vector<SuffixCode> suffixes;
  std::vector<size_t> places;
  for (size_t at = dot; at < mnemonic.size();) {
    const size_t end = std::min(mnemonic.find('.', at + 1), mnemonic.size());
    const std::string_view word = mnemonic.substr(at + 1, end - at - 1);
    const SuffixCode code = find_suffix(word);
    if (code == kNoSuffix) {
      const SuffixMismatch mismatch = explain_mismatch(*opcode, suffixes);
      return fail({location.line, location.column + static_cast<uint32_t>(at)},
                  "unknown modifier of '" + std::string(name) + '\'', "'." + std::string(word.substr(0, 60)) + '\'',
                  mismatch.position == suffixes.size() ? mismatch.expected : "a modifier or type of PTX");
    }
    suffixes.push_back(code);
    places.push_back(at);
    at = end;
  }
  const auto types = static_cast<size_t>(std::count_if(suffixes.begin(), suffixes.end(), is_type));
  for (const uint16_t form : forms_of(*opcode))
    if (types <= kMostTypes && suffixes.size() - types <= kMostModifiers && matches(compiled_form(form), suffixes))
      result.forms.push_back(form);
  if (result.forms.empty()) {
    const SuffixMismatch mismatch = explain_mismatch(*opcode, suffixes);
    if (mismatch.position < suffixes.size())
      return fail({location.line, location.column + static_cast<uint32_t>(places[mismatch.position])},
                  "modifier or type does not fit '" + std::string(name) + '\'',
                  "'." + std::string(suffix_spelling(suffixes[mismatch.position])) + '\'', mismatch.expected);
    return fail(location, "incomplete instruction", '\'' + std::string(mnemonic.substr(0, 80)) + '\'',
                mismatch.expected);
  }
  instruction.location = location;
  const auto available = [&](uint16_t index) { return is_available(*compiled_form(index).form); };
  if (std::none_of(result.forms.begin(), result.forms.end(), available)) {
    const auto least = std::min_element(result.forms.begin(), result.forms.end(), [](uint16_t a, uint16_t b) {
      const InstructionForm &x = *compiled_form(a).form, &y = *compiled_form(b).form;
      return x.first_sm != y.first_sm ? x.first_sm < y.first_sm : x.first_version < y.first_version;
    });
    return check_available(*compiled_form(*least).form, instruction, mnemonic);
  }
  add_suffixes(instruction, suffixes);
  result.wants_label = *opcode == Opcode::kBra || *opcode == Opcode::kBrx;
  decoded = &decoded_.emplace(mnemonic, std::move(result)).first->second;
  return true;
}

bool Parser::is_available(const InstructionForm& form) const {
  if (module_.sm < form.first_sm || version() < form.first_version) return false;
  if (form.opcode == Opcode::kWgmma && module_.sm != 90) return false;  // Hopper alone
  return form.sm_suffix == 0 || module_.sm_suffix != 0;
}

bool Parser::check_available(const InstructionForm& form, const Instruction& instruction, std::string_view mnemonic) {
  if (is_available(form)) return true;
  const std::string name(mnemonic.substr(0, 80));
  if (form.sm_suffix != 0 && (module_.sm < form.first_sm || module_.sm_suffix == 0 || form.opcode == Opcode::kWgmma)) {
    const std::string wanted = "sm_" + std::to_string(form.first_sm) + form.sm_suffix;
    return fail(instruction.location, name + " needs " + wanted, ".target " + std::string(module_.targets.front()),
                wanted, "Compile for a target that has it");
  }
  return needs(form.first_version, form.first_sm, instruction.location, name);
}

bool Parser::parse_instruction() {
  RegisterId guard = kNoIndex;
  bool guard_negated = false;
  if (accept('@')) {
    guard_negated = accept('!');
    const Token token = lexer_.current();
    Operand operand;
    if (token.kind != TokenKind::kIdentifier || !parse_named_operand(operand, false))
      return fail_here("bad guard", "a predicate register after '@'");
    if (operand.kind != OperandKind::kRegister || function_->register_types[operand.index] != Type::kPred)
      return fail(token.location, "the guard is no predicate", describe_operand(operand), "a .pred register");
    if (!refuse_selector(operand, token.location, "a guard")) return false;
    guard = operand.index;
    if (lexer_.current().kind != TokenKind::kIdentifier)
      return fail_here("an instruction is missing after the guard", "an instruction");
  }
  const Location location = lexer_.current().location;
  std::string_view mnemonic = lexer_.extend_mnemonic();
  lexer_.advance();
  while (lexer_.current().kind == TokenKind::kDotWord) {  // suffixes set apart by white space
    mnemonic = own(std::string(mnemonic) + std::string(lexer_.current().text));
    lexer_.advance();
  }
  const Decoded* decoded = nullptr;
  if (!decode(mnemonic, location, decoded)) return false;
  Instruction instruction = decoded->instruction;
  instruction.guard = guard;
  instruction.guard_negated = guard_negated;
  instruction.location = location;
  operand_locations_.clear();

  if (instruction.opcode == Opcode::kCall) {
    if (!parse_call(instruction)) return false;
  } else {
    const size_t first = scratch_.size();
    std::string_view label_name;
    Location label_location;
    size_t label_operand = 0;
    if (!is(';')) {
      do {
        const Location operand_location = lexer_.current().location;
        operand_locations_.push_back(operand_location);
        Operand operand;
        const bool wants_label =
            decoded->wants_label && scratch_.size() - first == (instruction.opcode == Opcode::kBrx ? 1u : 0u);
        const std::string_view name = lexer_.current().text;
        if (!parse_operand(operand, wants_label)) return false;
        if (wants_label && operand.kind == OperandKind::kLabel) {
          label_name = name;
          label_location = operand_location;
          label_operand = scratch_.size() - first;
        }
        scratch_.push_back(operand);
        if (scratch_.size() - first > kMostOperands)
          return fail(operand_location, "too many operands", {}, "at most 32");
      } while (accept(','));
    }
    instruction.first_operand = static_cast<uint32_t>(function_->operands.size());
    instruction.operand_count = static_cast<uint8_t>(scratch_.size() - first);
    function_->operands.insert(function_->operands.end(), scratch_.begin() + static_cast<ptrdiff_t>(first),
                               scratch_.end());
    scratch_.resize(first);
    if (!label_name.empty())
      pending_.push_back({label_name, label_location, static_cast<uint32_t>(instruction.first_operand + label_operand),
                          kNoIndex, 0, instruction.opcode == Opcode::kBrx});
  }
  if (!is(';')) return fail_here("syntax error after an operand", "',' or ';'");
  if (!choose_form(*decoded, instruction)) return fail_operands(*decoded, instruction);
  if (!check_available(*compiled_form(instruction.form).form, instruction, mnemonic)) return false;
  lexer_.advance();
  function_->statements.push_back({StatementKind::kInstruction, static_cast<uint32_t>(function_->instructions.size())});
  function_->instructions.push_back(instruction);
  return true;
}

bool Parser::choose_form(const Decoded& decoded, Instruction& instruction) {
  const auto operands = function_->operands_of(instruction);
  bool found = false;
  for (const uint16_t index : decoded.forms) {
    if (!match_operands(compiled_form(index), instruction, *function_, operands, assigned_)) continue;
    // A later form may be open to this target where the first one is not.
    const InstructionForm& form = *compiled_form(index).form;
    const bool open = form.first_sm <= module_.sm && form.first_version <= version() &&
                      (form.sm_suffix == 0 || module_.sm_suffix != 0);
    if (!found || open) instruction.form = index;
    found = true;
    if (open) break;
  }
  return found;
}

bool Parser::fail_operands(const Decoded& decoded, const Instruction& instruction) {
  const auto operands = function_->operands_of(instruction);
  const std::string name(spelling(instruction.opcode));
  // Of the forms that take so many operands, the one that fits longest says what is wrong.
  const CompiledForm* best = nullptr;
  size_t furthest = 0;
  for (const uint16_t index : decoded.forms) {
    const CompiledForm& form = compiled_form(index);
    if (operands.size() < form.least_operands || operands.size() > form.operands.size()) continue;
    size_t fitting = 0;
    while (fitting < operands.size() &&
           operand_fits(form.operands[fitting], instruction, *function_, operands[fitting]))
      ++fitting;
    if (!best || fitting > furthest) {
      best = &form;
      furthest = fitting;
    }
  }
  if (!best) {
    std::string expected;
    const CompiledForm& form = compiled_form(decoded.forms.front());
    expected = std::to_string(form.least_operands);
    if (form.operands.size() != form.least_operands) expected += " to " + std::to_string(form.operands.size());
    expected += form.operands.empty() ? std::string() : " (" + std::string(form.form->operands) + ")";
    return fail(instruction.location, "wrong number of operands of '" + name + '\'', std::to_string(operands.size()),
                std::move(expected));
  }
  furthest = std::min(furthest, operands.size() - 1);
  return fail(operand_locations_[furthest], "operand " + std::to_string(furthest + 1) + " does not fit '" + name + '\'',
              describe_operand(operands[furthest]), expected_operand(best->operands[furthest], instruction));
}

// call{.uni} {(ret),} target {, (parameters)} {, prototype};
bool Parser::parse_call(Instruction& instruction) {
  std::vector<Operand> parts;
  std::string_view prototype_name;
  Location prototype_location;
  const auto list = [&] {
    operand_locations_.push_back(lexer_.current().location);
    lexer_.advance();
    Operand operand;
    if (!parse_list(operand, OperandKind::kVector, ')')) return false;
    operand.kind = OperandKind::kList;
    for (const Operand& element : function_->elements(operand)) {
      if (!refuse_selector(element, operand_locations_.back(), "an argument")) return false;
      if (element.negated)
        return fail(operand_locations_.back(), "a negated argument", describe_operand(element), "the register alone");
    }
    parts.push_back(operand);
    return true;
  };
  if (is('(')) {
    if (!list() || !expect(',', "a call")) return false;
  }
  operand_locations_.push_back(lexer_.current().location);
  const Token name = lexer_.current();
  Operand target;
  if (!parse_named_operand(target, false)) return false;
  if (target.kind != OperandKind::kFunction && target.kind != OperandKind::kRegister)
    return fail(name.location, "not a function", describe_operand(target),
                "a function declared above, or a register that holds its address");
  if (!refuse_selector(target, name.location, "the target of a call")) return false;
  parts.push_back(target);
  if (accept(',')) {
    bool more = true;
    if (is('(')) {
      if (!list()) return false;
      more = accept(',');
    }
    if (more) {
      operand_locations_.push_back(lexer_.current().location);
      prototype_location = lexer_.current().location;
      if (!expect_identifier(prototype_name, prototype_location, "the label of a .callprototype or .calltargets"))
        return false;
      Operand prototype;
      prototype.kind = OperandKind::kLabel;
      prototype.index = kNoIndex;
      parts.push_back(prototype);
    }
  }
  instruction.first_operand = static_cast<uint32_t>(function_->operands.size());
  instruction.operand_count = static_cast<uint8_t>(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == OperandKind::kLabel)
      pending_.push_back(
          {prototype_name, prototype_location, static_cast<uint32_t>(function_->operands.size()), kNoIndex, 0, true});
    function_->operands.push_back(parts[i]);
  }
  return true;
}

}  // namespace ww::ptx
