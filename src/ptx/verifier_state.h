// What the files verifier*.cpp share. Not for other folders.
//
// A check returns false after it has called fail(); the first failure ends the verification.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "ptx/matcher.h"
#include "ptx/module.h"

namespace ww::ptx {

// A modifier that is younger than the forms it stands in. `opcode` narrows the row where `any` is false.
struct ModifierRequirement {
  Modifier modifier;
  bool any;
  Opcode opcode;
  uint8_t version, sm;
};

class Verifier {
 public:
  explicit Verifier(const Module& module) : module_(module) {}

  bool verify_module();
  Error take_error() { return std::move(error_); }

 private:
  // --- verifier.cpp
  bool verify_variable(const Variable& variable);
  bool verify_function(const Function& function);
  bool verify_parameter_types(const Function& function);
  bool verify_scalar_parameter(const Variable& variable);
  bool verify_directives(const Function& function);
  bool same_types(const std::vector<VariableId>& a, const std::vector<VariableId>& b) const;
  bool verify_instruction(const Instruction& instruction);
  bool fail(Location location, std::string message, std::string found = {}, std::string expected = {},
            std::string fix = {});
  // The same at operand `index` of the current instruction; its column is found by reading the text again.
  bool fail_operand(size_t index, std::string message, std::string found = {}, std::string expected = {},
                    std::string fix = {});

  // --- verifier_types.cpp: "Type Checking Rules" and "Operand Size Exceeding Instruction-Type Size"
  bool check_operand_type(size_t index, const OperandSpec& spec, const Operand& operand);
  bool check_scalar_type(size_t index, const OperandSpec& spec, const Operand& operand, Type type);
  bool check_value(size_t index, const OperandSpec& spec, const Operand& operand, Type type);
  bool check_register_kind(size_t index, const OperandSpec& spec, std::span<const Operand> elements);
  bool check_packed_vector(size_t index, const OperandSpec& spec, const Operand& operand);
  bool check_geometry_vector(size_t index, const OperandSpec& spec, const Operand& operand);
  std::string describe(const Operand& operand) const;

  // --- verifier_memory.cpp: state spaces, addresses, order and scope, cache policies
  bool check_address(size_t index, const Operand& operand);
  bool check_memory(const Instruction& instruction);
  bool check_order_and_scope(const Instruction& instruction);
  bool check_alignment(size_t index, const Operand& operand, unsigned bytes);

  // --- verifier_rules.cpp: ranges of constants, and modifiers that exclude or need each other
  void find_unmet_requirements();
  bool check_availability(const Instruction& instruction);
  bool check_constants(const Instruction& instruction);
  bool check_combinations(const Instruction& instruction);
  bool check_cache_hints(const Instruction& instruction);
  bool check_tensor_copy(const Instruction& instruction);
  bool check_matrix(const Instruction& instruction);
  bool check_selector(const Instruction& instruction);

  // --- verifier_texture.cpp: handles and references, vectors of a geometry
  bool check_texture(const Instruction& instruction);
  bool check_image(size_t index, const Operand& operand, Type wanted);
  bool check_vector_count(std::string_view name, unsigned axes, bool may_be_scalar, bool may_be_longer);

  // --- verifier_calls.cpp
  bool check_call(const Instruction& instruction);
  bool check_arguments(const std::vector<VariableId>& formal, const Operand* list, size_t index, std::string_view what,
                       bool variadic);
  bool check_branch(const Instruction& instruction);

  unsigned version() const { return module_.version_major * 10 + module_.version_minor; }
  // The operand of the current instruction that the table names `name`, or null.
  const Operand* named(std::string_view name, size_t* index = nullptr) const;

  const Module& module_;
  Error error_;
  std::vector<ModifierRequirement> unmet_;  // by the module's version and target
  uint64_t constant_bytes_ = 0;
  const Function* function_ = nullptr;
  const Instruction* instruction_ = nullptr;
  std::span<const Operand> operands_;
  std::vector<const OperandSpec*> specs_;
};

}  // namespace ww::ptx
