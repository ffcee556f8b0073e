// From syntax tree to Ops. The decoder resolves operands; each instruction family chooses handlers (decode_*).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/module.h"
#include "ptx/suffixes.h"
#include "sim/memory.h"
#include "sim/program.h"

namespace ww::sim {

// One entry with all functions it may reach, decoded. Shared variables are laid out for this entry alone.
class Program {
 public:
  // `addresses`: by VariableId, of global and constant variables. Instructions that are not supported become Ops that
  // fail when they are executed, so this always succeeds.
  Program(std::shared_ptr<const ptx::Module> module, const std::vector<uint64_t>& addresses, ptx::FunctionId entry);

  const DecodedFunction& entry() const { return *functions_.at(entry_); }
  uint32_t static_shared_bytes() const { return static_shared_bytes_; }
  const ptx::Module& module() const { return *module_; }

  // Whether a .texref, .samplerref or .surfref (`type`) stands at the address.
  bool is_reference(uint64_t address, ptx::Type type) const;

  // What a function pointer points to: null if nothing.
  const DecodedFunction* function_at(uint64_t address) const;

 private:
  friend class Decoder;
  void find_reachable(ptx::FunctionId entry);
  void lay_out_shared();

  std::shared_ptr<const ptx::Module> module_;
  const std::vector<uint64_t>& global_addresses_;
  ptx::FunctionId entry_;
  std::map<ptx::FunctionId, std::unique_ptr<DecodedFunction>> functions_;
  std::unordered_map<ptx::VariableId, uint32_t> shared_offsets_;
  uint32_t static_shared_bytes_ = 0;
};

// Decodes one function.
class Decoder {
 public:
  Decoder(Program& program, ptx::FunctionId id, DecodedFunction& out);
  void run();

  // --- for the families
  std::span<const ptx::Operand> operands(const ptx::Instruction& i) const { return function_.operands_of(i); }
  std::span<const ptx::Operand> elements(const ptx::Operand& operand) const { return function_.elements(operand); }
  const ptx::Module& module() const { return *program_.module_; }
  const ptx::Function& function() const { return function_; }
  DecodedFunction& out() { return out_; }

  // A source of the given type: register, constant (converted to the type), special register, address of a variable.
  Ref value(const ptx::Operand& operand, ptx::Type type = ptx::Type::kNone);
  // A destination register; none for `_`.
  Ref destination(const ptx::Operand& operand);
  // A predicate, as source or destination; `!p` is negated.
  Ref predicate(const ptx::Operand& operand);
  Ref constant(uint64_t bits);
  // The slot after a 128-bit register's low half.
  static Ref high_half(Ref ref) { return {ref.kind, ref.negated, ref.index + 1}; }
  bool is_predicate(const ptx::Operand& operand) const;
  // [base + offset]: base in source[0], offset in immediate. Space::kParam of formal parameters: see memory.cpp.
  void address(const ptx::Operand& operand, Op& op);
  // Puts the elements of a vector operand (or the one scalar) into `extra`.
  void vector(const ptx::Operand& operand, Op& op, bool is_destination, ptx::Type type);
  // Where a .param variable lies in the function's parameter space, or in the launch's parameter block (`of_entry`).
  uint32_t parameter_offset(ptx::VariableId variable, bool& of_entry) const;
  // True for .local variables, and for parameters of a .func whose address is taken: mov gives their address in .local
  // (PTX ISA, "Function Declarations and Definitions").
  bool in_local_memory(ptx::VariableId variable) const { return local_offsets_.contains(variable); }
  uint32_t local_offset(ptx::VariableId variable) const { return local_offsets_.at(variable); }
  DecodedFunction* callee(ptx::FunctionId id);

  // Marks the op as one that fails when executed. Always true, so that a family can return it.
  bool unsupported(Op& op, const ptx::Instruction& instruction, const std::string& why = {});

 private:
  void lay_out_variables();
  void lay_out_registers();
  void decode_instruction(const ptx::Instruction& instruction);

  Program& program_;
  ptx::FunctionId id_;
  const ptx::Function& function_;
  DecodedFunction& out_;
  std::vector<uint32_t> slots_;  // by RegisterId: slot or predicate index
  std::unordered_map<uint64_t, uint32_t> constants_;
  std::unordered_map<ptx::VariableId, uint32_t> parameter_offsets_, entry_offsets_, local_offsets_;
};

// The name under which devicelib/functions.def has the instruction: "add_rn_ftz_f32".
std::string devicelib_name(const ptx::Instruction& instruction);

// The families: each sets handler and operands, and returns false if the instruction is not its own.
using FamilyDecoder = bool (*)(Decoder& decoder, const ptx::Instruction& instruction, Op& op);
bool decode_devicelib(Decoder&, const ptx::Instruction&, Op&);  // everything that functions.def names
bool decode_integer(Decoder&, const ptx::Instruction&, Op&);
bool decode_compare(Decoder&, const ptx::Instruction&, Op&);
bool decode_convert(Decoder&, const ptx::Instruction&, Op&);
bool decode_move(Decoder&, const ptx::Instruction&, Op&);
bool decode_memory(Decoder&, const ptx::Instruction&, Op&);
bool decode_atomic(Decoder&, const ptx::Instruction&, Op&);
bool decode_video(Decoder&, const ptx::Instruction&, Op&);
bool decode_warp(Decoder&, const ptx::Instruction&, Op&);
bool decode_barrier(Decoder&, const ptx::Instruction&, Op&);
bool decode_matrix(Decoder&, const ptx::Instruction&, Op&);
bool decode_wmma(Decoder&, const ptx::Instruction&, Op&);
bool decode_texture(Decoder&, const ptx::Instruction&, Op&);
// What a call of a function that no module defines does (vprintf, malloc, ...); null if there is no such function.
Handler system_function(std::string_view name);
bool decode_surface(Decoder&, const ptx::Instruction&, Op&);
bool decode_control(Decoder&, const ptx::Instruction&, Op&);
bool decode_async(Decoder&, const ptx::Instruction&, Op&);

}  // namespace ww::sim
