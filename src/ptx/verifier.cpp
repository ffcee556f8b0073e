// Walks a module in text order; each instruction is checked by family in the files verifier_*.cpp.
#include "ptx/verifier.h"

#include <algorithm>

#include "ptx/lexer.h"
#include "ptx/verifier_state.h"

namespace ww::ptx {

namespace {

constexpr uint64_t kMostConstantBytes = 65536;  // PTX ISA, "Constant State Space"

// Where operand `index` of the instruction at `place` stands: the text is read again, which only errors pay for.
Location locate_operand(const Module& module, Location place, size_t index) {
  if (!module.text) return place;
  std::string_view text = *module.text;
  for (uint32_t line = 1; line < place.line; ++line) {
    const size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return place;
    text.remove_prefix(newline + 1);
  }
  if (place.column == 0 || place.column > text.size()) return place;
  Lexer lexer(text.substr(place.column - 1));
  lexer.advance();
  while (lexer.current().kind == TokenKind::kDotWord) lexer.advance();
  int depth = 0;
  for (;;) {
    const Token& token = lexer.current();
    if (index == 0 && depth == 0) {
      const Location found = token.location;
      return {place.line + found.line - 1, found.line == 1 ? place.column + found.column - 1 : found.column};
    }
    if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kError) return place;
    if (token.kind == TokenKind::kPunctuation) {
      if (token.punctuation == ';') return place;
      if (token.punctuation == '{' || token.punctuation == '[' || token.punctuation == '(') ++depth;
      if (token.punctuation == '}' || token.punctuation == ']' || token.punctuation == ')') --depth;
      if (token.punctuation == ',' && depth == 0) --index;
    }
    lexer.advance();
  }
}

}  // namespace

bool Verifier::fail(Location location, std::string message, std::string found, std::string expected, std::string fix) {
  error_ = input_error(module_.name, std::move(message), std::move(fix));
  error_.line = location.line;
  error_.column = location.column;
  error_.found = std::move(found);
  error_.expected = std::move(expected);
  if (function_) error_.kernel = function_->name;
  return false;
}

bool Verifier::fail_operand(size_t index, std::string message, std::string found, std::string expected,
                            std::string fix) {
  return fail(locate_operand(module_, instruction_->location, index), std::move(message), std::move(found),
              std::move(expected), std::move(fix));
}

const Operand* Verifier::named(std::string_view name, size_t* index) const {
  for (size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i]->name == name) {
      if (index) *index = i;
      return &operands_[i];
    }
  return nullptr;
}

bool Verifier::verify_module() {
  find_unmet_requirements();
  for (const TopLevel& item : module_.order) {
    if (item.kind == TopLevel::Kind::kVariable) {
      if (!verify_variable(module_.variables[item.index])) return false;
    } else if (item.kind == TopLevel::Kind::kFunction) {
      if (!verify_function(module_.functions[item.index])) return false;
    }
  }
  for (const Alias& alias : module_.aliases) {
    const Function& name = module_.functions[alias.alias];
    const Function& target = module_.functions[alias.aliasee];
    if (!name.is_declaration)
      return fail(name.location, "an alias has a body", '\'' + std::string(name.name) + '\'', "a declaration alone");
    if (target.is_declaration || target.is_entry)
      return fail(name.location, "bad target of .alias", '\'' + std::string(target.name) + '\'',
                  "a .func that is defined in this module");
    if (!same_types(name.returns, target.returns) || !same_types(name.parameters, target.parameters))
      return fail(name.location, "an alias has other parameters than its target", '\'' + std::string(name.name) + '\'',
                  "the parameters of '" + std::string(target.name) + '\'');
  }
  return true;
}

bool Verifier::same_types(const std::vector<VariableId>& a, const std::vector<VariableId>& b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](VariableId first, VariableId second) {
    const Variable &x = module_.variables[first], &y = module_.variables[second];
    return x.type == y.type && x.size == y.size && x.is_array == y.is_array && x.space == y.space;
  });
}

bool Verifier::verify_variable(const Variable& variable) {
  const std::string name = '\'' + std::string(variable.name) + '\'';
  if (variable.space == Space::kConst) {
    constant_bytes_ += variable.size;
    if (constant_bytes_ > kMostConstantBytes)
      return fail(variable.location, "too many bytes in .const", std::to_string(constant_bytes_),
                  "at most " + std::to_string(kMostConstantBytes) + " in one module", "Move variables to .global");
  }
  if (variable.type == Type::kPred)
    return fail(variable.location, "a variable of type .pred", name, "a .reg, or another type");
  switch (variable.type) {
    case Type::kTexref:
    case Type::kSamplerref:
    case Type::kSurfref:
      if (variable.space != Space::kGlobal && variable.space != Space::kParam)
        return fail(variable.location, "an opaque type outside .global and .param", name, ".global");
      if (variable.type == Type::kSamplerref && variable.space == Space::kGlobal && !module_.texmode_independent)
        return fail(variable.location, "a sampler of its own in the unified texture mode", name,
                    ".target with texmode_independent, or no .samplerref");
      return true;
    default:
      break;
  }
  if (variable.space == Space::kLocal && !function_ && version() >= 30)  // the ABI of PTX 3.0 has none
    return fail(variable.location, "a .local variable outside a function", name,
                "a variable in a function, or .global");
  if (variable.alignment * 8 < 8) return fail(variable.location, "bad alignment", name, "at least 1");
  if (variable.vector > 1 && bits(variable.type) * variable.vector > (module_.sm >= 100 ? 256u : 128u))
    return fail(variable.location, "a vector of more than 128 bits", name, ".v2 or .v4 of a narrower type");
  if (variable.managed && variable.space != Space::kGlobal)
    return fail(variable.location, ".managed outside .global", name, "a .global variable");
  if (variable.linkage == Linkage::kCommon && variable.space != Space::kGlobal)
    return fail(variable.location, ".common outside .global", name, "a .global variable");
  const auto narrow = [&](const SymbolInitializer& s) { return s.size * 8u < module_.address_size && !s.is_masked; };
  for (const SymbolInitializer& s : variable.symbol_initializers)
    if (narrow(s))
      return fail(variable.location, "an address does not fit the variable", '.' + std::string(spelling(variable.type)),
                  ".u" + std::to_string(module_.address_size));
  return true;
}

bool Verifier::verify_directives(const Function& function) {
  const PerformanceDirectives& d = function.directives;
  const auto threads = [](const std::array<uint32_t, 3>& v) { return uint64_t{v[0]} * v[1] * v[2]; };
  if (d.maxntid[0] != 0 && d.reqntid[0] != 0)
    return fail(function.location, "both .maxntid and .reqntid", '\'' + std::string(function.name) + '\'',
                "one of them");
  for (const auto* size : {&d.maxntid, &d.reqntid})
    if ((*size)[0] > 1024 || (*size)[1] > 1024 || (*size)[2] > 1024 || threads(*size) > 1024)
      return fail(function.location, "a block of too many threads", std::to_string(threads(*size)), "at most 1024");
  const std::string name = '\'' + std::string(function.name) + '\'';
  if (d.reqnctapercluster[0] != 0 && d.maxclusterrank != 0)
    return fail(function.location, "both .reqnctapercluster and .maxclusterrank", name, "one of them");
  if (d.blocksareclusters && (d.reqntid[0] == 0 || d.reqnctapercluster[0] == 0))
    return fail(function.location, ".blocksareclusters without the size of a block and of a cluster", name,
                ".reqntid and .reqnctapercluster too");
  return true;
}

// What .param and .reg can hold of a function that has a body; NVIDIA's assembler does not look at declarations.
bool Verifier::verify_parameter_types(const Function& function) {
  for (const auto* list : {&function.returns, &function.parameters})
    for (const VariableId id : *list) {
      const Variable& variable = module_.variables[id];
      const std::string name = '\'' + std::string(variable.name) + '\'';
      if (variable.space == Space::kRegister && variable.is_array)
        return fail(variable.location, "an array in .reg", name, ".param");
      if (!verify_scalar_parameter(variable)) return false;
      const bool opaque =
          variable.type == Type::kTexref || variable.type == Type::kSamplerref || variable.type == Type::kSurfref;
      if (opaque && !function.is_entry)
        return fail(variable.location, "an opaque type as a parameter of a function", name,
                    "a parameter of an entry, or the handle in a .u64");
    }
  return true;
}

bool Verifier::verify_scalar_parameter(const Variable& variable) {
  if (variable.space != Space::kParam || variable.is_array) return true;
  const std::string name = '\'' + std::string(variable.name) + '\'';
  if (variable.vector > 1) return fail(variable.location, "a vector in .param", name, "an array");
  if (variable.type == Type::kF16x2) return fail(variable.location, "a .f16x2 in .param", name, ".b32");
  return true;
}

bool Verifier::verify_function(const Function& function) {
  function_ = &function;
  for (const auto* list : {&function.returns, &function.parameters})
    for (const VariableId id : *list)
      if (!verify_variable(module_.variables[id])) return false;
  if (!function.is_declaration && !verify_parameter_types(function)) return false;
  for (const VariableId id : function.parameters) {
    const Variable& variable = module_.variables[id];
    if (variable.has_pointer_attribute && !function.is_entry)
      return fail(variable.location, ".ptr of a function's parameter", '\'' + std::string(variable.name) + '\'',
                  ".ptr in an entry alone");
    if (variable.is_unsized && (function.is_entry || id != function.parameters.back()))
      return fail(variable.location, "a parameter without a size", '\'' + std::string(variable.name) + '\'',
                  function.is_entry ? "an array bound" : "an array bound, or the last place in the list");
  }
  if (function.is_entry) {
    uint64_t bytes = 0;
    for (const VariableId id : function.parameters) {
      const Variable& variable = module_.variables[id];
      if (variable.space == Space::kRegister)
        return fail(variable.location, "a .reg parameter of an entry", '\'' + std::string(variable.name) + '\'',
                    ".param");
      bytes = (bytes + variable.alignment - 1) / variable.alignment * variable.alignment + variable.size;
    }
    const uint64_t most = version() >= 81 && module_.sm >= 70 ? 32764 : 4352;
    if (bytes > most)
      return fail(function.location, "too many bytes of parameters", std::to_string(bytes),
                  "at most " + std::to_string(most));
  }
  if (!verify_directives(function)) return false;
  for (const Statement& statement : function.statements) {
    if (statement.kind == StatementKind::kVariable) {
      const Variable& variable = module_.variables[statement.index];
      if (!verify_variable(variable) || !verify_scalar_parameter(variable)) return false;
    } else if (statement.kind == StatementKind::kInstruction) {
      if (!verify_instruction(function.instructions[statement.index])) return false;
    }
  }
  function_ = nullptr;
  return true;
}

bool Verifier::verify_instruction(const Instruction& instruction) {
  instruction_ = &instruction;
  operands_ = function_->operands_of(instruction);
  if (instruction.opcode == Opcode::kCall) return check_call(instruction);
  const CompiledForm& form = compiled_form(instruction.form);
  if (form.any_operands) return true;
  match_operands(form, instruction, *function_, operands_, specs_);
  if (!check_availability(instruction)) return false;
  for (size_t i = 0; i < specs_.size(); ++i)
    if (!check_operand_type(i, *specs_[i], operands_[i])) return false;
  return check_memory(instruction) && check_constants(instruction) && check_combinations(instruction) &&
         check_matrix(instruction) && check_texture(instruction) && check_branch(instruction);
}

Status verify(const Module& module) {
  Verifier verifier(module);
  if (verifier.verify_module()) return {};
  return verifier.take_error();
}

}  // namespace ww::ptx
