// Calls: the signature of the function or prototype against the arguments; branches.
#include "ptx/verifier_state.h"

namespace ww::ptx {

bool Verifier::check_arguments(const std::vector<VariableId>& formal, const Operand* list, size_t index,
                               std::string_view what, bool variadic) {
  const size_t given = list ? list->count : 0;
  const size_t needed = variadic && !formal.empty() ? formal.size() - 1 : formal.size();
  if (given < needed || (given > formal.size() && !variadic)) {
    const std::string expected = std::to_string(formal.size());
    if (!list)
      return fail(instruction_->location, "wrong number of " + std::string(what) + "s in a call", "0", expected);
    return fail_operand(index, "wrong number of " + std::string(what) + "s in a call", std::to_string(given), expected);
  }
  if (!list) return true;
  const auto elements = function_->elements(*list);
  for (size_t i = 0; i < elements.size() && i < needed; ++i) {
    const Variable& parameter = module_.variables[formal[i]];
    const Operand& argument = elements[i];
    const std::string place = std::string(what) + ' ' + std::to_string(i + 1);
    const std::string expected =
        '.' + std::string(spelling(parameter.type)) +
        (parameter.is_array ? " array of " + std::to_string(parameter.size) + " bytes" : std::string());
    if (argument.kind == OperandKind::kVariable) {
      const Variable& variable = module_.variables[argument.index];
      if (variable.space != Space::kParam)
        return fail_operand(index, place + " of a call is no parameter", describe(argument), "a .param variable");
      if (!parameter.is_unsized && !variable.is_unsized && variable.size != parameter.size)
        return fail_operand(index, place + " of a call has the wrong size",
                            describe(argument) + " of " + std::to_string(variable.size) + " bytes",
                            std::to_string(parameter.size) + " bytes");
    } else if (argument.kind == OperandKind::kRegister) {
      const Type held = function_->register_types[argument.index];
      if (parameter.is_array || held == Type::kPred || bits(held) != bits(parameter.type))
        return fail_operand(index, place + " of a call has the wrong type", describe(argument), expected);
    } else if (argument.kind == OperandKind::kInteger || argument.kind == OperandKind::kFloat32 ||
               argument.kind == OperandKind::kFloat64) {
      if (what != "argument" || parameter.is_array ||
          (argument.kind != OperandKind::kInteger && !is_float(parameter.type) && !is_untyped(parameter.type)))
        return fail_operand(index, place + " of a call has the wrong type", describe(argument), expected);
    } else if (argument.kind != OperandKind::kSink || what == "argument") {
      return fail_operand(index, place + " of a call is no value", describe(argument), expected);
    }
  }
  return true;
}

bool Verifier::check_call(const Instruction& instruction) {
  size_t target = 0;
  const Operand* returns = nullptr;
  const Operand* arguments = nullptr;
  const Operand* prototype = nullptr;
  if (operands_[0].kind == OperandKind::kList) {
    returns = &operands_[0];
    target = 1;
  }
  for (size_t i = target + 1; i < operands_.size(); ++i)
    (operands_[i].kind == OperandKind::kList ? arguments : prototype) = &operands_[i];
  const size_t arguments_index = target + 1;
  const Operand& callee = operands_[target];
  if (callee.kind == OperandKind::kFunction) {
    const Function& function = module_.functions[callee.index];
    if (function.is_entry)
      return fail_operand(target, "a call of an entry", '\'' + std::string(function.name) + '\'', "a .func");
    return check_arguments(function.returns, returns, 0, "return value", false) &&
           check_arguments(function.parameters, arguments, arguments_index, "argument", function.is_variadic);
  }
  const Type held = function_->register_types[callee.index];
  if (is_float(held) || bits(held) != module_.address_size)
    return fail_operand(target, "the address of a function in a register of the wrong type", describe(callee),
                        ".b" + std::to_string(module_.address_size));
  if (!prototype)
    return fail(instruction.location, "an indirect call without a prototype",
                '\'' + function_->register_name(callee.index) + '\'', "the label of a .callprototype or .calltargets");
  const Prototype& described = function_->prototypes[prototype->index];
  switch (described.kind) {
    case Prototype::Kind::kBranchTargets:
      return fail_operand(operands_.size() - 1, ".branchtargets in a call", '\'' + std::string(described.name) + '\'',
                          "a .callprototype or .calltargets");
    case Prototype::Kind::kCallPrototype:
      return check_arguments(described.returns, returns, 0, "return value", false) &&
             check_arguments(described.parameters, arguments, arguments_index, "argument", false);
    case Prototype::Kind::kCallTargets:
      for (const uint32_t id : described.targets) {
        const Function& function = module_.functions[id];
        if (!check_arguments(function.returns, returns, 0, "return value", false) ||
            !check_arguments(function.parameters, arguments, arguments_index, "argument", function.is_variadic))
          return false;
      }
      return true;
  }
  return true;
}

bool Verifier::check_branch(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kBrx) return true;
  const Operand& targets = operands_[1];
  if (targets.kind != OperandKind::kPrototype ||
      function_->prototypes[targets.index].kind != Prototype::Kind::kBranchTargets)
    return fail_operand(1, "brx.idx needs .branchtargets", describe(targets), "the label of a .branchtargets");
  return true;
}

}  // namespace ww::ptx
