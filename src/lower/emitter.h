// The translation of one PTX function to LLVM IR, instruction by instruction: state and helpers that every emission
// file uses.
//
// Assumes a verified module. Registers become allocas (promote.cpp makes SSA values of them), so that emission needs no
// order of definitions. An emission function finds its operands with `read` and `address`, and ends with `write`, which
// converts between the register's type and the instruction's. Private to src/lower.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/module_emitter.h"
#include "ptx/module.h"
#include "ptx/special_registers.h"
#include "ptx/suffixes.h"

namespace ww::lower {

class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, ptx::FunctionId id, llvm::Function* target);

  // Emits the whole body.
  Status run();

  ModuleEmitter& module;
  const ptx::Function& function;
  const ptx::FunctionId function_id;
  llvm::Function* const target;
  llvm::IRBuilder<> builder;

  // The instruction being emitted, and its operands.
  const ptx::Instruction& instruction() const { return *instruction_; }
  std::span<const ptx::Operand> operands() const { return function.operands_of(*instruction_); }
  const ptx::Operand& operand(unsigned i) const { return operands()[i]; }
  unsigned operand_count() const { return instruction_->operand_count; }
  std::span<const ptx::Operand> elements(const ptx::Operand& operand) const { return function.elements(operand); }
  bool has(ptx::Modifier modifier) const { return instruction_->has(modifier); }
  ptx::Type type(unsigned i = 0) const { return instruction_->type(i); }
  bool exact() const { return module.options.numerics == Numerics::kExact; }

  // "add.rz.f16 ... is not supported yet", with line, column and kernel.
  Error unsupported(std::string_view why = {}) const;

  // LLVM types. bf16 and narrower formats are integers; packed pairs are one integer.
  llvm::Type* type_of(ptx::Type type) const;
  llvm::IntegerType* integer(unsigned bits) const { return llvm::IntegerType::get(target->getContext(), bits); }
  llvm::PointerType* pointer(unsigned address_space) const;

  // The value of an operand, as a value of `type_of(as)`: a register of another class is reinterpreted, a wider one
  // cut.
  llvm::Value* read(const ptx::Operand& operand, ptx::Type as);
  llvm::Value* read(unsigned i, ptx::Type as) { return read(operand(i), as); }
  // The bits of an operand, as an integer of `bits`.
  llvm::Value* read_bits(const ptx::Operand& operand, unsigned bits);
  llvm::Value* read_bits(unsigned i, unsigned bits) { return read_bits(operand(i), bits); }
  llvm::Value* read_predicate(unsigned i) { return read(operand(i), ptx::Type::kPred); }

  // Stores into a register. A narrower value is extended by the signedness of `as`. Under a guard without side effects
  // the old value is kept where the guard is false. `_` drops the value.
  void write(const ptx::Operand& operand, llvm::Value* value, ptx::Type as);
  void write(unsigned i, llvm::Value* value, ptx::Type as) { write(operand(i), value, as); }

  // The type with which the register stands in PTX; kNone for other operands.
  ptx::Type register_type(const ptx::Operand& operand) const;

  // The address of a memory operand, in the address space of `space` (kGeneric: 0), plus `extra` bytes.
  llvm::Value* address(const ptx::Operand& operand, ptx::Space space, uint64_t extra = 0);
  // The pointer to a variable, in its own address space.
  llvm::Value* variable_pointer(ptx::VariableId id);
  // The state space that the instruction's modifiers name; kGeneric if none.
  ptx::Space space() const;

  // Packed pairs: halves of an i32 (or i16 for 8-bit formats) and back.
  std::pair<llvm::Value*, llvm::Value*> split(llvm::Value* packed);
  llvm::Value* join(llvm::Value* low, llvm::Value* high);

  // Calls devicelib's ww_NAME; null if there is no such function.
  llvm::Value* devicelib(const std::string& name, llvm::ArrayRef<llvm::Value*> arguments);
  // Calls the intrinsic `ww.NAME`.
  llvm::Value* intrinsic(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  // NaN made NVIDIA's (exact mode only; f32, f16 and bf16, whose arithmetic has one NaN).
  llvm::Value* canonical(llvm::Value* value, ptx::Type as);

  llvm::Value* zero(llvm::Type* type) const { return llvm::Constant::getNullValue(type); }
  llvm::ConstantInt* constant(unsigned bits, uint64_t value) const {
    return llvm::ConstantInt::get(integer(bits), value, false, true);
  }
  // Value with the bits of `value` and another type of the same width.
  llvm::Value* reinterpret(llvm::Value* value, llvm::Type* type);

  // A new block behind the current one; `enter` continues emission in it.
  llvm::BasicBlock* block(const char* name = "");
  void enter(llvm::BasicBlock* block) { builder.SetInsertPoint(block); }
  llvm::BasicBlock* label_block(ptx::LabelId label) const { return label_blocks_[label]; }
  // An alloca in the entry block (address space 5).
  llvm::AllocaInst* local_slot(llvm::Type* type, uint64_t alignment, const llvm::Twine& name);
  // Leaves the function (ret), storing the result.
  void emit_return();
  // The carry flag CC.CF.
  llvm::AllocaInst* carry_flag();
  void write_carry(llvm::Value* carry);

 private:
  Status declare_variables();
  void declare_registers();
  Status emit_statement(const ptx::Statement& statement);
  Status emit_instruction(const ptx::Instruction& instruction);
  llvm::Value* read_special_register(const ptx::Operand& operand);
  llvm::Value* load_register(ptx::RegisterId id);

  const ptx::Instruction* instruction_ = nullptr;
  llvm::Value* select_guard_ = nullptr;  // set while a predicated instruction without side effects is emitted
  llvm::DISubprogram* scope_ = nullptr;
  std::vector<llvm::AllocaInst*> registers_;           // by RegisterId; null until used
  std::vector<llvm::Type*> register_llvm_types_;       // by RegisterId
  std::vector<llvm::BasicBlock*> label_blocks_;        // by LabelId
  std::map<ptx::VariableId, llvm::Value*> variables_;  // of this function, and module variables used
  std::vector<llvm::Value*> return_slots_;
  llvm::AllocaInst* carry_flag_ = nullptr;
  llvm::Value* stack_at_entry_ = nullptr;  // of a function that takes memory from the stack
  llvm::Instruction* allocas_end_ = nullptr;
};

// Emits the current instruction.
using EmitFunction = Status (*)(FunctionEmitter& e);

struct EmitEntry {
  EmitFunction emit = nullptr;
  bool has_side_effects = true;  // a guard becomes a branch rather than a select
};

// The table of dispatch.cpp.
const EmitEntry& emit_entry(ptx::Opcode opcode);

}  // namespace ww::lower
