// call: direct, through a function's address, and of the few functions that the system provides (PTX manual, "call").
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;

namespace {

// The value of an argument: what a .param variable of the caller holds, or a register or constant.
Value* argument_value(FunctionEmitter& e, const ptx::Operand& operand, llvm::Type* type, ptx::Type fallback) {
  if (operand.kind == ptx::OperandKind::kVariable) return e.builder.CreateLoad(type, e.variable_pointer(operand.index));
  return e.reinterpret(e.read(operand, fallback), type);
}

// Calls `callee` with the operands, and stores what it returns.
Status call_function(FunctionEmitter& e, llvm::Function* callee, std::span<const ptx::Operand> returns,
                     std::span<const ptx::Operand> arguments, const std::vector<ptx::VariableId>& return_variables,
                     const std::vector<ptx::VariableId>& parameter_variables) {
  if (returns.size() != return_variables.size() || arguments.size() != parameter_variables.size())
    return e.unsupported("its operands differ in number from the function's parameters");
  std::vector<Value*> values;
  for (size_t i = 0; i < returns.size(); ++i)
    if (travels_in_memory(e.module.ptx.variables[return_variables[i]]))
      values.push_back(e.variable_pointer(returns[i].index));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ptx::Variable& parameter = e.module.ptx.variables[parameter_variables[i]];
    if (travels_in_memory(parameter)) {
      if (arguments[i].kind != ptx::OperandKind::kVariable) return e.unsupported("an array is passed by register");
      values.push_back(e.variable_pointer(arguments[i].index));
    } else {
      values.push_back(
          argument_value(e, arguments[i], callee->getArg(unsigned(values.size()))->getType(), parameter.type));
    }
  }
  Value* result = e.builder.CreateCall(callee, values);
  unsigned scalar = 0;
  for (size_t i = 0; i < returns.size(); ++i) {
    const ptx::Variable& variable = e.module.ptx.variables[return_variables[i]];
    if (travels_in_memory(variable)) continue;
    Value* value = result->getType()->isStructTy() ? e.builder.CreateExtractValue(result, scalar++) : result;
    if (returns[i].kind == ptx::OperandKind::kVariable)
      e.builder.CreateStore(value, e.variable_pointer(returns[i].index));
    else
      e.write(returns[i], value, variable.type);
  }
  return {};
}

// Functions that no module defines: vprintf, malloc, free and __assertfail.
Status call_system_function(FunctionEmitter& e, std::string_view name, std::span<const ptx::Operand> returns,
                            std::span<const ptx::Operand> arguments) {
  if (name == "vprintf" && arguments.size() == 2) {
    Value* pointers[2];
    for (unsigned i = 0; i < 2; ++i)
      pointers[i] = e.builder.CreateIntToPtr(argument_value(e, arguments[i], e.builder.getInt64Ty(), ptx::Type::kB64),
                                             e.pointer(0));
    Value* result = e.intrinsic("vprintf", e.builder.getInt32Ty(), {pointers[0], pointers[1]});
    if (!returns.empty() && returns[0].kind == ptx::OperandKind::kVariable)
      e.builder.CreateStore(result, e.variable_pointer(returns[0].index));
    return {};
  }
  if ((name == "malloc" || name == "free") && arguments.size() == 1) {
    const bool gives = name == "malloc";
    llvm::Type* wide = e.builder.getInt64Ty();
    Value* argument = argument_value(e, arguments[0], wide, ptx::Type::kB64);
    Value* result = e.intrinsic(std::string(name), gives ? wide : e.builder.getVoidTy(), {argument});
    if (!gives || returns.empty()) return {};
    if (returns[0].kind == ptx::OperandKind::kVariable)
      e.builder.CreateStore(result, e.variable_pointer(returns[0].index));
    else
      e.write(returns[0], result, ptx::Type::kB64);
    return {};
  }
  if (name == "__assertfail" && arguments.size() >= 4) {  // message, file, line, function, bytes of a character
    const auto text = [&](unsigned i) {
      return e.builder.CreateIntToPtr(argument_value(e, arguments[i], e.builder.getInt64Ty(), ptx::Type::kB64),
                                      e.pointer(0));
    };
    Value* line = argument_value(e, arguments[2], e.builder.getInt32Ty(), ptx::Type::kB32);
    e.intrinsic("assertfail", e.builder.getVoidTy(), {text(0), text(1), line, text(3)});
    e.builder.CreateUnreachable();
    return {};
  }
  return e.unsupported("the module declares `" + std::string(name) + "` but does not define it");
}

}  // namespace

// call {(returns),} function {, (arguments)} {, prototype};
Status emit_call(FunctionEmitter& e) {
  std::span<const ptx::Operand> returns, arguments;
  const ptx::Operand* callee = nullptr;
  const ptx::Operand* prototype = nullptr;
  for (const ptx::Operand& operand : e.operands()) {
    if (operand.kind == ptx::OperandKind::kList)
      (callee == nullptr ? returns : arguments) = e.elements(operand);
    else if (operand.kind == ptx::OperandKind::kPrototype)
      prototype = &operand;
    else if (operand.kind != ptx::OperandKind::kNone && callee == nullptr)
      callee = &operand;
  }
  if (callee == nullptr) return e.unsupported();
  if (callee->kind == ptx::OperandKind::kFunction) {
    const ptx::Function& source = e.module.ptx.functions[callee->index];
    bool is_alias = false;
    for (const ptx::Alias& alias : e.module.ptx.aliases) is_alias |= alias.alias == callee->index;
    if (source.is_declaration && !is_alias) return call_system_function(e, source.name, returns, arguments);
    WW_ASSIGN(llvm::Function * target, e.module.function(callee->index));
    return call_function(e, target, returns, arguments, source.returns, source.parameters);
  }

  // An address decides among the functions whose address is taken and whose type fits: a switch over direct calls.
  std::vector<ptx::FunctionId> targets;
  if (prototype == nullptr) return e.unsupported("an indirect call needs a prototype");
  const ptx::Prototype& expected = e.function.prototypes[prototype->index];
  if (expected.kind == ptx::Prototype::Kind::kCallTargets) {
    targets = expected.targets;
  } else {
    llvm::FunctionType* type = e.module.signature(expected.returns, expected.parameters);
    for (ptx::FunctionId id : e.module.address_taken()) {
      const ptx::Function& candidate = e.module.ptx.functions[id];
      if (e.module.signature(candidate.returns, candidate.parameters) == type) targets.push_back(id);
    }
  }
  Value* address = e.read(*callee, ptx::Type::kB64);
  llvm::BasicBlock* before = e.builder.GetInsertBlock();
  llvm::BasicBlock* nowhere = e.block("nowhere");
  llvm::BasicBlock* done = e.block("called");
  llvm::SwitchInst* choice = e.builder.CreateSwitch(address, nowhere, unsigned(targets.size()));
  e.enter(nowhere);
  e.intrinsic("trap", e.builder.getVoidTy(), {});
  e.builder.CreateUnreachable();
  for (ptx::FunctionId id : targets) {
    e.enter(before);
    llvm::BasicBlock* here = e.block("target");
    choice->addCase(e.constant(64, function_address(id)), here);
    e.enter(here);
    const ptx::Function& source = e.module.ptx.functions[id];
    WW_ASSIGN(llvm::Function * target, e.module.function(id));
    WW_TRY(call_function(e, target, returns, arguments, source.returns, source.parameters));
    e.builder.CreateBr(done);
  }
  e.enter(done);
  return {};
}

}  // namespace ww::lower
