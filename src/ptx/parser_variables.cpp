// Variables, parameters, registers and initialisers.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/parser_state.h"

namespace ww::ptx {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // of one variable

// Bounds that no real module comes near, so that a few bytes of hostile text cannot ask for gigabytes.
constexpr uint64_t kMostRegisters = uint64_t{1} << 22;  // of one declaration
constexpr uint64_t kMostRegistersInModule = uint64_t{1} << 26;
constexpr uint64_t kMostInitializerBytes = uint64_t{1} << 30;  // of one module

unsigned element_bytes(Type type) {
  return std::max(1u, bits(type) / 8);
}

bool is_opaque(Type type) {
  return type == Type::kTexref || type == Type::kSamplerref || type == Type::kSurfref;
}

// Alignment and attributes may differ, and a bound may be left out.
bool same_declaration(const Variable& a, const Variable& b) {
  if (a.space != b.space || a.type != b.type || a.vector != b.vector || a.dimensions.size() != b.dimensions.size())
    return false;
  for (size_t i = 0; i < a.dimensions.size(); ++i)
    if (a.dimensions[i] != b.dimensions[i] && a.dimensions[i] != 0 && b.dimensions[i] != 0) return false;
  return true;
}

}  // namespace

bool Parser::parse_attribute_directive(Variable* variable) {
  lexer_.advance();
  if (!expect('(', ".attribute")) return false;
  do {
    const Token token = lexer_.current();
    lexer_.advance();
    if (token.text == ".managed") {
      if (!needs(40, 30, token.location, ".managed")) return false;
      if (!variable) return fail(token.location, ".managed on a function", "'.managed'", ".unified");
      variable->managed = true;
    } else if (token.text == ".unified") {
      if (!needs(71, 70, token.location, ".unified")) return false;
      std::array<uint64_t, 2>& id = variable ? variable->unified : function_->unified;
      if (!expect('(', ".unified") || !constant_integer(id[0], "uuid", ~uint64_t{0}) || !expect(',', ".unified") ||
          !constant_integer(id[1], "uuid", ~uint64_t{0}) || !expect(')', ".unified"))
        return false;
      (variable ? variable->has_unified : function_->has_unified) = true;
    } else {
      return fail(token.location, "unknown attribute", describe(token), ".managed or .unified");
    }
  } while (accept(','));
  return expect(')', ".attribute");
}

bool Parser::parse_variable_attributes(Variable& variable) {
  for (;;) {
    const Token token = lexer_.current();
    if (token.kind != TokenKind::kDotWord) return fail_here("a type is missing", "a type such as .b32");
    if (token.text == ".align") {
      lexer_.advance();
      const Location location = lexer_.current().location;
      uint64_t alignment = 0;
      if (!constant_integer(alignment, "alignment", 1u << 20)) return false;
      if (!std::has_single_bit(alignment))
        return fail(location, "alignment is not a power of two", std::to_string(alignment), "1, 2, 4, 8, 16, ...");
      variable.alignment = static_cast<uint32_t>(alignment);
    } else if (token.text == ".attribute") {
      if (!parse_attribute_directive(&variable)) return false;
    } else if (token.text == ".ptr") {
      lexer_.advance();
      variable.has_pointer_attribute = true;
      static constexpr std::pair<std::string_view, Space> kSpaces[] = {{".global", Space::kGlobal},
                                                                       {".const", Space::kConst},
                                                                       {".local", Space::kLocal},
                                                                       {".shared", Space::kShared}};
      for (const auto& [word, space] : kSpaces) {
        if (!is_word(word)) continue;
        variable.pointer_space = space;
        lexer_.advance();
        break;
      }
      if (is_word(".align")) {
        lexer_.advance();
        const Location location = lexer_.current().location;
        uint64_t alignment = 0;
        if (!constant_integer(alignment, "alignment", 1u << 30)) return false;
        if (!std::has_single_bit(alignment))
          return fail(location, "alignment is not a power of two", std::to_string(alignment), "1, 2, 4, 8, 16, ...");
        variable.pointer_alignment = static_cast<uint32_t>(alignment);
      }
      if (variable.type != Type::kNone) return true;
    } else if (token.text == ".v2" || token.text == ".v4" || token.text == ".v8") {
      variable.vector = static_cast<uint8_t>(token.text[2] - '0');
      lexer_.advance();
    } else if (const auto type = find_type(token.text.substr(1))) {
      if (!is_declarable(*type)) return fail_here("a type of instructions alone", "a type such as .b32 or .f16x2");
      variable.type = *type;
      lexer_.advance();
      if (!is_word(".ptr") && !is_word(".align")) return true;
    } else {
      return fail_here("unknown type or attribute", "a type such as .b32, or .align, .v2, .v4, .attribute");
    }
    if (variable.type != Type::kNone && lexer_.current().kind != TokenKind::kDotWord) return true;
  }
}

bool Parser::parse_array_bounds(Variable& variable) {
  while (accept('[')) {
    variable.is_array = true;
    uint64_t bound = 0;  // `[0]` means `[]`
    const Token token = lexer_.current();
    if (!is(']') && !constant_integer(bound, "array bound", kMostBytes)) return false;
    if (bound == 0 && !variable.dimensions.empty())
      return fail(token.location, "only the first dimension of an array may be left out", describe(token),
                  "an array bound from 1");
    variable.is_unsized |= bound == 0;
    variable.dimensions.push_back(bound);
    if (!expect(']', "an array bound")) return false;
    if (variable.dimensions.size() > 64) return fail_here("too many dimensions", "at most 64");
  }
  return true;
}

bool Parser::finish_size(Variable& variable) {
  const unsigned scalar = element_bytes(variable.type) * variable.vector;
  uint64_t size = scalar;
  for (const uint64_t bound : variable.dimensions) {
    if (bound != 0 && size > kMostBytes / bound)
      return fail(variable.location, "variable is too large", '\'' + std::string(variable.name) + '\'',
                  "at most 2^40 bytes");
    size *= bound;
  }
  variable.size = variable.is_unsized ? 0 : size;
  if (variable.alignment == 0) variable.alignment = scalar;
  return true;
}

bool Parser::declare_variable(Variable variable, std::vector<VariableId>& ids) {
  const Symbol* existing = symbols_.find_in_scope(variable.name);
  if (existing && existing->kind == SymbolKind::kVariable && !function_) {
    Variable& first = module_.variables[existing->index];
    if (!same_declaration(first, variable) ||
        (first.linkage != Linkage::kExtern && variable.linkage != Linkage::kExtern))
      return fail(variable.location, "variable is declared twice", '\'' + std::string(variable.name) + '\'',
                  same_declaration(first, variable) ? "a new name" : "the type and bounds of its first declaration");
    if (first.linkage == Linkage::kExtern && variable.linkage == Linkage::kInternal)
      return fail(variable.location, "an .extern variable is defined without linkage",
                  '\'' + std::string(variable.name) + '\'', ".visible, .weak or .common");
    ids.push_back(existing->index);
    // The definition is kept; of declarations, one that knows the bound.
    if (first.linkage == Linkage::kExtern && (variable.linkage != Linkage::kExtern || first.is_unsized))
      first = std::move(variable);
    first.redeclared = true;
    return true;
  }
  const auto id = static_cast<VariableId>(module_.variables.size());
  if (!symbols_.declare(variable.name, {SymbolKind::kVariable, 1, id, 0}))
    return fail(variable.location, "name is declared twice in one scope", '\'' + std::string(variable.name) + '\'',
                "a new name");
  module_.variables.push_back(std::move(variable));
  ids.push_back(id);
  return true;
}

bool Parser::parse_variables(Space space, Linkage linkage, std::vector<VariableId>& ids) {
  Variable common;
  common.space = space;
  common.linkage = linkage;
  common.function = function_ ? function_id_ : kNoIndex;
  if (space == Space::kConst && is('[')) {  // .const[bank], PTX before 2.2
    lexer_.advance();
    uint64_t bank = 0;
    if (!constant_integer(bank, "constant bank", 10) || !expect(']', ".const")) return false;
    common.const_bank = static_cast<uint32_t>(bank);
  }
  if (!parse_variable_attributes(common)) return false;
  do {
    Variable variable = common;
    if (!expect_identifier(variable.name, variable.location, "the name of a variable")) return false;
    // `.param .b8 x<4>` declares x0 to x3.
    if (!parse_array_bounds(variable)) return false;
    if (is('=')) {
      if (!finish_size(variable)) return false;
      // Its own address is a legal initialiser of a variable: it is declared first.
      lexer_.advance();
      if (!parse_initializer(variable)) return false;
    } else if (variable.is_unsized && linkage != Linkage::kExtern) {
      return fail(variable.location, "array without a bound", '\'' + std::string(variable.name) + "[]'",
                  "a bound, an initialiser, or .extern");
    }
    if (!finish_size(variable) || !declare_variable(std::move(variable), ids)) return false;
  } while (accept(','));
  return expect(';', "a variable declaration");
}

bool Parser::parse_initializer_symbol(SymbolInitializer& symbol) {
  const auto bind = [&](std::string_view name, Location location) {
    uint32_t offset = 0;
    const Symbol* found = symbols_.find(name, offset);
    if (!found || (found->kind != SymbolKind::kVariable && found->kind != SymbolKind::kFunction))
      return fail(location, "unknown name in an initialiser", '\'' + std::string(name) + '\'',
                  "a variable or function declared above");
    symbol.is_function = found->kind == SymbolKind::kFunction;
    symbol.index = found->index;
    return true;
  };
  std::string_view name;
  Location location;
  if (!expect_identifier(name, location, "a constant or the name of a variable")) return false;
  if (name == "generic" && is('(')) {
    symbol.is_generic = true;
    lexer_.advance();
    if (!expect_identifier(name, location, "the name of a variable") || !bind(name, location) ||
        !expect(')', "generic()"))
      return false;
  } else if (!bind(name, location)) {
    return false;
  }
  uint64_t addend = 0;
  if (!parse_offset(addend)) return false;
  symbol.addend = static_cast<int64_t>(addend);
  return true;
}

bool Parser::parse_initializer_scalar(Variable& variable, uint64_t offset) {
  const Token token = lexer_.current();
  const unsigned size = element_bytes(variable.type);
  const bool mask = token.text == "mask" || (token.kind == TokenKind::kInteger && lexer_.next_is('('));
  if (token.kind == TokenKind::kIdentifier && token.text != "WARP_SZ") {
    SymbolInitializer symbol;
    symbol.offset = offset;
    symbol.size = static_cast<uint8_t>(size);
    if (mask && lexer_.next_is('(')) return fail_here("mask() is written 0xFF(name)", "0xFF(name)");
    if (!parse_initializer_symbol(symbol)) return false;
    variable.symbol_initializers.push_back(symbol);
    return true;
  }
  if (mask) {  // 0xFF00(symbol): one byte of an address
    SymbolInitializer symbol;
    symbol.offset = offset;
    symbol.size = static_cast<uint8_t>(size);
    const uint64_t bits_wanted = token.value;
    const int shift = bits_wanted == 0 ? 0 : std::countr_zero(bits_wanted) & ~7;
    if (bits_wanted == 0 || bits_wanted >> shift != 0xff)
      return fail(token.location, "bad mask of an address", describe(token), "0xFF, 0xFF00, 0xFF0000, ...");
    symbol.shift = static_cast<uint8_t>(shift);
    symbol.is_masked = true;
    lexer_.advance();
    lexer_.advance();
    if (!parse_initializer_symbol(symbol) || !expect(')', "the mask of an address")) return false;
    variable.symbol_initializers.push_back(symbol);
    return true;
  }
  ConstantValue value;
  if (!constant(value)) return false;
  uint64_t image = value.bits;
  if (is_float(variable.type)) {
    if (variable.type != Type::kF32 && variable.type != Type::kF64)
      return fail(token.location, "an initialiser of a ." + std::string(spelling(variable.type)), describe(token),
                  "a variable of type .b16 or .b32 and the bits of the value");
    if (!value.is_float())
      return fail(token.location, "integer initialiser of a floating-point variable", describe(token),
                  "a floating-point constant");
    if (variable.type == Type::kF64) {
      image = std::bit_cast<uint64_t>(value.as_double());
    } else {
      image = value.kind == ConstantValue::Kind::kFloat32
                  ? value.bits
                  : std::bit_cast<uint32_t>(static_cast<float>(value.as_double()));
    }
  } else if (value.is_float()) {
    return fail(token.location, "floating-point initialiser of an integer variable", describe(token), "an integer");
  }
  if (!extend_initializer(variable, offset + size)) return false;
  for (unsigned i = 0; i < size; ++i)
    variable.initializer[offset + i] = i < 8 ? static_cast<uint8_t>(image >> (8 * i)) : static_cast<uint8_t>(0);
  return true;
}

// `{ filter_mode = nearest, width = 64 }` (PTX ISA, "Texture Sampler and Surface Types").
bool Parser::parse_opaque_initializer(Variable& variable) {
  struct Field {
    std::string_view name;
    uint8_t types;  // 1: texref, 2: samplerref, 4: surfref
    std::string_view words;
  };
  static constexpr std::string_view kModes = " wrap mirror clamp_ogl clamp_to_edge clamp_to_border ";
  static constexpr Field kFields[] = {{"width", 5, {}},
                                      {"height", 5, {}},
                                      {"depth", 5, {}},
                                      {"channel_data_type", 5, {}},
                                      {"channel_order", 5, {}},
                                      {"memory_layout", 4, {}},
                                      {"array_size", 5, {}},
                                      {"num_mipmap_levels", 1, {}},
                                      {"num_samples", 1, {}},
                                      {"normalized_coords", 1, {}},
                                      {"force_unnormalized_coords", 2, {}},
                                      {"filter_mode", 3, " nearest linear "},
                                      {"addr_mode_0", 3, kModes},
                                      {"addr_mode_1", 3, kModes},
                                      {"addr_mode_2", 3, kModes}};
  const unsigned type = variable.type == Type::kTexref ? 1 : variable.type == Type::kSamplerref ? 2 : 4;
  if (!expect('{', "an initialiser")) return false;
  do {
    OpaqueField field;
    Location location;
    if (!expect_identifier(field.name, location, "a field such as filter_mode")) return false;
    const auto known = std::find_if(std::begin(kFields), std::end(kFields),
                                    [&](const Field& f) { return f.name == field.name && (f.types & type) != 0; });
    if (known == std::end(kFields)) {
      std::string fields;
      for (const Field& f : kFields)
        if (f.types & type) fields += (fields.empty() ? "" : ", ") + std::string(f.name);
      return fail(location, "unknown field of ." + std::string(spelling(variable.type)),
                  '\'' + std::string(field.name) + '\'', fields);
    }
    if (!expect('=', "an initialiser")) return false;
    if (lexer_.current().kind == TokenKind::kIdentifier) {
      field.word = lexer_.current().text;
      if (known->words.find(' ' + std::string(field.word) + ' ') == std::string_view::npos)
        return fail_here("bad value of " + std::string(field.name),
                         known->words.empty()
                             ? "an integer"
                             : "one of" + std::string(known->words.substr(0, known->words.size() - 1)));
      lexer_.advance();
    } else if (!constant_integer(field.value, field.name, 0xffffffffu)) {
      return false;
    }
    variable.opaque_initializer.push_back(field);
  } while (accept(','));
  return expect('}', "an initialiser");
}

bool Parser::parse_initializer(Variable& variable) {
  if (variable.space == Space::kShared || variable.space == Space::kLocal || variable.space == Space::kParam)
    return fail_here("a variable of this state space cannot be initialised", "';'",
                     "Store the value in the kernel instead");
  if (variable.linkage == Linkage::kExtern)
    return fail(variable.location, "an .extern variable with an initialiser", '\'' + std::string(variable.name) + '\'',
                "no initialiser, or .visible");
  if (is_opaque(variable.type)) return parse_opaque_initializer(variable);
  const unsigned scalar = element_bytes(variable.type);
  std::vector<uint64_t> bounds(variable.dimensions.begin(), variable.dimensions.end());
  if (variable.vector > 1) bounds.push_back(variable.vector);
  if (!is('{')) {
    if (!bounds.empty()) return fail_here("initialiser of an array or vector", "'{'");
    if (!parse_initializer_scalar(variable, 0)) return false;
    return extend_initializer(variable, scalar);
  }
  // Every dimension has its braces, a vector all its elements, as the assembler wants it.
  // spans[k]: scalars in one element of nesting level k (level 0: the whole variable).
  std::vector<uint64_t> spans(bounds.size() + 1, 1);
  for (size_t k = bounds.size(); k-- > 0;) {
    const uint64_t bound = k == 0 && variable.is_unsized ? kMostBytes : bounds[k];
    spans[k] = spans[k + 1] > kMostBytes / std::max<uint64_t>(bound, 1) ? kMostBytes : spans[k + 1] * bound;
  }
  struct Level {
    uint64_t next, end;
  };
  std::vector<Level> levels;
  uint64_t written = 0, outermost = 0;
  bool after_value = false;
  for (;;) {
    if (is('{')) {
      if (after_value) return fail_here("syntax error in an initialiser", "',' or '}'");
      const size_t level = levels.size();
      if (level >= bounds.size()) return fail_here("initialiser is nested deeper than the array", "a constant");
      const uint64_t begin = levels.empty() ? 0 : levels.back().next;
      if (!levels.empty() && begin >= levels.back().end) return fail_here("too many initialisers", "'}'");
      levels.push_back({begin, begin + spans[level]});
      lexer_.advance();
      continue;
    }
    if (is('}')) {
      const auto [next, end] = levels.back();
      if (variable.vector > 1 && levels.size() == bounds.size() && next != end)
        return fail_here("too few initialisers of a vector", std::to_string(variable.vector) + " of them");
      levels.pop_back();
      lexer_.advance();
      outermost = next;
      if (levels.empty()) break;
      levels.back().next = end;
      after_value = true;
      continue;
    }
    if (after_value) {
      if (!accept(',')) return fail_here("syntax error in an initialiser", "',' or '}'");
      after_value = false;
      continue;
    }
    Level& level = levels.back();
    if (level.next >= level.end) return fail_here("too many initialisers", "'}'");
    if (levels.size() < bounds.size()) return fail_here("initialiser of an array or vector", "'{'");
    if (!parse_initializer_scalar(variable, level.next * scalar)) return false;
    written = std::max(written, ++level.next);
    after_value = true;
  }
  if (variable.is_unsized) {
    if (outermost == 0)
      return fail(variable.location, "array without a bound", '\'' + std::string(variable.name) + "[]'",
                  "a bound, or an initialiser of one element at least");
    variable.dimensions[0] = outermost / spans[1];
    variable.is_unsized = false;
  }
  return extend_initializer(variable, written * scalar);
}

bool Parser::extend_initializer(Variable& variable, uint64_t size) {
  if (variable.initializer.size() >= size) return true;
  initializer_bytes_ += size - variable.initializer.size();
  if (initializer_bytes_ > kMostInitializerBytes)
    return fail(variable.location, "initialisers are too large", {}, "at most 2^30 bytes in all");
  variable.initializer.resize(size);
  return true;
}

bool Parser::parse_parameters(std::vector<VariableId>& ids, bool prototype, bool* variadic) {
  if (!expect('(', "a parameter list")) return false;
  if (accept(')')) return true;
  do {
    if (!parse_parameter(ids, prototype, variadic)) return false;
  } while (accept(','));
  return expect(')', "a parameter list");
}

bool Parser::parse_results(std::vector<VariableId>& ids, bool prototype) {
  if (!parse_parameters(ids, prototype, nullptr)) return false;
  for (const VariableId id : ids) {
    const Variable& result = module_.variables[id];
    if (result.space == Space::kParam && ids.size() > 1)
      return fail(result.location, "several results, not all of them registers", '\'' + std::string(result.name) + '\'',
                  ".reg results, or one .param result", "Return one array in .param");
    if (result.is_unsized)
      return fail(result.location, "a result without a size", '\'' + std::string(result.name) + '\'', "an array bound");
  }
  return true;
}

bool Parser::parse_parameter(std::vector<VariableId>& ids, bool prototype, bool* variadic) {
  Variable variable;
  variable.function = function_id_;
  if (is_word(".reg")) {
    variable.space = Space::kRegister;
  } else if (is_word(".param")) {
    variable.space = Space::kParam;
  } else {
    return fail_here("bad parameter", ".param or .reg");
  }
  lexer_.advance();
  if (!parse_variable_attributes(variable)) return false;
  if (!expect_identifier(variable.name, variable.location, "the name of a parameter")) return false;
  if (accept('<')) {  // a parametrised name: `_<3>` in a prototype
    return fail_here("a range of parameters", "one parameter");
  }
  if (!parse_array_bounds(variable) || !finish_size(variable)) return false;
  if (variable.is_unsized && variadic) *variadic = true;
  if (prototype || variable.name == "_") {
    ids.push_back(static_cast<VariableId>(module_.variables.size()));
    module_.variables.push_back(std::move(variable));
    return true;
  }
  if (variable.space == Space::kRegister) {
    const auto first = static_cast<RegisterId>(function_->register_types.size());
    function_->register_types.insert(function_->register_types.end(), variable.vector, variable.type);
    function_->register_declarations.push_back(
        {variable.name, variable.type, variable.vector, 0, first, variable.location});
    if (!symbols_.declare(variable.name, {SymbolKind::kRegister, variable.vector, first, 0}))
      return fail(variable.location, "name is declared twice in one scope", '\'' + std::string(variable.name) + '\'',
                  "a new name");
    variable.first_register = first;
    ids.push_back(static_cast<VariableId>(module_.variables.size()));
    module_.variables.push_back(std::move(variable));
    return true;
  }
  return declare_variable(std::move(variable), ids);
}

bool Parser::parse_registers() {
  lexer_.advance();
  uint8_t vector = 1;
  Type type = Type::kNone;
  while (lexer_.current().kind == TokenKind::kDotWord) {
    const std::string_view word = lexer_.current().text;
    if (word == ".v2" || word == ".v4") {
      vector = static_cast<uint8_t>(word[2] - '0');
    } else if (word == ".align") {
      lexer_.advance();
      uint64_t ignored = 0;
      if (!constant_integer(ignored, "alignment", 1u << 20)) return false;
      continue;
    } else if (const auto found = find_type(word.substr(1))) {
      if (!is_declarable(*found)) return fail_here("a type of instructions alone", "a type such as .b32 or .f16x2");
      type = *found;
    } else {
      return fail_here("unknown register type", "a type such as .b32, .f32 or .pred");
    }
    lexer_.advance();
  }
  if (type == Type::kNone) return fail_here("a register type is missing", "a type such as .b32");
  if (vector > 1 && type == Type::kPred) return fail_here("a vector of predicates", "scalar predicates");
  if (vector * bits(type) > 128)
    return fail_here("a vector register of more than 128 bits", ".v2 of 64 bits, or narrower");
  do {
    RegisterDeclaration declaration;
    declaration.type = type;
    declaration.vector = vector;
    declaration.first = static_cast<RegisterId>(function_->register_types.size());
    if (!expect_identifier(declaration.name, declaration.location, "the name of a register")) return false;
    if (declaration.name == "_" || declaration.name == "WARP_SZ")
      return fail(declaration.location, "a name that PTX has for itself", '\'' + std::string(declaration.name) + '\'',
                  "another name");
    uint64_t count = 1;
    Symbol symbol{SymbolKind::kRegister, vector, declaration.first, 0};
    if (is('<')) {
      lexer_.advance();
      const Token number = lexer_.current();
      if (number.kind != TokenKind::kInteger || number.value == 0 || number.value > kMostRegisters)
        return fail_here("bad register range", "a count from 1 to 4194304");
      count = number.value;
      lexer_.advance();
      if (!expect('>', "a register range")) return false;
      declaration.count = static_cast<uint32_t>(count);
      symbol.kind = SymbolKind::kRegisterRange;
      symbol.count = declaration.count;
    }
    registers_in_module_ += count * vector;
    if (registers_in_module_ > kMostRegistersInModule)
      return fail(declaration.location, "too many registers in one module", std::to_string(count),
                  "at most 67108864 in all");
    // `%r5` beside `%r<9>`; the other way round the range's later registers keep their own names.
    const bool in_range = symbol.kind == SymbolKind::kRegister && symbols_.in_range_of_scope(declaration.name);
    if (in_range || !symbols_.declare(declaration.name, symbol))
      return fail(declaration.location, "name is declared twice in one scope",
                  '\'' + std::string(declaration.name) + '\'', "a new name");
    function_->register_types.insert(function_->register_types.end(), count * vector, type);
    const auto index = static_cast<uint32_t>(function_->register_declarations.size());
    function_->register_declarations.push_back(declaration);
    function_->statements.push_back({StatementKind::kRegisterDeclaration, index});
  } while (accept(','));
  return expect(';', "a register declaration");
}

}  // namespace ww::ptx
