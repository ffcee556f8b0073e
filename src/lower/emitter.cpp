#include "lower/emitter.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "lower/register_types.h"
#include "ptx/printer.h"

namespace ww::lower {

FunctionEmitter::FunctionEmitter(ModuleEmitter& owner, ptx::FunctionId id, llvm::Function* llvm_function)
    : module(owner),
      function(owner.ptx.functions[id]),
      function_id(id),
      target(llvm_function),
      builder(owner.context) {}

Error FunctionEmitter::unsupported(std::string_view why) const {
  Error error = unsupported_error("`" + ptx::print(module.ptx, function, *instruction_) + "` is not supported yet" +
                                  (why.empty() ? "" : ": " + std::string(why)));
  error.file = module.ptx.name;
  error.line = instruction_->location.line;
  error.column = instruction_->location.column;
  error.kernel = function.name;
  error.fix = "Another device may have it: --device sim";
  return error;
}

Status FunctionEmitter::run() {
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(module.context, "entry", target);
  builder.SetInsertPoint(entry);
  scope_ = module.debug_scope(target, function);
  builder.SetCurrentDebugLocation(
      llvm::DILocation::get(module.context, function.location.line, function.location.column, scope_));
  // Allocas are put before this instruction, which run() takes away at the end.
  allocas_end_ = builder.CreateUnreachable();
  llvm::BasicBlock* body = block("body");
  builder.SetInsertPoint(body);

  declare_registers();
  WW_TRY(declare_variables());
  if (!function.is_entry && std::ranges::any_of(function.instructions, [](const ptx::Instruction& instruction) {
        return instruction.opcode == ptx::Opcode::kAlloca;
      }))
    stack_at_entry_ = intrinsic("stacksave", builder.getInt32Ty(), {});
  label_blocks_.resize(function.labels.size());
  for (size_t i = 0; i < function.labels.size(); ++i)
    if (function.labels[i].statement != ptx::kNoIndex)
      label_blocks_[i] = llvm::BasicBlock::Create(module.context, llvm::StringRef(function.labels[i].name), target);
  for (const ptx::Statement& statement : function.statements) WW_TRY(emit_statement(statement));
  if (builder.GetInsertBlock()->getTerminator() == nullptr) emit_return();

  builder.SetInsertPoint(allocas_end_);
  builder.CreateBr(body);
  allocas_end_->eraseFromParent();
  return {};
}

Status FunctionEmitter::emit_statement(const ptx::Statement& statement) {
  switch (statement.kind) {
    case ptx::StatementKind::kLabel: {
      llvm::BasicBlock* next = label_blocks_[statement.index];
      if (builder.GetInsertBlock()->getTerminator() == nullptr) builder.CreateBr(next);
      next->moveAfter(builder.GetInsertBlock());
      builder.SetInsertPoint(next);
      return {};
    }
    case ptx::StatementKind::kInstruction:
      return emit_instruction(function.instructions[statement.index]);
    default:
      return {};
  }
}

Status FunctionEmitter::emit_instruction(const ptx::Instruction& instruction) {
  instruction_ = &instruction;
  builder.SetCurrentDebugLocation(
      llvm::DILocation::get(module.context, instruction.location.line, instruction.location.column, scope_));
  if (builder.GetInsertBlock()->getTerminator() != nullptr) enter(block("dead"));
  const EmitEntry& entry = emit_entry(instruction.opcode);
  if (entry.emit == nullptr) return unsupported();
  if (instruction.guard == ptx::kNoIndex) return entry.emit(*this);

  llvm::Value* guard = load_register(instruction.guard);
  if (instruction.guard_negated) guard = builder.CreateNot(guard);
  if (!entry.has_side_effects) {
    select_guard_ = guard;
    Status status = entry.emit(*this);
    select_guard_ = nullptr;
    return status;
  }
  llvm::BasicBlock* guarded = block("guarded");
  llvm::BasicBlock* next = llvm::BasicBlock::Create(module.context, "next", target);
  builder.CreateCondBr(guard, guarded, next);
  enter(guarded);
  WW_TRY(entry.emit(*this));
  if (builder.GetInsertBlock()->getTerminator() == nullptr) builder.CreateBr(next);
  next->moveAfter(builder.GetInsertBlock());
  enter(next);
  return {};
}

llvm::BasicBlock* FunctionEmitter::block(const char* name) {
  llvm::BasicBlock* created = llvm::BasicBlock::Create(module.context, name, target);
  created->moveAfter(builder.GetInsertBlock());
  return created;
}

llvm::AllocaInst* FunctionEmitter::local_slot(llvm::Type* type, uint64_t alignment, const llvm::Twine& name) {
  auto* slot = new llvm::AllocaInst(type, 5, nullptr, llvm::Align(alignment), name, allocas_end_->getIterator());
  slot->setDebugLoc(allocas_end_->getDebugLoc());
  return slot;
}

llvm::AllocaInst* FunctionEmitter::carry_flag() {
  if (carry_flag_ == nullptr) {
    carry_flag_ = local_slot(builder.getInt1Ty(), 1, "cc");
    auto* store = new llvm::StoreInst(builder.getFalse(), carry_flag_, allocas_end_->getIterator());
    store->setDebugLoc(allocas_end_->getDebugLoc());
  }
  return carry_flag_;
}

void FunctionEmitter::write_carry(llvm::Value* carry) {
  llvm::AllocaInst* flag = carry_flag();
  if (select_guard_ != nullptr)
    carry = builder.CreateSelect(select_guard_, carry, builder.CreateLoad(builder.getInt1Ty(), flag));
  builder.CreateStore(carry, flag);
}

// -- registers
// ------------------------------------------------------------------------------------------------------------

void FunctionEmitter::declare_registers() {
  const std::vector<bool> floating = floating_point_registers(function);
  registers_.resize(function.register_types.size());
  register_llvm_types_.resize(function.register_types.size());
  for (ptx::RegisterId id = 0; id < function.register_types.size(); ++id) {
    const unsigned width = ptx::bits(function.register_types[id]);
    llvm::Type* type = integer(width);
    if (floating[id] && width == 16) type = builder.getHalfTy();
    if (floating[id] && width == 32) type = builder.getFloatTy();
    if (floating[id] && width == 64) type = builder.getDoubleTy();
    register_llvm_types_[id] = type;
  }
}

// The slot of a register, created at its first use: text that declares `.reg .b32 %r<10000>` costs nothing.
static llvm::AllocaInst* slot_of(FunctionEmitter& e, std::vector<llvm::AllocaInst*>& slots,
                                 const std::vector<llvm::Type*>& types, ptx::RegisterId id,
                                 llvm::Instruction* allocas_end) {
  llvm::AllocaInst*& slot = slots[id];
  if (slot == nullptr) {
    slot = e.local_slot(types[id],
                        std::max(1u, types[id]->getPrimitiveSizeInBits().getFixedValue() > 8
                                         ? unsigned(types[id]->getPrimitiveSizeInBits() / 8)
                                         : 1u),
                        "");
    auto* store = new llvm::StoreInst(llvm::Constant::getNullValue(types[id]), slot, allocas_end->getIterator());
    store->setDebugLoc(allocas_end->getDebugLoc());
  }
  return slot;
}

llvm::Value* FunctionEmitter::load_register(ptx::RegisterId id) {
  return builder.CreateLoad(register_llvm_types_[id],
                            slot_of(*this, registers_, register_llvm_types_, id, allocas_end_));
}

ptx::Type FunctionEmitter::register_type(const ptx::Operand& operand) const {
  return operand.kind == ptx::OperandKind::kRegister ? function.register_types[operand.index] : ptx::Type::kNone;
}

llvm::Type* FunctionEmitter::type_of(ptx::Type type) const {
  switch (type) {
    case ptx::Type::kF16:
      return llvm::Type::getHalfTy(module.context);
    case ptx::Type::kF32:
      return llvm::Type::getFloatTy(module.context);
    case ptx::Type::kF64:
      return llvm::Type::getDoubleTy(module.context);
    default:
      return integer(ptx::bits(type));
  }
}

llvm::PointerType* FunctionEmitter::pointer(unsigned address_space) const {
  return llvm::PointerType::get(module.context, address_space);
}

llvm::Value* FunctionEmitter::reinterpret(llvm::Value* value, llvm::Type* type) {
  return value->getType() == type ? value : builder.CreateBitCast(value, type);
}

// A literal as the bits of a value of `as`.
static uint64_t literal_bits(const ptx::Operand& operand, ptx::Type as) {
  if (operand.kind == ptx::OperandKind::kFloat64 && ptx::bits(as) == 32 && as != ptx::Type::kF64) {
    double wide;
    static_assert(sizeof wide == sizeof operand.value);
    std::memcpy(&wide, &operand.value, sizeof wide);
    const float narrow = float(wide);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  if (operand.kind == ptx::OperandKind::kFloat32 && as == ptx::Type::kF64) {
    float narrow;
    const uint32_t bits = uint32_t(operand.value);
    std::memcpy(&narrow, &bits, sizeof bits);
    const double wide = narrow;
    uint64_t wide_bits;
    std::memcpy(&wide_bits, &wide, sizeof wide_bits);
    return wide_bits;
  }
  return operand.value;
}

llvm::Value* FunctionEmitter::read(const ptx::Operand& operand, ptx::Type as) {
  llvm::Type* type = type_of(as);
  const unsigned width = ptx::bits(as);
  llvm::Value* value = nullptr;
  switch (operand.kind) {
    case ptx::OperandKind::kRegister:
      value = load_register(operand.index);
      break;
    case ptx::OperandKind::kSpecialRegister:
      value = read_special_register(operand);
      break;
    case ptx::OperandKind::kInteger:
    case ptx::OperandKind::kFloat32:
    case ptx::OperandKind::kFloat64:
      value = llvm::ConstantInt::get(
          module.context, llvm::APInt(width, literal_bits(operand, as), /*isSigned=*/true, /*implicitTrunc=*/true));
      break;
    case ptx::OperandKind::kVariable:
    case ptx::OperandKind::kAddress: {
      const bool is_variable = operand.kind == ptx::OperandKind::kVariable;
      llvm::Value* base = is_variable ? builder.CreatePtrToInt(variable_pointer(operand.index), integer(width))
                                      : builder.CreatePtrToInt(address(operand, ptx::Space::kGeneric), integer(width));
      value = is_variable && operand.value != 0 ? builder.CreateAdd(base, constant(width, operand.value)) : base;
      break;
    }
    case ptx::OperandKind::kFunction:
      value = constant(64, function_address(operand.index));
      break;
    case ptx::OperandKind::kVector: {  // mov.b32 {a, b}: the first element is the lowest
      const auto parts = elements(operand);
      const unsigned part = width / unsigned(parts.size());
      value = constant(width, 0);
      for (size_t i = 0; i < parts.size(); ++i) {
        llvm::Value* bits = builder.CreateZExt(read_bits(parts[i], part), integer(width));
        value = builder.CreateOr(value, builder.CreateShl(bits, uint64_t(part * i)));
      }
      break;
    }
    default:
      return zero(type);
  }
  const unsigned have = value->getType()->getPrimitiveSizeInBits();
  if (have != width) {
    value = reinterpret(value, integer(have));
    value = ptx::is_signed(as) ? builder.CreateSExtOrTrunc(value, integer(width))
                               : builder.CreateZExtOrTrunc(value, integer(width));
  }
  value = reinterpret(value, type);
  if (operand.negated && as == ptx::Type::kPred) value = builder.CreateNot(value);
  return value;
}

llvm::Value* FunctionEmitter::read_bits(const ptx::Operand& operand, unsigned bits) {
  switch (bits) {
    case 1:
      return read(operand, ptx::Type::kPred);
    case 8:
      return read(operand, ptx::Type::kB8);
    case 16:
      return read(operand, ptx::Type::kB16);
    case 32:
      return read(operand, ptx::Type::kB32);
    case 64:
      return read(operand, ptx::Type::kB64);
    default:
      return read(operand, ptx::Type::kB128);
  }
}

void FunctionEmitter::write(const ptx::Operand& operand, llvm::Value* value, ptx::Type as) {
  if (operand.kind == ptx::OperandKind::kVector) {  // mov.b64 {a, b}, c
    const auto parts = elements(operand);
    const unsigned width = value->getType()->getPrimitiveSizeInBits();
    const unsigned part = width / unsigned(parts.size());
    value = reinterpret(value, integer(width));
    const ptx::Type part_type = part == 8    ? ptx::Type::kB8
                                : part == 16 ? ptx::Type::kB16
                                : part == 32 ? ptx::Type::kB32
                                             : ptx::Type::kB64;
    for (size_t i = 0; i < parts.size(); ++i)
      write(parts[i], builder.CreateTrunc(builder.CreateLShr(value, uint64_t(part * i)), integer(part)), part_type);
    return;
  }
  if (operand.kind != ptx::OperandKind::kRegister) return;
  llvm::Type* type = register_llvm_types_[operand.index];
  const unsigned have = value->getType()->getPrimitiveSizeInBits();
  const unsigned want = type->getPrimitiveSizeInBits();
  if (have != want) {
    value = reinterpret(value, integer(have));
    value = ptx::is_signed(as) ? builder.CreateSExtOrTrunc(value, integer(want))
                               : builder.CreateZExtOrTrunc(value, integer(want));
  }
  value = reinterpret(value, type);
  if (select_guard_ != nullptr) value = builder.CreateSelect(select_guard_, value, load_register(operand.index));
  builder.CreateStore(value, slot_of(*this, registers_, register_llvm_types_, operand.index, allocas_end_));
}

// -- memory
// ---------------------------------------------------------------------------------------------------------------

Status FunctionEmitter::declare_variables() {
  const bool is_entry = function.is_entry;
  unsigned argument = 0;
  for (ptx::VariableId id : function.returns) {
    const ptx::Variable& variable = module.ptx.variables[id];
    if (travels_in_memory(variable)) variables_[id] = target->getArg(argument++);
  }
  for (ptx::VariableId id : function.parameters) {
    const ptx::Variable& variable = module.ptx.variables[id];
    if (is_entry) {
      variables_[id] = builder.CreateConstGEP1_64(builder.getInt8Ty(), target->getArg(0),
                                                  parameter_offset(module.ptx, function, id));
    } else if (travels_in_memory(variable)) {
      variables_[id] = target->getArg(argument++);
    } else {
      llvm::Argument* value = target->getArg(argument++);
      const ptx::RegisterId in_register = variable.first_register;  // a .reg parameter
      if (in_register != ptx::kNoIndex)
        builder.CreateStore(reinterpret(value, register_llvm_types_[in_register]),
                            slot_of(*this, registers_, register_llvm_types_, in_register, allocas_end_));
      else
        builder.CreateStore(value, variable_pointer(id));
    }
  }
  return {};
}

llvm::Value* FunctionEmitter::variable_pointer(ptx::VariableId id) {
  if (const auto found = variables_.find(id); found != variables_.end()) return found->second;
  const ptx::Variable& variable = module.ptx.variables[id];
  llvm::Value*& pointer = variables_[id];
  if (variable.space == ptx::Space::kLocal || variable.space == ptx::Space::kParam ||
      variable.space == ptx::Space::kRegister) {
    const uint64_t natural = std::max(1u, ptx::bits(variable.type) / 8 * variable.vector);
    const uint64_t alignment = variable.alignment != 0 ? variable.alignment : std::bit_ceil(natural);
    llvm::Type* type = llvm::ArrayType::get(builder.getInt8Ty(), std::max<uint64_t>(1, variable.size));
    pointer = local_slot(type, alignment, llvm::StringRef(variable.name));
  } else {
    pointer = module.variable(id);
  }
  return pointer;
}

ptx::Space FunctionEmitter::space() const {
  return ptx::space_of(*instruction_);
}

llvm::Value* FunctionEmitter::address(const ptx::Operand& operand, ptx::Space space, uint64_t extra) {
  // Parameters of a kernel are constant memory, those of a function local memory.
  unsigned number = address_space(space);
  if (space == ptx::Space::kParam) number = function.is_entry && !has(ptx::Modifier::kParamFunc) ? 4 : 5;
  const bool is_address = operand.kind == ptx::OperandKind::kAddress;
  const ptx::OperandKind base_kind = is_address ? operand.base : operand.kind;
  uint64_t offset = (is_address || base_kind == ptx::OperandKind::kVariable ? operand.value : 0) + extra;
  llvm::Value* base;
  if (base_kind == ptx::OperandKind::kVariable) {
    base = variable_pointer(operand.index);
    // A variable of another space than the instruction's is legal only for generic instructions (and parameters, whose
    // space depends on the function).
    const unsigned own = base->getType()->getPointerAddressSpace();
    if (space == ptx::Space::kGeneric && own != 0) base = builder.CreateAddrSpaceCast(base, pointer(0));
  } else if (base_kind == ptx::OperandKind::kRegister) {
    llvm::Value* bits = load_register(operand.index);
    bits = reinterpret(bits, integer(bits->getType()->getPrimitiveSizeInBits()));
    base = builder.CreateIntToPtr(bits, pointer(number));
  } else {
    base = builder.CreateIntToPtr(constant(64, operand.value + extra), pointer(number));
    offset = 0;
  }
  return offset == 0 ? base : builder.CreateConstGEP1_64(builder.getInt8Ty(), base, offset);
}

void FunctionEmitter::emit_return() {
  if (stack_at_entry_ != nullptr) intrinsic("stackrestore", builder.getVoidTy(), {stack_at_entry_});
  if (function.is_entry || target->getReturnType()->isVoidTy()) {
    builder.CreateRetVoid();
    return;
  }
  llvm::Type* type = target->getReturnType();
  std::vector<llvm::Value*> values;
  for (ptx::VariableId id : function.returns) {
    const ptx::Variable& variable = module.ptx.variables[id];
    if (travels_in_memory(variable)) continue;
    llvm::Type* element = type->isStructTy() ? type->getStructElementType(unsigned(values.size())) : type;
    values.push_back(variable.first_register != ptx::kNoIndex
                         ? reinterpret(load_register(variable.first_register), element)
                         : builder.CreateLoad(element, variable_pointer(id)));
  }
  if (!type->isStructTy()) {
    builder.CreateRet(values[0]);
    return;
  }
  builder.CreateAggregateRet(values.data(), unsigned(values.size()));
}

// -- calls
// ----------------------------------------------------------------------------------------------------------------

llvm::Value* FunctionEmitter::devicelib(const std::string& name, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Function* callee = module.devicelib(name);
  if (callee == nullptr || callee->arg_size() != arguments.size()) return nullptr;
  std::vector<llvm::Value*> converted(arguments.begin(), arguments.end());
  for (unsigned i = 0; i < converted.size(); ++i) {
    llvm::Type* type = callee->getArg(i)->getType();
    if (converted[i]->getType()->getPrimitiveSizeInBits() != type->getPrimitiveSizeInBits()) return nullptr;
    converted[i] = reinterpret(converted[i], type);
  }
  return builder.CreateCall(callee, converted);
}

llvm::Value* FunctionEmitter::intrinsic(const std::string& name, llvm::Type* result,
                                        llvm::ArrayRef<llvm::Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  return builder.CreateCall(module.intrinsic("ww." + name, llvm::FunctionType::get(result, types, false)), arguments);
}

llvm::Value* FunctionEmitter::canonical(llvm::Value* value, ptx::Type as) {
  if (!exact()) return value;
  const char* name = as == ptx::Type::kF32    ? "canonical_nan_f32"
                     : as == ptx::Type::kF16  ? "canonical_nan_f16"
                     : as == ptx::Type::kBF16 ? "canonical_nan_bf16"
                                              : nullptr;
  if (name == nullptr) return value;
  return reinterpret(devicelib(name, {value}), type_of(as));
}

std::pair<llvm::Value*, llvm::Value*> FunctionEmitter::split(llvm::Value* packed) {
  const unsigned width = packed->getType()->getPrimitiveSizeInBits();
  llvm::IntegerType* half = integer(width / 2);
  return {builder.CreateTrunc(packed, half), builder.CreateTrunc(builder.CreateLShr(packed, width / 2), half)};
}

llvm::Value* FunctionEmitter::join(llvm::Value* low, llvm::Value* high) {
  const unsigned half = low->getType()->getPrimitiveSizeInBits();
  llvm::IntegerType* bits = integer(half);
  llvm::IntegerType* whole = integer(2 * half);
  low = builder.CreateZExt(reinterpret(low, bits), whole);
  high = builder.CreateZExt(reinterpret(high, bits), whole);
  return builder.CreateOr(low, builder.CreateShl(high, half));
}

// -- special registers
// ----------------------------------------------------------------------------------------------------

namespace {

// The ww.* function behind a special register (`suffix`: .x .y .z by component), and which bits of its value are read.
struct SpecialRegisterRow {
  ptx::SpecialRegister id;
  const char* name;  // null: the constant `value`
  bool has_components;
  unsigned bits;   // of the function's result
  unsigned shift;  // right
  uint32_t value;
};

constexpr SpecialRegisterRow kSpecialRegisters[] = {
    {ptx::SpecialRegister::kTid, "tid", true, 32, 0, 0},
    {ptx::SpecialRegister::kNtid, "ntid", true, 32, 0, 0},
    {ptx::SpecialRegister::kCtaid, "ctaid", true, 32, 0, 0},
    {ptx::SpecialRegister::kNctaid, "nctaid", true, 32, 0, 0},
    {ptx::SpecialRegister::kLaneid, "laneid", false, 32, 0, 0},
    {ptx::SpecialRegister::kWarpid, "warpid", false, 32, 0, 0},
    {ptx::SpecialRegister::kNwarpid, "nwarpid", false, 32, 0, 0},
    {ptx::SpecialRegister::kSmid, "smid", false, 32, 0, 0},
    {ptx::SpecialRegister::kNsmid, "nsmid", false, 32, 0, 0},
    {ptx::SpecialRegister::kGridid, "gridid", false, 64, 0, 0},
    {ptx::SpecialRegister::kLanemaskEq, "lanemask.eq", false, 32, 0, 0},
    {ptx::SpecialRegister::kLanemaskLe, "lanemask.le", false, 32, 0, 0},
    {ptx::SpecialRegister::kLanemaskLt, "lanemask.lt", false, 32, 0, 0},
    {ptx::SpecialRegister::kLanemaskGe, "lanemask.ge", false, 32, 0, 0},
    {ptx::SpecialRegister::kLanemaskGt, "lanemask.gt", false, 32, 0, 0},
    {ptx::SpecialRegister::kClock, "clock64", false, 64, 0, 0},
    {ptx::SpecialRegister::kClockHi, "clock64", false, 64, 32, 0},
    {ptx::SpecialRegister::kClock64, "clock64", false, 64, 0, 0},
    {ptx::SpecialRegister::kGlobaltimer, "globaltimer", false, 64, 0, 0},
    {ptx::SpecialRegister::kGlobaltimerLo, "globaltimer", false, 64, 0, 0},
    {ptx::SpecialRegister::kGlobaltimerHi, "globaltimer", false, 64, 32, 0},
    {ptx::SpecialRegister::kTotalSmemSize, "total_smem_size", false, 32, 0, 0},
    {ptx::SpecialRegister::kAggrSmemSize, "total_smem_size", false, 32, 0, 0},
    {ptx::SpecialRegister::kDynamicSmemSize, "dynamic_smem_size", false, 32, 0, 0},
    {ptx::SpecialRegister::kEnvreg1, "grid_workspace", false, 64, 32, 0},
    {ptx::SpecialRegister::kEnvreg2, "grid_workspace", false, 64, 0, 0},
    {ptx::SpecialRegister::kClusterid, "clusterid", true, 32, 0, 0},
    {ptx::SpecialRegister::kNclusterid, "nclusterid", true, 32, 0, 0},
    {ptx::SpecialRegister::kClusterCtaid, "cluster_ctaid", true, 32, 0, 0},
    {ptx::SpecialRegister::kClusterNctaid, "cluster_nctaid", true, 32, 0, 0},
    {ptx::SpecialRegister::kClusterCtarank, "cluster_ctarank", false, 32, 0, 0},
    {ptx::SpecialRegister::kClusterNctarank, "cluster_nctarank", false, 32, 0, 0},
};

}  // namespace

llvm::Value* FunctionEmitter::read_special_register(const ptx::Operand& operand) {
  for (const SpecialRegisterRow& row : kSpecialRegisters) {
    if (unsigned(row.id) != operand.index) continue;
    if (row.has_components && operand.component == 3) break;  // .w reads 0
    if (row.name == nullptr) return constant(row.bits, row.value);
    std::string name = row.name;
    if (row.has_components) name += std::string(".") + "xyz"[operand.component];
    llvm::Value* value = intrinsic(name, integer(row.bits), {});
    if (row.shift != 0) value = builder.CreateLShr(value, row.shift);
    const unsigned width = ptx::bits(ptx::facts(row.id).type);
    return width == row.bits ? value : builder.CreateTrunc(value, integer(width));
  }
  if (ptx::SpecialRegister(operand.index) == ptx::SpecialRegister::kIsExplicitCluster)
    return constant(1, module.kernel.directives.reqnctapercluster[0] != 0);
  // Other environment registers, performance counters and the like read 0.
  return constant(std::max(1u, ptx::bits(ptx::facts(ptx::SpecialRegister(operand.index)).type)), 0);
}

}  // namespace ww::lower
