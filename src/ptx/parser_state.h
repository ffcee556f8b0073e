// The parser's state, shared by the files parser*.cpp. Not for other folders.
//
// Every parse_* function returns false after it has called fail(); the first failure is kept and nothing is parsed
// after it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ptx/constant_expression.h"
#include "ptx/lexer.h"
#include "ptx/matcher.h"
#include "ptx/module.h"
#include "ptx/symbol_table.h"

namespace ww::ptx {

class Parser {
 public:
  explicit Parser(Module& module) : module_(module), lexer_(*module.text) {}

  bool parse_module();
  Error take_error() { return std::move(error_); }

 private:
  // --- parser.cpp: module scope
  bool parse_header();
  bool check_target(uint32_t sm, char letter);
  bool parse_target();
  bool parse_top_level();
  bool parse_linkage(Linkage& linkage, bool& seen);
  bool parse_file();
  bool parse_section();
  bool check_section(std::string_view body, Location open);
  // Appends the strings to Module::pragmas, and their indices there to `indices`.
  bool parse_pragma(std::vector<uint32_t>& indices);
  bool parse_alias();
  bool parse_source_location(uint32_t& index);
  bool finish_module();

  // --- parser_variables.cpp
  // After the state space: attributes, type, names, initialisers and the `;`. Ids of the new variables go to `ids`.
  bool parse_variables(Space space, Linkage linkage, std::vector<VariableId>& ids);
  bool parse_variable_attributes(Variable& variable);
  bool parse_attribute_directive(Variable* variable);
  bool parse_array_bounds(Variable& variable);
  bool parse_initializer(Variable& variable);
  bool parse_opaque_initializer(Variable& variable);
  bool parse_initializer_scalar(Variable& variable, uint64_t offset);
  bool extend_initializer(Variable& variable, uint64_t size);  // to so many bytes, with zeros
  bool parse_initializer_symbol(SymbolInitializer& symbol);
  bool declare_variable(Variable variable, std::vector<VariableId>& ids);
  // `(` parameters `)` of a function or a prototype; the current token is the `(`.
  bool parse_parameters(std::vector<VariableId>& ids, bool prototype, bool* variadic);
  // The results of a function or prototype: registers, or one parameter.
  bool parse_results(std::vector<VariableId>& ids, bool prototype);
  bool parse_parameter(std::vector<VariableId>& ids, bool prototype, bool* variadic);
  bool parse_registers();
  bool finish_size(Variable& variable);

  // --- parser_function.cpp
  bool parse_function(bool entry, Linkage linkage);
  bool parse_performance_directives(Function& function, bool& done);
  bool parse_body();
  bool parse_statement();
  bool parse_body_directive();
  bool parse_label_or_instruction();
  bool parse_prototype(std::string_view name, Location location);
  bool enter_scope(Location location);
  bool leave_scope();
  bool resolve_labels();
  LabelId label_reference(std::string_view name, Location location, uint32_t operand);

  // --- parser_instructions.cpp
  struct Decoded {
    Instruction instruction;
    std::vector<uint16_t> forms;
    bool wants_label = false;
  };
  bool parse_instruction();
  bool decode(std::string_view mnemonic, Location location, const Decoded*& decoded);
  bool parse_call(Instruction& instruction);
  bool choose_form(const Decoded& decoded, Instruction& instruction);
  bool fail_operands(const Decoded& decoded, const Instruction& instruction);
  bool is_available(const InstructionForm& form) const;
  bool check_available(const InstructionForm& form, const Instruction& instruction, std::string_view mnemonic);

  // --- parser_operands.cpp
  bool parse_operand(Operand& operand, bool wants_label);
  bool parse_simple_operand(Operand& operand, bool wants_label);
  bool parse_named_operand(Operand& operand, bool wants_label);
  bool parse_bracket(Operand& operand);
  bool parse_address(Operand& operand);
  bool parse_list(Operand& operand, OperandKind kind, uint16_t close, const Operand* leading = nullptr);
  bool parse_constant_operand(Operand& operand);
  bool parse_selector(Operand& operand);
  bool refuse_selector(const Operand& operand, Location location, std::string_view what);
  // `+4`, `+-4` or `-4` behind a name, or nothing.
  bool parse_offset(uint64_t& offset);
  std::string describe_operand(const Operand& operand) const;

  // --- shared
  bool fail(Location location, std::string message, std::string found = {}, std::string expected = {},
            std::string fix = {});
  bool fail_here(std::string message, std::string expected = {}, std::string fix = {});
  bool constant(ConstantValue& value);
  bool constant_integer(uint64_t& value, std::string_view what, uint64_t most);
  bool is(uint16_t punctuation) const {
    return lexer_.current().kind == TokenKind::kPunctuation && lexer_.current().punctuation == punctuation;
  }
  bool is_word(std::string_view dot_word) const {
    return lexer_.current().kind == TokenKind::kDotWord && lexer_.current().text == dot_word;
  }
  bool accept(uint16_t punctuation) {
    if (!is(punctuation)) return false;
    lexer_.advance();
    return true;
  }
  bool expect(char punctuation, std::string_view context);
  bool expect_identifier(std::string_view& name, Location& location, std::string_view what);
  std::string_view own(std::string text);
  unsigned version() const { return module_.version_major * 10 + module_.version_minor; }
  bool needs(unsigned version, unsigned sm, Location location, std::string_view what);

  Module& module_;
  Lexer lexer_;
  Error error_;
  bool failed_ = false;
  SymbolTable symbols_;
  Function* function_ = nullptr;
  FunctionId function_id_ = kNoIndex;
  std::vector<std::pair<VariableId, VariableId>> superseded_;  // a parameter declared again, and the one that is kept

  std::unordered_map<std::string_view, Decoded> decoded_;
  std::vector<Operand> scratch_;             // operands under construction
  std::vector<Location> operand_locations_;  // of the current instruction's top-level operands
  std::vector<const OperandSpec*> assigned_;
  unsigned nesting_ = 0;
  uint64_t registers_in_module_ = 0;
  uint64_t initializer_bytes_ = 0;

  struct PendingLabel {
    std::string_view name;
    Location location;
    uint32_t operand;    // in Function::operands, or kNoIndex
    uint32_t prototype;  // in Function::prototypes, or kNoIndex
    uint32_t target;     // in Prototype::targets
    bool wants_prototype;
  };
  struct Scope {
    size_t first_pending = 0;
    Location location;
  };
  std::vector<PendingLabel> pending_;
  std::vector<Scope> scopes_;
};

// The token as a message shows it: "'foo'", "the end of the text", or what is wrong with it.
std::string describe(const Token& token);

}  // namespace ww::ptx
