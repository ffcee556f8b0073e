// State and helpers that the emission files share (vectorize_*.cpp, memory.cpp, cross_lane.cpp). Private to src/cpu.
//
// A value of the per-lane function becomes one scalar if it is uniform or a row (lane_steps.h), else `strips` vectors
// of `lanes` elements. Structs and small vectors are taken apart: each of their fields is held on its own. Pointers are
// integers: 64 bits for host addresses, 32 for offsets into shared memory and into the window of local memory. half is
// i16.
//
// Values that live across blocks of which one is parted (divergence.h) go through slots: allocas that mem2reg dissolves
// afterwards. A parted block runs only if its pending mask is not empty, so slots need no blending, except those of
// phis.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "cpu/divergence.h"
#include "cpu/lane_steps.h"
#include "cpu/vectorize.h"
#include "cpu/warp_context.h"

namespace ww::cpu {

constexpr int kUniformStrip = -1;  // as a strip's number: the scalar of a uniform value, or lane 0 of a row

// What functions of one module share.
struct ModuleState {
  llvm::Module& module;
  const llvm::DataLayout layout;  // of the per-lane code; the module's own is the host's by now
  const VectorizeOptions& options;
  std::map<const llvm::GlobalVariable*, uint32_t> shared_offsets;
  uint32_t static_shared = 0;
  std::map<const llvm::Function*, llvm::Function*> functions;  // per-lane: vectorised
  bool waits = false;
  bool lane_stacks = false;
  uint64_t stack_bytes = 0;
  uint32_t lane_wait_line = 0;  // where lanes of a warp wait for each other (lane_mode.h)
  bool by_lanes = false;        // because of it, the code runs for one lane at a time
};

class FunctionVectorizer {
 public:
  FunctionVectorizer(ModuleState& state, llvm::Function& source, llvm::Function& target, bool is_kernel);

  Status run();

 private:
  using Value = llvm::Value;
  using Type = llvm::Type;
  using Instruction = llvm::Instruction;
  using BasicBlock = llvm::BasicBlock;

  struct Held {
    std::array<Value*, 8> strip{};
  };
  using Key = std::pair<const Value*, unsigned>;

  // --- types (vectorize_values.cpp)
  Type* element(Type* type) const;                      // as it is emitted: pointers and half are integers
  static unsigned field_count(Type* type);              // of structs and vectors; 1 for scalars, 0 for void
  static Type* field_type(Type* type, unsigned field);  // in the source
  Type* at(Type* scalar, int strip) const;              // `scalar`, or a vector of it
  llvm::FixedVectorType* vector_of(Type* scalar) const;

  // --- values (vectorize_values.cpp)
  bool varying(const Value* value) const { return divergence_.varying(value); }
  // Held as vectors, rather than as one scalar.
  bool in_strips(const Value* value) const { return varying(value) && !steps_.step(value); }
  // The value of an operand in one strip (a scalar one is spread), or its scalar.
  Value* get(const Value* value, int strip, unsigned field = 0);
  void set(const Value* value, int strip, Value* emitted, unsigned field = 0);
  Value* scalar_constant(const Value* value, unsigned field);
  Value* splat(Value* scalar) { return builder_.CreateVectorSplat(lanes_, scalar); }
  bool needs_slot(const Instruction& instruction) const;
  bool is_long_lived(const Value* value) const;
  llvm::AllocaInst* slot(const Value* value, unsigned field, int strip);
  Type* slot_type(Type* emitted) const;
  Value* to_slot(Value* value);
  Value* from_slot(Value* value, Type* emitted);
  // Lane numbers of a strip, as <lanes x i32>.
  llvm::Constant* lane_numbers(int strip) const;
  Value* context_field(size_t offset, Type* type);

  // --- masks (vectorize_masks.cpp)
  // Lanes for which the current block runs: 32 bits; a constant where all do.
  Value* mask_bits() { return mask_; }
  bool mask_is_full() const { return llvm::isa<llvm::Constant>(mask_); }
  // The mask of a strip as <lanes x i1>; null where all lanes run.
  Value* mask_strip(int strip);
  Value* expand(Value* bits, int strip);
  // 32 bits, one a lane, of a condition; inactive lanes have any value.
  Value* bits_of(const Value* condition, unsigned field = 0);
  Value* pack_bits(llvm::ArrayRef<Value*> strips);
  Value* any_lane_set(Value* vector_of_i1);

  // --- control (vectorize_control.cpp)
  Status emit_block(BasicBlock& block);
  bool costs_little(const BasicBlock& block) const;
  Status emit_terminator(BasicBlock& block);
  void emit_edge(BasicBlock& from, BasicBlock& to, Value* edge_mask, bool is_partial);
  void read_edge(BasicBlock& from, BasicBlock& to, std::vector<std::pair<llvm::PHINode*, Held>>& values,
                 unsigned field);
  bool edge_needs_blend(BasicBlock& from, BasicBlock& to) const;
  void add_pending(BasicBlock& block, Value* mask);
  void leave_parted(BasicBlock& block);
  BasicBlock* entry_of(BasicBlock& block) { return entries_.lookup(&block); }

  // --- instructions (vectorize_*.cpp)
  bool breaks_segment(llvm::ArrayRef<Instruction*> segment, const Instruction& next) const;
  bool is_whole(const Instruction& instruction) const;
  Status emit_segment(llvm::ArrayRef<Instruction*> instructions);
  Status emit_instruction(Instruction& instruction, int strip);
  Status emit_whole(Instruction& instruction);
  Status unsupported(const Instruction& instruction, const std::string& why = {}) const;
  uint32_t line_of(const Instruction& instruction) const;

  Status emit_binary(llvm::BinaryOperator& operation, int strip);
  Value* integer_division(unsigned opcode, Value* a, Value* b, int strip);
  Value* compare(llvm::CmpInst& comparison, int strip);
  Status emit_cast(llvm::CastInst& cast, int strip);
  Status emit_intrinsic(llvm::IntrinsicInst& call, int strip);
  Status emit_gep(llvm::GetElementPtrInst& gep, int strip);
  Value* routine(llvm::StringRef name, Type* result, llvm::ArrayRef<Value*> arguments,
                 const std::function<Value*(llvm::ArrayRef<Value*>)>& make,
                 llvm::MemoryEffects effects = llvm::MemoryEffects::none());
  Value* half_to_float(Value* bits);
  Value* software_half_to_float(Value* bits);
  Value* software_float_to_half(Value* value);
  Value* half_fused_multiply_add(llvm::ArrayRef<Value*> operands);
  Value* software_fused_multiply_add(Value* a, Value* b, Value* c);
  Value* float_to_half(Value* value);
  Value* double_to_half(Value* value);
  Value* fused_multiply_add(Value* a, Value* b, Value* c);

  // --- memory (memory.cpp)
  struct Address {
    Value* base = nullptr;    // i64, uniform; null: none
    Value* offset = nullptr;  // i64, or i32 (unsigned) behind a base; scalar or vector
  };
  Address address_of(const Value* pointer, int strip);
  Value* host_address(const Address& address);  // i64
  Value* host_pointer(Value* address) { return builder_.CreateIntToPtr(address, builder_.getPtrTy()); }
  Value* space_base(unsigned address_space);
  Status emit_alloca(llvm::AllocaInst& allocation);
  Status emit_load(llvm::LoadInst& load, int strip);
  Status emit_store(llvm::StoreInst& store, int strip);
  Status emit_uniform_store(llvm::StoreInst& store);
  Value* known_consecutive(bool is_consecutive, Value* mask, bool need_all);
  Address row_start(const Value* pointer, int64_t step, int strip);
  Value* consecutive(const Address& address, unsigned stride, Value* mask, bool need_all);
  // `like`: the access whose order and volatility each lane's own has; null: lanes may be taken together.
  Value* gather(Type* type, const Address& address, uint64_t extra, Value* mask, const llvm::LoadInst* like);
  void scatter(Value* value, const Address& address, uint64_t extra, Value* mask, const llvm::StoreInst* like);
  llvm::SmallVector<Value*, 4> deinterleave(llvm::ArrayRef<Value*> loaded);
  llvm::SmallVector<Value*, 4> interleave(llvm::ArrayRef<Value*> fields);
  llvm::SmallVector<Value*, 4> choose(Value* condition, const std::function<llvm::SmallVector<Value*, 4>()>& likely,
                                      const std::function<llvm::SmallVector<Value*, 4>()>& unlikely);
  Status emit_atomic(Instruction& instruction);

  // --- across lanes (cross_lane.cpp)
  Value* scratch(uint64_t offset);                                      // a place in the function's scratch memory
  uint64_t spill(const Value* value, unsigned field, uint64_t offset);  // returns the offset behind it
  Value* reload(Type* emitted, uint64_t offset, int strip);
  Status emit_warp_call(llvm::CallInst& call);
  Status emit_machine_call(llvm::CallInst& call, llvm::StringRef name, bool meets = false, Value* first = nullptr);
  Status emit_meeting(llvm::CallInst& call, Value* function, uint64_t results_at, Value* first);
  Status emit_mma(llvm::CallInst& call, llvm::StringRef name);
  uint64_t new_home(uint64_t bytes);
  uint64_t spill_all(llvm::ArrayRef<Value*> values, uint64_t offset);
  Status emit_shuffle(llvm::CallInst& call, llvm::StringRef kind);
  Status emit_vote(llvm::CallInst& call, llvm::StringRef kind);
  bool emit_register_call(llvm::CallInst& call, llvm::StringRef name);
  Value* thread_index(unsigned axis, int strip);
  void set_whole(Instruction& instruction, unsigned field, const std::function<Value*(int strip)>& make);

  // --- calls (vectorize_calls.cpp)
  Status emit_call(llvm::CallInst& call);
  void load_arguments();
  void emit_return(llvm::ReturnInst& instruction);

  ModuleState& state_;
  llvm::Function& source_;
  llvm::Function& target_;
  const bool is_kernel_;
  const HostLevel& level_;
  const unsigned lanes_, strips_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  Divergence divergence_;
  LaneSteps steps_;
  llvm::IRBuilder<> builder_;
  BasicBlock* entry_ = nullptr;  // allocas and context fields
  Value* context_ = nullptr;
  Value* start_mask_ = nullptr;          // lanes that the function runs for
  Value* mask_ = nullptr;                // of the current block
  bool may_be_empty_ = false;            // the current block runs even if no lane does
  std::array<Value*, 8> mask_strips_{};  // expanded, of the current block
  BasicBlock* current_ = nullptr;        // source block being emitted
  llvm::DenseMap<const BasicBlock*, BasicBlock*> entries_, bodies_;
  llvm::DenseMap<const BasicBlock*, llvm::AllocaInst*> pending_;
  llvm::DenseMap<Key, Held> now_, direct_, splats_;
  llvm::DenseMap<Key, std::array<llvm::AllocaInst*, 8>> slots_;
  std::vector<llvm::AllocaInst*> kept_in_memory_;  // slots that are not worth a register
  std::map<size_t, Value*> context_fields_;
  // Of the current block: where in scratch memory fragments and results of matrix steps lie.
  std::map<std::vector<Value*>, uint64_t> fragment_homes_;
  std::map<const Value*, uint64_t> result_homes_;
  uint64_t homes_end_ = 0;
  llvm::AllocaInst* scratch_ = nullptr;
  uint64_t scratch_bytes_ = 0;
};

}  // namespace ww::cpu
