// Operands: registers, constants, addresses, vectors, lists. What an operand may be is the instruction table's
// business.
#include <algorithm>

#include "ptx/parser_state.h"
#include "ptx/special_registers.h"

namespace ww::ptx {

namespace {

constexpr unsigned kMostElements = 2047;  // Operand::count

struct Selector {
  std::string_view word;
  uint8_t component;
};
constexpr Selector kSelectors[] = {{".b0", 1}, {".b1", 2}, {".b2", 3}, {".b3", 4}, {".h0", 5}, {".h1", 6}};

int vector_component(std::string_view word) {
  if (word.size() != 2) return -1;
  switch (word[1]) {
    case 'x':
    case 'r':
      return 0;
    case 'y':
    case 'g':
      return 1;
    case 'z':
    case 'b':
      return 2;
    case 'w':
    case 'a':
      return 3;
    default:
      return -1;
  }
}

}  // namespace

std::string Parser::describe_operand(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::kNone:
      return "nothing";
    case OperandKind::kSink:
      return "the sink '_'";
    case OperandKind::kRegister:
      return std::string(operand.negated ? "the negated register '" : "the register '") +
             function_->register_name(operand.index) + '\'';
    case OperandKind::kSpecialRegister:
      return "the special register '" + std::string(facts(static_cast<SpecialRegister>(operand.index)).spelling) + '\'';
    case OperandKind::kInteger:
      return "the integer " + std::to_string(static_cast<int64_t>(operand.value));
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      return "a floating-point constant";
    case OperandKind::kVariable:
      return "the variable '" + std::string(module_.variables[operand.index].name) + '\'';
    case OperandKind::kFunction:
      return "the function '" + std::string(module_.functions[operand.index].name) + '\'';
    case OperandKind::kLabel:
      return "a label";
    case OperandKind::kPrototype:
      return "a prototype";
    case OperandKind::kAddress:
      return "an address in brackets";
    case OperandKind::kVector:
      return "a vector of " + std::to_string(operand.count);
    case OperandKind::kList:
      return "a list of " + std::to_string(operand.count);
    case OperandKind::kPair:
      return "a pair d|p";
  }
  return "an operand";
}

bool Parser::parse_operand(Operand& operand, bool wants_label) {
  if (is('[')) return parse_bracket(operand);
  if (is('{')) {
    lexer_.advance();
    if (!parse_list(operand, OperandKind::kVector, '}')) return false;
  } else if (!parse_simple_operand(operand, wants_label)) {
    return false;
  }
  if (is('|')) {
    lexer_.advance();
    Operand second;
    if (!parse_simple_operand(second, false)) return false;
    const auto at = static_cast<uint32_t>(function_->operands.size());
    function_->operands.push_back(operand);
    function_->operands.push_back(second);
    operand = {};
    operand.kind = OperandKind::kPair;
    operand.index = at;
    operand.count = 2;
  }
  return true;
}

bool Parser::parse_list(Operand& operand, OperandKind kind, uint16_t close, const Operand* leading) {
  const size_t first = scratch_.size();
  if (leading) scratch_.push_back(*leading);
  if (!is(close)) {
    do {
      const Location location = lexer_.current().location;
      Operand element;
      if (kind == OperandKind::kVector) {
        if (!parse_simple_operand(element, false)) return false;
      } else {
        if (++nesting_ > 4) return fail_here("operand nested too deeply", "at most 4 levels");
        if (!parse_operand(element, false)) return false;
        --nesting_;
      }
      scratch_.push_back(element);
      if (scratch_.size() - first > kMostElements) return fail(location, "too many elements", {}, "at most 2047");
    } while (accept(','));
  }
  if (!is(close))
    return fail_here("syntax error in a list of operands", std::string("',' or '") + static_cast<char>(close) + '\'');
  lexer_.advance();
  operand = {};
  operand.kind = kind;
  operand.index = static_cast<uint32_t>(function_->operands.size());
  operand.count = (scratch_.size() - first) & kMostElements;
  function_->operands.insert(function_->operands.end(), scratch_.begin() + static_cast<ptrdiff_t>(first),
                             scratch_.end());
  scratch_.resize(first);
  return true;
}

bool Parser::parse_simple_operand(Operand& operand, bool wants_label) {
  const Token& token = lexer_.current();
  operand = {};
  switch (token.kind) {
    case TokenKind::kIdentifier:
      if (token.text == "WARP_SZ") return parse_constant_operand(operand);
      return parse_named_operand(operand, wants_label);
    case TokenKind::kInteger:
    case TokenKind::kFloat32:
    case TokenKind::kFloat64:
      return parse_constant_operand(operand);
    case TokenKind::kPunctuation:
      if (is('!') || is('-')) {  // !p of a predicate, -a of vmad: before a name, not a constant
        const Token sign = token;
        if (lexer_.next_is_name()) {
          lexer_.advance();
          if (lexer_.current().text == "WARP_SZ") {
            if (!parse_constant_operand(operand)) return false;
            operand.value = sign.punctuation == '-' ? 0 - operand.value : 0;
            return true;
          }
          if (!parse_named_operand(operand, false)) return false;
          if (operand.kind != OperandKind::kRegister)
            return fail(sign.location, "only a register can be negated", describe_operand(operand), "a register");
          operand.negated = 1;
          return true;
        }
      }
      if (begins_constant_expression(token)) return parse_constant_operand(operand);
      [[fallthrough]];
    default:
      return fail_here("an operand is missing", "a register, a constant, a name, '[' or '{'");
  }
}

bool Parser::parse_constant_operand(Operand& operand) {
  ConstantValue value;
  if (!constant(value)) return false;
  operand.value = value.bits;
  operand.kind = value.kind == ConstantValue::Kind::kFloat32   ? OperandKind::kFloat32
                 : value.kind == ConstantValue::Kind::kFloat64 ? OperandKind::kFloat64
                                                               : OperandKind::kInteger;
  return true;
}

bool Parser::parse_selector(Operand& operand) {
  for (const Selector& selector : kSelectors) {
    if (!is_word(selector.word)) continue;
    operand.component = selector.component & 15;
    lexer_.advance();
    return true;
  }
  // .h10, .b7320: which halves or bytes of the operands of vadd2, vadd4 and their like.
  const std::string_view word = lexer_.current().text;
  if (word.size() >= 3 && word.size() <= 6 && (word[1] == 'h' || word[1] == 'b') &&
      std::all_of(word.begin() + 2, word.end(), [](char c) { return c >= '0' && c <= '7'; })) {
    operand.component = word[1] == 'h' ? 7 : 8;
    operand.value = word.size() - 2;
    for (const char c : word.substr(2)) operand.value = operand.value << 4 | static_cast<uint64_t>(c - '0');
    lexer_.advance();
    return true;
  }
  return fail_here("unknown selector of a register",
                   ".b0, .b1, .b2, .b3, .h0 or .h1, or .x .y .z .w of a vector register");
}

bool Parser::refuse_selector(const Operand& operand, Location location, std::string_view what) {
  if (operand.kind != OperandKind::kRegister || operand.component == 0) return true;
  return fail(location, "a selector of " + std::string(what), describe_operand(operand) + " with a selector",
              "the whole register");
}

bool Parser::parse_named_operand(Operand& operand, bool wants_label) {
  const Token token = lexer_.current();
  if (token.kind != TokenKind::kIdentifier) return fail_here("an operand is missing", "a name");
  const std::string_view name = token.text;
  if (wants_label) {
    operand.kind = OperandKind::kLabel;
    operand.index = kNoIndex;
    lexer_.advance();
    return true;
  }
  uint32_t offset = 0;
  const Symbol* found = symbols_.find(name, offset);
  if (!found) {
    if (name == "_") {
      operand.kind = OperandKind::kSink;
      lexer_.advance();
      return true;
    }
    if (name.front() == '%') {
      if (const auto special = find_special_register(name)) {
        const SpecialRegisterFacts& fact = facts(*special);
        if (!needs(fact.first_version, fact.first_sm, token.location, name)) return false;
        operand.kind = OperandKind::kSpecialRegister;
        operand.index = static_cast<uint32_t>(*special);
        lexer_.advance();
        if (lexer_.current().kind == TokenKind::kDotWord) {
          const int component = vector_component(lexer_.current().text);
          if (component < 0 || fact.components == 1)
            return fail_here("bad component of " + std::string(name),
                             fact.components == 1 ? "no component" : ".x, .y, .z or .w");
          operand.component = static_cast<unsigned>(component) & 15;
          lexer_.advance();
        } else if (fact.components != 1) {
          return fail(token.location, "a component of " + std::string(name) + " is missing",
                      '\'' + std::string(name) + '\'', std::string(name) + ".x, .y or .z");
        }
        return true;
      }
      return fail(token.location, "unknown register", '\'' + std::string(name) + '\'',
                  "a register declared above in this scope, or a special register");
    }
    return fail(token.location, "unknown name", '\'' + std::string(name) + '\'',
                "a register, variable or function declared above");
  }
  lexer_.advance();
  switch (found->kind) {
    case SymbolKind::kRegister:
    case SymbolKind::kRegisterRange:
      operand.kind = OperandKind::kRegister;
      operand.index = found->index + offset * found->vector;
      if (found->vector > 1) {
        if (lexer_.current().kind == TokenKind::kDotWord) {
          const int component = vector_component(lexer_.current().text);
          if (component < 0 || component >= found->vector)
            return fail_here("bad component of a vector register", ".x, .y, .z or .w");
          operand.index += static_cast<uint32_t>(component);
          lexer_.advance();
        } else {  // the whole vector
          const auto at = static_cast<uint32_t>(function_->operands.size());
          for (uint32_t i = 0; i < found->vector; ++i) {
            Operand element = operand;
            element.index += i;
            function_->operands.push_back(element);
          }
          operand.kind = OperandKind::kVector;
          operand.index = at;
          operand.count = found->vector;
        }
      } else if (lexer_.current().kind == TokenKind::kDotWord) {
        return parse_selector(operand);
      }
      return true;
    case SymbolKind::kVariable:
    case SymbolKind::kFunction: {
      operand.kind = found->kind == SymbolKind::kVariable ? OperandKind::kVariable : OperandKind::kFunction;
      operand.index = found->index;
      if (operand.kind == OperandKind::kVariable && (is('+') || is('-'))) {
        if (!parse_offset(operand.value)) return false;
      } else if (operand.kind == OperandKind::kVariable && is('[')) {  // a[3]
        lexer_.advance();
        const Variable& variable = module_.variables[operand.index];
        uint64_t index = 0;
        if (!constant_integer(index, "array index", uint64_t{1} << 40) || !expect(']', "an array index")) return false;
        uint64_t stride = std::max(1u, bits(variable.type) / 8) * variable.vector;
        for (size_t k = 1; k < variable.dimensions.size(); ++k) stride *= variable.dimensions[k];
        operand.value = index * stride;
      }
      return true;
    }
    case SymbolKind::kPrototype:
      operand.kind = OperandKind::kPrototype;
      operand.index = found->index;
      return true;
    case SymbolKind::kLabel:
      operand.kind = OperandKind::kLabel;
      operand.index = found->index;
      return true;
  }
  return true;
}

// `[a]`, `[a+4]`, or a list `[a, {x, y}]`.
bool Parser::parse_bracket(Operand& operand) {
  lexer_.advance();
  Operand first;
  if (is('{')) return fail_here("an address is missing", "a register or variable");
  if (!parse_address(first)) return false;
  if (accept(']')) {
    operand = first;
    return true;
  }
  if (!is(',')) return fail_here("syntax error in an address", "'+', ',' or ']'");
  lexer_.advance();
  // In a list the first element is a name, not an address with offset.
  Operand name = first;
  name.kind = first.base;
  name.base = OperandKind::kNone;
  if (name.kind != OperandKind::kVariable && name.kind != OperandKind::kInteger) name.value = 0;
  return parse_list(operand, OperandKind::kList, ']', &name);
}

bool Parser::parse_address(Operand& operand) {
  operand = {};
  operand.kind = OperandKind::kAddress;
  const Location location = lexer_.current().location;
  const bool constant_base = begins_constant_expression(lexer_.current());
  if (constant_base) {
    ConstantValue value;
    if (!constant(value)) return false;
    if (value.is_float())
      return fail(location, "an address is not an integer", "a floating-point constant", "an integer");
    operand.base = OperandKind::kInteger;
    operand.value = value.bits;
    return true;
  }
  Operand base;
  if (!parse_named_operand(base, false)) return false;
  if (base.kind != OperandKind::kRegister && base.kind != OperandKind::kVariable)
    return fail(location, "not an address", describe_operand(base), "a register or a variable");
  if (!refuse_selector(base, location, "an address")) return false;
  operand.base = base.kind;
  operand.index = base.index;
  operand.value = base.value;
  return base.kind != OperandKind::kRegister || parse_offset(operand.value);
}

bool Parser::parse_offset(uint64_t& offset) {
  if (!accept('+') && !is('-')) return true;  // a minus is the first sign of the expression
  const Location location = lexer_.current().location;
  ConstantValue value;
  if (!constant(value)) return false;
  if (value.is_float())
    return fail(location, "offset of an address is not an integer", "a floating-point constant", "an integer");
  offset = value.bits;
  return true;
}

}  // namespace ww::ptx
