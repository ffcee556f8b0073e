#include "sim/decode.h"

#include <algorithm>
#include <bit>

#include "devicelib/devicelib.h"
#include "ptx/printer.h"
#include "ptx/special_registers.h"
#include "sim/warp.h"

namespace ww::sim {
namespace {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

uint32_t align_up(uint64_t value, uint64_t alignment) {
  return uint32_t((value + alignment - 1) / std::max<uint64_t>(alignment, 1) * std::max<uint64_t>(alignment, 1));
}

// Calls `visit` for every operand of a function, elements of vectors and lists included (they stand in the same array).
template <class Visit>
void each_operand(const ptx::Function& function, Visit visit) {
  for (const ptx::Operand& operand : function.operands) visit(operand);
}

bool names_variable(const ptx::Operand& operand) {
  return operand.kind == OperandKind::kVariable ||
         (operand.kind == OperandKind::kAddress && operand.base == OperandKind::kVariable);
}

// The per-lane vector behind a special register; kCount: not supported.
SpecialVector special_vector(const ptx::Operand& operand) {
  using R = ptx::SpecialRegister;
  using V = SpecialVector;
  const auto xyz = [&](V x) { return operand.component < 3 ? V(unsigned(x) + operand.component) : V::kZero; };
  switch (static_cast<R>(operand.index)) {
    case R::kTid:
      return xyz(V::kTidX);
    case R::kNtid:
      return xyz(V::kNtidX);
    case R::kCtaid:
      return xyz(V::kCtaidX);
    case R::kNctaid:
      return xyz(V::kNctaidX);
    case R::kLaneid:
      return V::kLaneid;
    case R::kWarpid:
      return V::kWarpid;
    case R::kNwarpid:
      return V::kNwarpid;
    case R::kSmid:
      return V::kZero;
    case R::kNsmid:
      return V::kOne;
    case R::kGridid:
      return V::kGridid;
    case R::kEnvreg1:
      return V::kWorkspaceHigh;
    case R::kEnvreg2:
      return V::kWorkspaceLow;
    case R::kLanemaskEq:
      return V::kLanemaskEq;
    case R::kLanemaskLe:
      return V::kLanemaskLe;
    case R::kLanemaskLt:
      return V::kLanemaskLt;
    case R::kLanemaskGe:
      return V::kLanemaskGe;
    case R::kLanemaskGt:
      return V::kLanemaskGt;
    case R::kClock:
      return V::kClock;
    case R::kClockHi:
      return V::kClockHi;
    case R::kClock64:
      return V::kClock64;
    case R::kGlobaltimer:
      return V::kTimer;
    case R::kGlobaltimerLo:
      return V::kTimerLow;
    case R::kGlobaltimerHi:
      return V::kTimerHigh;
    case R::kDynamicSmemSize:
      return V::kDynamicSharedSize;
    case R::kTotalSmemSize:
    case R::kAggrSmemSize:
      return V::kTotalSharedSize;
    case R::kClusterid:
      return xyz(V::kClusteridX);
    case R::kNclusterid:
      return xyz(V::kNclusteridX);
    case R::kClusterCtaid:
      return xyz(V::kClusterCtaidX);
    case R::kClusterNctaid:
      return xyz(V::kClusterNctaidX);
    case R::kClusterCtarank:
      return V::kClusterRank;
    case R::kClusterNctarank:
      return V::kClusterSize;
    default:
      return V::kZero;  // envreg, performance counters, reserved shared memory
  }
}

}  // namespace

// --- Program

Program::Program(std::shared_ptr<const ptx::Module> module, const std::vector<uint64_t>& addresses,
                 ptx::FunctionId entry)
    : module_(std::move(module)), global_addresses_(addresses), entry_(entry) {
  find_reachable(entry);
  lay_out_shared();
  for (auto& [id, function] : functions_) Decoder(*this, id, *function).run();
  functions_.at(entry)->shared_bytes = static_shared_bytes_;
}

void Program::find_reachable(ptx::FunctionId entry) {
  std::vector<ptx::FunctionId> pending{entry};
  // Functions whose address stands in a variable may be called by anyone.
  for (const ptx::Variable& variable : module_->variables)
    for (const ptx::SymbolInitializer& symbol : variable.symbol_initializers)
      if (symbol.is_function) pending.push_back(symbol.index);
  while (!pending.empty()) {
    const ptx::FunctionId id = pending.back();
    pending.pop_back();
    if (!functions_.emplace(id, std::make_unique<DecodedFunction>()).second) continue;
    const ptx::Function& function = module_->functions[id];
    each_operand(function, [&](const ptx::Operand& operand) {
      if (operand.kind == OperandKind::kFunction) pending.push_back(operand.index);
    });
    for (const ptx::Prototype& prototype : function.prototypes)
      if (prototype.kind == ptx::Prototype::Kind::kCallTargets)
        pending.insert(pending.end(), prototype.targets.begin(), prototype.targets.end());
  }
}

void Program::lay_out_shared() {
  std::vector<ptx::VariableId> dynamic;
  for (const auto& [id, decoded] : functions_)
    each_operand(module_->functions[id], [&](const ptx::Operand& operand) {
      if (!names_variable(operand)) return;
      const ptx::Variable& variable = module_->variables[operand.index];
      if (variable.space != Space::kShared || shared_offsets_.contains(operand.index)) return;
      if (variable.size == 0) {
        dynamic.push_back(operand.index);
        return;
      }
      static_shared_bytes_ = align_up(static_shared_bytes_, variable.alignment);
      shared_offsets_[operand.index] = static_shared_bytes_;
      static_shared_bytes_ += uint32_t(variable.size);
    });
  // All dynamic arrays begin where the static variables end.
  uint32_t alignment = 16;
  for (const ptx::VariableId id : dynamic) alignment = std::max(alignment, module_->variables[id].alignment);
  if (!dynamic.empty()) static_shared_bytes_ = align_up(static_shared_bytes_, alignment);
  for (const ptx::VariableId id : dynamic) shared_offsets_[id] = static_shared_bytes_;
}

bool Program::is_reference(uint64_t address, ptx::Type type) const {
  for (size_t i = 0; i < module_->variables.size(); ++i)
    if (module_->variables[i].type == type && global_addresses_[i] == address) return true;
  return false;
}

const DecodedFunction* Program::function_at(uint64_t address) const {
  const auto found = functions_.find(uint32_t((address - kFunctionBase) / 16));
  return address < kFunctionBase || address % 16 != 0 || found == functions_.end() ? nullptr : found->second.get();
}

// --- Decoder

Decoder::Decoder(Program& program, ptx::FunctionId id, DecodedFunction& out)
    : program_(program), id_(id), function_(program.module_->functions[id]), out_(out) {
  out.module = program.module_.get();
  out.function = &function_;
}

void Decoder::run() {
  lay_out_registers();
  lay_out_variables();
  if (!function_.is_declaration) {
    // Labels first: a branch may go forward.
    std::vector<uint32_t> label_pcs(function_.labels.size());
    uint32_t pc = 0;
    for (const ptx::Statement& statement : function_.statements) {
      if (statement.kind == ptx::StatementKind::kInstruction) ++pc;
      if (statement.kind == ptx::StatementKind::kLabel) label_pcs[statement.index] = pc;
    }
    out_.ops.reserve(pc + 1);
    for (const ptx::Statement& statement : function_.statements)
      if (statement.kind == ptx::StatementKind::kInstruction)
        decode_instruction(function_.instructions[statement.index]);
    // Targets were decoded as label ids.
    for (Op& op : out_.ops) {
      if (op.kind == OpKind::kBranch) op.target = label_pcs[op.target];
      if (op.kind == OpKind::kBranchTable)
        for (uint32_t i = 0; i < op.extra_count; ++i)
          out_.extra[op.first_extra + i].index = label_pcs[out_.extra[op.first_extra + i].index];
    }
  }
  Op end;
  end.kind = OpKind::kReturn;
  out_.ops.push_back(end);
  out_.decoded = true;
}

void Decoder::lay_out_registers() {
  slots_.resize(function_.register_types.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Type type = function_.register_types[i];
    if (type == Type::kPred) {
      slots_[i] = out_.predicates++;
    } else {
      slots_[i] = out_.slots;
      out_.slots += type == Type::kB128 ? 2 : 1;
      out_.slot_bytes.resize(out_.slots, uint8_t(ptx::bits(type) / 8));
    }
  }
}

void Decoder::lay_out_variables() {
  const auto place = [](uint32_t& end, const ptx::Variable& variable) {
    const uint32_t offset = align_up(end, variable.alignment);
    end = offset + uint32_t(variable.size);
    return offset;
  };
  std::unordered_set<ptx::VariableId> addressed;
  for (const ptx::Instruction& instruction : function_.instructions) {
    if (instruction.opcode != ptx::Opcode::kMov) continue;
    const ptx::Operand& source = operands(instruction)[1];
    if (source.kind == OperandKind::kVariable) addressed.insert(source.index);
  }
  for (const ptx::VariableId id : function_.parameters) {
    const ptx::Variable& variable = module().variables[id];
    if (function_.is_entry) {
      const uint32_t offset = place(out_.entry_bytes, variable);
      entry_offsets_[id] = offset;
      out_.entry_offsets.push_back(offset);
      continue;
    }
    const bool in_register = variable.space == Space::kRegister;
    Ref ref;
    if (in_register && variable.first_register != ptx::kNoIndex)
      ref = {RefKind::kRegister, false, slots_[variable.first_register]};
    const uint32_t offset = in_register ? kNone : place(out_.parameter_bytes, variable);
    if (!in_register) parameter_offsets_[id] = offset;
    out_.formal_offsets.push_back(offset);
    out_.formal_locals.push_back(kNone);
    if (!in_register && addressed.contains(id)) {
      out_.formal_locals.back() = local_offsets_[id] = place(out_.local_bytes, variable);
      out_.local_alignment = std::max(out_.local_alignment, variable.alignment);
    }
    out_.formal_bytes.push_back(uint32_t(variable.size));
    out_.formal_registers.push_back(ref);
  }
  for (const ptx::VariableId id : function_.returns) {
    const ptx::Variable& variable = module().variables[id];
    const bool in_register = variable.space == Space::kRegister;
    Ref ref;
    if (in_register && variable.first_register != ptx::kNoIndex)
      ref = {RefKind::kRegister, false, slots_[variable.first_register]};
    const uint32_t offset = in_register ? kNone : place(out_.parameter_bytes, variable);
    if (!in_register) parameter_offsets_[id] = offset;
    out_.return_offsets.push_back(offset);
    out_.return_bytes.push_back(uint32_t(variable.size));
    out_.return_registers.push_back(ref);
  }
  for (const ptx::Statement& statement : function_.statements) {
    if (statement.kind != ptx::StatementKind::kVariable) continue;
    const ptx::Variable& variable = module().variables[statement.index];
    if (variable.space == Space::kParam) parameter_offsets_[statement.index] = place(out_.parameter_bytes, variable);
    if (variable.space == Space::kLocal) {
      local_offsets_[statement.index] = place(out_.local_bytes, variable);
      out_.local_alignment = std::max(out_.local_alignment, variable.alignment);
    }
  }
  out_.parameter_bytes = align_up(out_.parameter_bytes, 16);
  out_.local_bytes = align_up(out_.local_bytes, 16);
}

Ref Decoder::constant(uint64_t bits) {
  const auto [found, added] = constants_.try_emplace(bits, uint32_t(out_.constants.size()));
  if (added) out_.constants.emplace_back().fill(bits);
  return {RefKind::kConstant, false, found->second};
}

bool Decoder::is_predicate(const ptx::Operand& operand) const {
  return operand.kind == OperandKind::kRegister && function_.register_types[operand.index] == Type::kPred;
}

Ref Decoder::value(const ptx::Operand& operand, Type type) {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return {is_predicate(operand) ? RefKind::kPredicate : RefKind::kRegister, operand.negated != 0,
              slots_[operand.index]};
    case OperandKind::kSpecialRegister: {
      const SpecialVector which = special_vector(operand);
      if (static_cast<ptx::SpecialRegister>(operand.index) == ptx::SpecialRegister::kIsExplicitCluster)
        return constant(program_.entry().function->directives.reqnctapercluster[0] != 0);
      return {RefKind::kSpecial, false, uint32_t(which)};
    }
    case OperandKind::kInteger:
      return constant(operand.value);
    case OperandKind::kFloat32:
      if (type == Type::kF64)
        return constant(std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(operand.value)))));
      return constant(operand.value & 0xffffffffu);
    case OperandKind::kFloat64:
      if (type == Type::kF32) return constant(std::bit_cast<uint32_t>(float(std::bit_cast<double>(operand.value))));
      return constant(operand.value);
    case OperandKind::kVariable: {
      const ptx::Variable& variable = module().variables[operand.index];
      if (variable.space == Space::kShared) return constant(program_.shared_offsets_.at(operand.index) + operand.value);
      if (in_local_memory(operand.index)) return {RefKind::kLocalBase, false, 0};  // the caller adds the offset
      if (variable.space == Space::kParam) {
        bool of_entry = false;
        return constant(parameter_offset(operand.index, of_entry) + operand.value);
      }
      return constant(program_.global_addresses_[operand.index] + operand.value);
    }
    case OperandKind::kFunction:
      return constant(kFunctionBase + uint64_t{16} * operand.index);
    default:
      return {};
  }
}

Ref Decoder::destination(const ptx::Operand& operand) {
  return operand.kind == OperandKind::kRegister ? value(operand) : Ref{};
}

Ref Decoder::predicate(const ptx::Operand& operand) {
  return value(operand);
}

uint32_t Decoder::parameter_offset(ptx::VariableId variable, bool& of_entry) const {
  const auto entry = entry_offsets_.find(variable);
  of_entry = entry != entry_offsets_.end();
  if (of_entry) return entry->second;
  const auto found = parameter_offsets_.find(variable);
  return found == parameter_offsets_.end() ? 0 : found->second;
}

void Decoder::address(const ptx::Operand& operand, Op& op) {
  op.immediate = int64_t(operand.value);
  if (operand.base == OperandKind::kRegister) {
    op.source[0] = {RefKind::kRegister, false, slots_[operand.index]};
  } else if (operand.base == OperandKind::kVariable) {
    ptx::Operand base = operand;
    base.kind = OperandKind::kVariable;
    base.value = 0;
    op.source[0] = value(base);
    if (in_local_memory(operand.index)) op.immediate += local_offset(operand.index);
  } else {
    op.source[0] = constant(0);  // an absolute address: all of it is the offset
  }
}

void Decoder::vector(const ptx::Operand& operand, Op& op, bool is_destination, Type type) {
  op.first_extra = uint32_t(out_.extra.size());
  const auto add = [&](const ptx::Operand& element) {
    out_.extra.push_back(is_destination ? destination(element) : value(element, type));
  };
  if (operand.kind == OperandKind::kVector)
    for (const ptx::Operand& element : elements(operand)) add(element);
  else
    add(operand);
  op.extra_count = uint32_t(out_.extra.size()) - op.first_extra;
}

DecodedFunction* Decoder::callee(ptx::FunctionId id) {
  const auto found = program_.functions_.find(id);
  return found == program_.functions_.end() ? nullptr : found->second.get();
}

bool Decoder::unsupported(Op& op, const ptx::Instruction& instruction, const std::string& why) {
  op.kind = OpKind::kUnsupported;
  op.detail = uint32_t(out_.messages.size());
  std::string text = ptx::print(module(), function_, instruction);
  if (text.ends_with(';')) text.pop_back();
  out_.messages.push_back("instruction not supported by the interpreter: " + text +
                          (why.empty() ? "" : " (" + why + ")") + "; executed");
  return true;
}

void Decoder::decode_instruction(const ptx::Instruction& instruction) {
  Op op;
  op.instruction = &instruction;
  if (instruction.guard != ptx::kNoIndex) {
    op.guard = slots_[instruction.guard];
    op.guard_negated = instruction.guard_negated;
  }
  static constexpr FamilyDecoder kFamilies[] = {decode_control, decode_memory,  decode_move,      decode_compare,
                                                decode_convert, decode_integer, decode_devicelib, decode_atomic,
                                                decode_warp,    decode_barrier, decode_matrix,    decode_texture,
                                                decode_async,   decode_wmma,    decode_video};
  bool done = false;
  for (const FamilyDecoder family : kFamilies)
    if ((done = family(*this, instruction, op))) break;
  if (!done) unsupported(op, instruction);
  out_.ops.push_back(op);
}

}  // namespace ww::sim
