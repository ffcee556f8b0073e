#include "lower/module_emitter.h"

#include <algorithm>

#include "lower/devicelib_table.h"
#include "lower/emitter.h"
#include "lower/intrinsics.h"

namespace ww::lower {

// Sizes of pointers: 64 bits, and 32 for shared and local memory, whose addresses are offsets into a window. The stack
// is address space 5.
static constexpr char kDataLayout[] =
    "e-p:64:64-p1:64:64-p3:32:32-p4:64:64-p5:32:32-i64:64-i128:128-n8:16:32:64-S128-A5-G1";

unsigned address_space(ptx::Space space) {
  switch (space) {
    case ptx::Space::kGlobal:
    case ptx::Space::kTexture:  // where a module's reference keeps its handle
      return 1;
    case ptx::Space::kShared:
      return 3;
    case ptx::Space::kConst:
      return 4;
    case ptx::Space::kLocal:
      return 5;
    default:
      return 0;
  }
}

bool travels_in_memory(const ptx::Variable& variable) {
  return variable.is_array || variable.vector > 1 || variable.is_unsized;
}

static uint64_t natural_alignment(const ptx::Variable& variable) {
  if (variable.alignment != 0) return variable.alignment;
  return std::max<uint64_t>(1, ptx::bits(variable.type) / 8 * variable.vector);
}

uint64_t parameter_offset(const ptx::Module& module, const ptx::Function& kernel, ptx::VariableId parameter) {
  uint64_t offset = 0;
  for (ptx::VariableId id : kernel.parameters) {
    const ptx::Variable& variable = module.variables[id];
    const uint64_t alignment = natural_alignment(variable);
    offset = (offset + alignment - 1) / alignment * alignment;
    if (id == parameter) break;
    offset += variable.size;
  }
  return offset;
}

ModuleEmitter::ModuleEmitter(const ptx::Module& ptx_module, const ptx::Function& entry, llvm::LLVMContext& llvm_context,
                             const Options& lower_options)
    : ptx(ptx_module),
      kernel(entry),
      context(llvm_context),
      options(lower_options),
      llvm(std::make_unique<llvm::Module>(std::string(entry.name), llvm_context)),
      debug_(*llvm) {
  llvm->setDataLayout(kDataLayout);
  llvm->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  debug_file_ = debug_.createFile(ptx.name, "");
  debug_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), debug_file_, "warpwave", true, "", 0, "",
                           llvm::DICompileUnit::LineTablesOnly);
}

Status ModuleEmitter::run() {
  WW_TRY(function(ptx::FunctionId(&kernel - ptx.functions.data())));
  while (!pending_.empty()) {
    const ptx::FunctionId id = pending_.back();
    pending_.pop_back();
    WW_TRY(FunctionEmitter(*this, id, functions_.at(id)).run());
  }
  debug_.finalize();
  return {};
}

llvm::FunctionType* ModuleEmitter::signature(const std::vector<ptx::VariableId>& returns,
                                             const std::vector<ptx::VariableId>& parameters) const {
  const auto scalar = [&](const ptx::Variable& variable) -> llvm::Type* {
    switch (variable.type) {
      case ptx::Type::kF32:
        return llvm::Type::getFloatTy(context);
      case ptx::Type::kF64:
        return llvm::Type::getDoubleTy(context);
      default:
        return llvm::IntegerType::get(context, ptx::bits(variable.type));
    }
  };
  llvm::Type* result = llvm::Type::getVoidTy(context);
  std::vector<llvm::Type*> types;
  llvm::Type* in_memory = llvm::PointerType::get(context, 5);
  std::vector<llvm::Type*> results;
  for (ptx::VariableId id : returns) {
    const ptx::Variable& variable = ptx.variables[id];
    if (travels_in_memory(variable))
      types.push_back(in_memory);
    else
      results.push_back(scalar(variable));
  }
  if (results.size() == 1) result = results[0];
  if (results.size() > 1) result = llvm::StructType::get(context, results);
  for (ptx::VariableId id : parameters) {
    const ptx::Variable& variable = ptx.variables[id];
    types.push_back(travels_in_memory(variable) ? in_memory : scalar(variable));
  }
  return llvm::FunctionType::get(result, types, false);
}

Result<llvm::Function*> ModuleEmitter::function(ptx::FunctionId id) {
  for (const ptx::Alias& alias : ptx.aliases)
    if (alias.alias == id) id = alias.aliasee;
  if (const auto found = functions_.find(id); found != functions_.end()) return found->second;
  const ptx::Function& source = ptx.functions[id];
  if (source.is_declaration)
    return unsupported_error(
        "call of `" + std::string(source.name) + "`, which the module declares but does not define",
        "Link the PTX modules before loading them");
  llvm::FunctionType* type;
  if (source.is_entry)
    type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::get(context, 4)}, false);
  else
    type = signature(source.returns, source.parameters);
  const auto linkage = source.is_entry ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage;
  llvm::Function* created = llvm::Function::Create(type, linkage, llvm::StringRef(source.name), *llvm);
  created->setDoesNotThrow();
  if (source.is_entry) {
    created->getArg(0)->setName("params");
    created->addParamAttr(0, llvm::Attribute::ReadOnly);
    created->addParamAttr(0, llvm::Attribute::NoUndef);
  }
  functions_[id] = created;
  pending_.push_back(id);
  return created;
}

llvm::GlobalVariable* ModuleEmitter::variable(ptx::VariableId id) {
  llvm::GlobalVariable*& slot = variables_[id];
  if (slot != nullptr) return slot;
  const ptx::Variable& variable = ptx.variables[id];
  llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), variable.size);
  std::string name(variable.name);
  if (variable.function != ptx::kNoIndex && variable.space != ptx::Space::kShared)
    name = std::string(ptx.functions[variable.function].name) + "." + name;
  const bool is_static_shared = variable.space == ptx::Space::kShared && !variable.is_unsized;
  slot = new llvm::GlobalVariable(
      *llvm, type, variable.space == ptx::Space::kConst,
      is_static_shared ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage,
      is_static_shared ? llvm::PoisonValue::get(type) : nullptr, name, nullptr, llvm::GlobalValue::NotThreadLocal,
      address_space(variable.space));
  slot->setAlignment(llvm::Align(std::bit_ceil(natural_alignment(variable))));
  return slot;
}

const std::vector<ptx::FunctionId>& ModuleEmitter::address_taken() {
  if (address_taken_known_) return address_taken_;
  address_taken_known_ = true;
  std::vector<bool> taken(ptx.functions.size());
  for (const ptx::Variable& variable : ptx.variables)
    for (const ptx::SymbolInitializer& symbol : variable.symbol_initializers)
      if (symbol.is_function) taken[symbol.index] = true;
  for (const ptx::Function& source : ptx.functions)
    for (const ptx::Instruction& instruction : source.instructions)
      if (instruction.opcode == ptx::Opcode::kMov)
        for (const ptx::Operand& operand : source.operands_of(instruction))
          if (operand.kind == ptx::OperandKind::kFunction) taken[operand.index] = true;
  for (ptx::FunctionId id = 0; id < taken.size(); ++id)
    if (taken[id] && !ptx.functions[id].is_declaration && !ptx.functions[id].is_entry) address_taken_.push_back(id);
  return address_taken_;
}

llvm::Function* ModuleEmitter::intrinsic(const std::string& name, llvm::FunctionType* type) {
  return declare_intrinsic(*llvm, name, type);
}

llvm::Function* ModuleEmitter::devicelib(const std::string& name) {
  return declare_devicelib_function(*llvm, name);
}

llvm::DISubprogram* ModuleEmitter::debug_scope(llvm::Function* function, const ptx::Function& source) {
  llvm::DISubroutineType* type = debug_.createSubroutineType(debug_.getOrCreateTypeArray({}));
  llvm::DISubprogram* scope =
      debug_.createFunction(debug_file_, llvm::StringRef(source.name), "", debug_file_, source.location.line, type,
                            source.location.line, llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  function->setSubprogram(scope);
  return scope;
}

}  // namespace ww::lower
