// Functions: signature, performance directives, the statements of the body, labels and scopes.
#include <algorithm>

#include "ptx/parser_state.h"

namespace ww::ptx {

namespace {

// Each level of scope may look at every unresolved label once: the bound keeps hostile text from quadratic work.
constexpr unsigned kMostScopes = 200;

bool same_signature(const Module& module, const std::vector<VariableId>& a, const std::vector<VariableId>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Variable& x = module.variables[a[i]];
    const Variable& y = module.variables[b[i]];
    if (x.size != y.size || x.is_array != y.is_array || (!x.is_array && x.type != y.type) || x.space != y.space)
      return false;
  }
  return true;
}

bool stands_in_declarations(std::string_view directive) {
  return directive == ".noreturn" || directive == ".attribute" || directive.starts_with(".abi_preserve");
}

}  // namespace

bool Parser::parse_function(bool entry, Linkage linkage) {
  Function function;
  function.is_entry = entry;
  function.linkage = linkage;
  function_ = &function;
  function_id_ = static_cast<FunctionId>(module_.functions.size());
  const size_t variables_before = module_.variables.size();
  while (is_word(".attribute") || is_word(".noreturn")) {
    bool done = false;
    if (!parse_performance_directives(function, done)) return false;
  }
  symbols_.enter_scope();
  scopes_.assign(1, {pending_.size(), lexer_.current().location});
  if (is('(')) {
    if (entry) return fail_here("an entry returns nothing", "the name of the entry");
    if (!parse_results(function.returns, false)) return false;
  }
  if (!expect_identifier(function.name, function.location, "the name of a function")) return false;
  if (is('(') && !parse_parameters(function.parameters, false, &function.is_variadic)) return false;
  bool done = false;
  Token launch_bound;  // a directive that only a definition has
  while (!done) {
    const Token token = lexer_.current();
    if (!parse_performance_directives(function, done)) return false;
    if (!done && !stands_in_declarations(token.text)) launch_bound = token;
  }
  if (function.directives.noreturn && !function.returns.empty())
    return fail(function.location, ".noreturn of a function with a result", '\'' + std::string(function.name) + '\'',
                "no result, or no .noreturn");
  function.is_declaration = is(';');
  if (function.is_declaration && !launch_bound.text.empty())
    return fail(launch_bound.location, std::string(launch_bound.text) + " of a declaration", describe(launch_bound),
                "';'", "Move it to the definition");
  if (!function.is_declaration && !is('{')) return fail_here("syntax error after the parameters", "'{' or ';'");

  // The name belongs to the module's scope; a body may call its own function.
  const Symbol* existing = nullptr;
  uint32_t offset = 0;
  if (const Symbol* found = symbols_.find(function.name, offset); found && found->kind == SymbolKind::kFunction)
    existing = found;
  FunctionId id = function_id_;
  if (existing) {
    id = existing->index;
    const Function& first = module_.functions[id];
    if (first.is_entry != entry || !same_signature(module_, first.returns, function.returns) ||
        !same_signature(module_, first.parameters, function.parameters))
      return fail(function.location, "function is declared differently before",
                  '\'' + std::string(function.name) + '\'',
                  "the signature of line " + std::to_string(first.location.line));
    if (!first.is_declaration && !function.is_declaration)
      return fail(function.location, "function is defined twice", '\'' + std::string(function.name) + '\'',
                  "one body; the first is in line " + std::to_string(first.location.line));
    for (size_t i = variables_before; i < module_.variables.size(); ++i) module_.variables[i].function = id;
  } else {
    if (!symbols_.declare_outside(function.name, {SymbolKind::kFunction, 1, id, 0}))
      return fail(function.location, "name is declared twice in one scope", '\'' + std::string(function.name) + '\'',
                  "a new name");
    Function placeholder;
    placeholder.name = function.name;
    placeholder.is_entry = entry;
    placeholder.is_declaration = true;
    placeholder.linkage = linkage;
    placeholder.returns = function.returns;
    placeholder.parameters = function.parameters;
    placeholder.is_variadic = function.is_variadic;
    placeholder.location = function.location;
    module_.functions.push_back(std::move(placeholder));
  }
  function_id_ = id;
  module_.order.push_back({TopLevel::Kind::kFunction, id, !function.is_declaration});
  if (function.is_declaration) {
    lexer_.advance();
  } else {
    if (!parse_body()) return false;
  }
  symbols_.leave_scope();
  function_ = nullptr;
  function_id_ = kNoIndex;
  Function& kept = module_.functions[id];
  const bool replaces = !function.is_declaration || kept.is_declaration;
  // One set of names is kept: what a declaration calls its parameters is forgotten, so that a module does not depend on
  // it.
  if (existing != nullptr) {
    const Function &winner = replaces ? function : kept, &loser = replaces ? kept : function;
    for (const auto& [ours, theirs] :
         {std::pair(&winner.returns, &loser.returns), std::pair(&winner.parameters, &loser.parameters)})
      for (size_t i = 0; i < ours->size(); ++i) superseded_.push_back({(*theirs)[i], (*ours)[i]});
  }
  if (replaces) {
    const bool noreturn = kept.directives.noreturn || function.directives.noreturn;
    kept = std::move(function);
    kept.directives.noreturn = noreturn;
    for (std::vector<Statement>* statements : {&kept.statements}) statements->shrink_to_fit();
    kept.instructions.shrink_to_fit();
    kept.operands.shrink_to_fit();
  }
  return true;
}

bool Parser::parse_performance_directives(Function& function, bool& done) {
  PerformanceDirectives& d = function.directives;
  const Token token = lexer_.current();
  if (token.kind != TokenKind::kDotWord) {
    done = true;
    return true;
  }
  const auto one = [&](uint32_t& out, uint64_t most = 0x7fffffff) {
    uint64_t value = 0;
    lexer_.advance();
    if (!constant_integer(value, token.text, most)) return false;
    out = static_cast<uint32_t>(value);
    return true;
  };
  const auto positive = [&](uint32_t& out) {
    if (!one(out)) return false;
    if (out == 0) return fail(token.location, std::string(token.text) + " of zero", "0", "at least 1");
    return true;
  };
  const auto three = [&](std::array<uint32_t, 3>& out) {
    out = {1, 1, 1};
    lexer_.advance();
    for (size_t i = 0;; ++i) {
      const Location location = lexer_.current().location;
      uint64_t value = 0;
      if (!constant_integer(value, token.text, 0x7fffffff)) return false;
      if (value == 0) return fail(location, std::string(token.text) + " of zero", "0", "at least 1");
      out[i] = static_cast<uint32_t>(value);
      if (!is(',')) return true;
      if (i == 2) return fail_here("too many values for " + std::string(token.text), "at most three");
      lexer_.advance();
    }
  };
  const auto only_entry = [&](unsigned version, unsigned sm) {
    if (!function.is_entry)
      return fail(token.location, std::string(token.text) + " of a .func", describe(token), "an .entry");
    return needs(version, sm, token.location, token.text);
  };
  if (token.text == ".maxntid") return only_entry(13, 10) && three(d.maxntid);
  if (token.text == ".reqntid") return only_entry(21, 10) && three(d.reqntid);
  if (token.text == ".minnctapersm") return only_entry(20, 10) && positive(d.minnctapersm);
  if (token.text == ".maxnctapersm") {
    if (version() >= 21)
      return fail(token.location, ".maxnctapersm was removed in PTX 2.1", describe(token), ".minnctapersm");
    return only_entry(10, 10) && one(d.maxnctapersm);
  }
  if (token.text == ".maxnreg") return only_entry(13, 10) && positive(d.maxnreg);
  if (token.text == ".reqnctapercluster") return only_entry(78, 90) && three(d.reqnctapercluster);
  if (token.text == ".maxclusterrank") return only_entry(78, 90) && one(d.maxclusterrank);
  if (token.text == ".abi_preserve" || token.text == ".abi_preserve_control") {
    uint32_t& registers = token.text == ".abi_preserve" ? d.abi_preserve : d.abi_preserve_control;
    if (function.is_entry)
      return fail(token.location, std::string(token.text) + " of an .entry", describe(token), "a .func");
    if (registers != kNoIndex)
      return fail(token.location, std::string(token.text) + " is given twice", describe(token), "one of them");
    return needs(90, 80, token.location, token.text) && one(registers);
  }
  if (token.text == ".explicitcluster" || token.text == ".blocksareclusters" || token.text == ".noreturn") {
    if (token.text == ".explicitcluster" && !only_entry(78, 90)) return false;
    if (token.text == ".blocksareclusters" && !only_entry(90, 90)) return false;
    if (token.text == ".noreturn") {
      if (!needs(64, 30, token.location, token.text)) return false;
      if (function.is_entry) return fail(token.location, ".noreturn of an .entry", "'.noreturn'", "a .func");
      if (d.noreturn) return fail(token.location, ".noreturn is given twice", "'.noreturn'", "one of them");
    }
    d.explicitcluster |= token.text == ".explicitcluster";
    d.blocksareclusters |= token.text == ".blocksareclusters";
    d.noreturn |= token.text == ".noreturn";
    lexer_.advance();
    return true;
  }
  if (token.text == ".attribute") return parse_attribute_directive(nullptr);
  if (token.text == ".pragma") return only_entry(20, 10) && parse_pragma(function.pragmas);
  return fail_here("unknown directive of a function",
                   ".maxntid, .reqntid, .minnctapersm, .maxnreg, .pragma, .noreturn, '{' or ';'");
}

bool Parser::enter_scope(Location location) {
  if (scopes_.size() >= kMostScopes) return fail(location, "scopes nested too deeply", "'{'", "at most 200 levels");
  scopes_.push_back({pending_.size(), location});
  symbols_.enter_scope();
  return true;
}

bool Parser::resolve_labels() {
  const size_t first = scopes_.back().first_pending;
  size_t kept = first;
  for (size_t i = first; i < pending_.size(); ++i) {
    const PendingLabel& use = pending_[i];
    const Symbol* symbol = symbols_.find_in_scope(use.name);
    if (!symbol || (symbol->kind != SymbolKind::kLabel && symbol->kind != SymbolKind::kPrototype)) {
      pending_[kept++] = use;
      continue;
    }
    if (use.operand != kNoIndex) {
      Operand& operand = function_->operands[use.operand];
      operand.kind = symbol->kind == SymbolKind::kLabel ? OperandKind::kLabel : OperandKind::kPrototype;
      operand.index = symbol->index;
    } else {
      function_->prototypes[use.prototype].targets[use.target] = symbol->index;
    }
    if (use.wants_prototype != (symbol->kind == SymbolKind::kPrototype))
      return fail(use.location, "wrong kind of label", '\'' + std::string(use.name) + '\'',
                  use.wants_prototype ? "the label of a .branchtargets, .calltargets or .callprototype"
                                      : "the label of an instruction");
  }
  pending_.resize(kept);
  return true;
}

bool Parser::leave_scope() {
  if (!resolve_labels()) return false;
  scopes_.pop_back();
  symbols_.leave_scope();
  return true;
}

LabelId Parser::label_reference(std::string_view name, Location location, uint32_t operand) {
  pending_.push_back({name, location, operand, kNoIndex, 0, false});
  return kNoIndex;
}

bool Parser::parse_body() {
  const Location open = lexer_.current().location;
  lexer_.advance();
  for (;;) {
    const Token& token = lexer_.current();
    if (is('{')) {
      if (!enter_scope(token.location)) return false;
      function_->statements.push_back({StatementKind::kScopeBegin, 0});
      lexer_.advance();
    } else if (is('}')) {
      lexer_.advance();
      if (scopes_.size() == 1) break;
      function_->statements.push_back({StatementKind::kScopeEnd, 0});
      if (!leave_scope()) return false;
    } else if (token.kind == TokenKind::kEnd) {
      return fail(token.location, "function body is not closed", describe(token),
                  "'}' for the '{' of line " + std::to_string(open.line));
    } else if (!parse_statement()) {
      return false;
    }
  }
  if (!resolve_labels()) return false;
  if (!pending_.empty()) {
    const auto first =
        std::min_element(pending_.begin(), pending_.end(), [](const PendingLabel& a, const PendingLabel& b) {
          return a.location.line != b.location.line ? a.location.line < b.location.line
                                                    : a.location.column < b.location.column;
        });
    return fail(first->location, "unknown label", '\'' + std::string(first->name) + '\'',
                "a label of this function that is in scope");
  }
  return true;
}

bool Parser::parse_statement() {
  const Token& token = lexer_.current();
  switch (token.kind) {
    case TokenKind::kIdentifier:
      return parse_label_or_instruction();
    case TokenKind::kDotWord:
      return parse_body_directive();
    case TokenKind::kPunctuation:
      if (is('@')) return parse_instruction();
      [[fallthrough]];
    default:
      return fail_here("syntax error in a function body", "an instruction, a label, a directive or '}'");
  }
}

bool Parser::parse_body_directive() {
  if (is_word(".reg")) return parse_registers();
  static constexpr std::pair<std::string_view, Space> kSpaces[] = {{".param", Space::kParam},
                                                                   {".shared", Space::kShared},
                                                                   {".local", Space::kLocal},
                                                                   {".global", Space::kGlobal},
                                                                   {".const", Space::kConst}};
  for (const auto& [word, space] : kSpaces) {
    if (!is_word(word)) continue;
    lexer_.advance();
    std::vector<VariableId> ids;
    if (!parse_variables(space, Linkage::kInternal, ids)) return false;
    for (const VariableId id : ids) function_->statements.push_back({StatementKind::kVariable, id});
    return true;
  }
  uint32_t index = 0;
  if (is_word(".loc")) {
    if (!parse_source_location(index)) return false;
    function_->statements.push_back({StatementKind::kLoc, index});
    return true;
  }
  if (is_word(".pragma")) {
    std::vector<uint32_t> indices;
    if (!parse_pragma(indices)) return false;
    for (const uint32_t pragma : indices) function_->statements.push_back({StatementKind::kPragma, pragma});
    return true;
  }
  if (is_word(".file")) return fail_here(".file inside a function", ".file at module scope");
  if (is_word(".branchtargets") || is_word(".calltargets") || is_word(".callprototype"))
    return fail_here("this directive needs a label", "'name: " + std::string(lexer_.current().text) + "'");
  return fail_here("unknown directive", ".reg, .param, .shared, .local, .loc or .pragma");
}

bool Parser::parse_label_or_instruction() {
  const Token token = lexer_.current();
  if (lexer_.touches('.') || !lexer_.next_is(':')) return parse_instruction();
  lexer_.advance();
  lexer_.advance();
  if (is_word(".branchtargets") || is_word(".calltargets") || is_word(".callprototype"))
    return parse_prototype(token.text, token.location);
  const auto id = static_cast<LabelId>(function_->labels.size());
  if (!symbols_.declare(token.text, {SymbolKind::kLabel, 1, id, 0}))
    return fail(token.location, "name is declared twice in one scope", '\'' + std::string(token.text) + '\'',
                "a new label");
  function_->labels.push_back({token.text, static_cast<uint32_t>(function_->statements.size()), token.location});
  function_->statements.push_back({StatementKind::kLabel, id});
  return true;
}

bool Parser::parse_prototype(std::string_view name, Location location) {
  const Token directive = lexer_.current();
  const auto index = static_cast<uint32_t>(function_->prototypes.size());
  Prototype prototype;
  prototype.name = name;
  prototype.location = location;
  prototype.kind = directive.text == ".callprototype" ? Prototype::Kind::kCallPrototype
                   : directive.text == ".calltargets" ? Prototype::Kind::kCallTargets
                                                      : Prototype::Kind::kBranchTargets;
  if (!needs(prototype.kind == Prototype::Kind::kBranchTargets ? 60 : 21, 20, directive.location, directive.text))
    return false;
  if (!symbols_.declare(name, {SymbolKind::kPrototype, 1, index, 0}))
    return fail(location, "name is declared twice in one scope", '\'' + std::string(name) + '\'', "a new label");
  lexer_.advance();
  if (prototype.kind == Prototype::Kind::kCallPrototype) {
    if (is('(') && !parse_results(prototype.returns, true)) return false;
    std::string_view placeholder;
    Location at;
    if (!expect_identifier(placeholder, at, "'_' in place of a name")) return false;
    if (is('(') && !parse_parameters(prototype.parameters, true, nullptr)) return false;
    for (;;) {
      const bool preserve = is_word(".abi_preserve"), control = is_word(".abi_preserve_control");
      if (is_word(".noreturn")) {
        prototype.noreturn = true;
        lexer_.advance();
      } else if (preserve || control) {
        lexer_.advance();
        uint64_t value = 0;
        if (!constant_integer(value, ".abi_preserve", 0x7fffffff)) return false;
        (preserve ? prototype.abi_preserve : prototype.abi_preserve_control) = static_cast<uint32_t>(value);
      } else {
        break;
      }
    }
  } else {
    do {
      std::string_view target;
      Location at;
      if (!expect_identifier(target, at, prototype.kind == Prototype::Kind::kBranchTargets ? "a label" : "a function"))
        return false;
      uint32_t offset = 0;
      if (prototype.kind == Prototype::Kind::kCallTargets) {
        const Symbol* symbol = symbols_.find(target, offset);
        if (!symbol || symbol->kind != SymbolKind::kFunction)
          return fail(at, "unknown function", '\'' + std::string(target) + '\'', "a function declared above");
        prototype.targets.push_back(symbol->index);
      } else {
        pending_.push_back({target, at, kNoIndex, index, static_cast<uint32_t>(prototype.targets.size()), false});
        prototype.targets.push_back(kNoIndex);
      }
    } while (accept(','));
  }
  function_->prototypes.push_back(std::move(prototype));
  function_->statements.push_back({StatementKind::kPrototype, index});
  return expect(';', directive.text);
}

}  // namespace ww::ptx
