// A PTX function decoded for interpretation: one Op an instruction, operands resolved to places, handler chosen.
//
// Decoding happens once a module, after its variables have addresses. Execution then needs no table look-ups: an Op
// holds a function that works on the 32 lanes of a warp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace ww::sim {

class Warp;
struct Op;
struct DecodedFunction;

constexpr unsigned kLanes = 32;
constexpr uint32_t kFullMask = 0xffffffffu;
constexpr uint32_t kNone = 0xffffffffu;

// The values of one register in the 32 lanes. Narrow values stand in the low bits; the rest is arbitrary.
struct alignas(64) LaneValues : std::array<uint64_t, kLanes> {};

// Where an operand lives.
enum class RefKind : uint8_t {
  kNone,       // `_`, or absent
  kRegister,   // index of a value slot in the frame
  kPredicate,  // index of a predicate in the frame
  kConstant,   // index in DecodedFunction::constants
  kSpecial,    // a warp's vector: SpecialVector
  kLocalBase,  // where this frame's local variables begin
};

struct Ref {
  RefKind kind = RefKind::kNone;
  bool negated = false;  // predicates
  uint32_t index = 0;
  explicit operator bool() const { return kind != RefKind::kNone; }
};

// What the warp's loop has to do beyond calling the handler.
enum class OpKind : uint8_t {
  kPlain,        // handler computes lane by lane
  kBranch,       // target
  kBranchTable,  // brx.idx: extra[first_extra ...] are constants holding targets
  kCall,
  kReturn,
  kExit,
  kWarpSync,     // handler runs once all lanes of the member mask have arrived (operand `members`)
  kBarrier,      // block barrier: handler is not used; see barrier.cpp
  kClusterWait,  // barrier.cluster.wait: the handler may stop lanes
  kYield,        // a hint that another warp should run (nanosleep)
  kUnsupported,
};

// Runs an instruction for the lanes in `mask` (never empty). Faults are reported with Warp::fault.
using Handler = void (*)(Warp& warp, const Op& op, uint32_t mask);

struct CallSite {
  const DecodedFunction* callee = nullptr;  // null: indirect, by `target`
  Ref target;
  struct Argument {
    Ref value;                // register or constant argument
    uint32_t offset = kNone;  // or offset of the caller's .param variable in its frame
    uint32_t bytes = 0;
  };
  std::vector<Argument> arguments, results;
};

struct Op {
  Handler handler = nullptr;
  Handler inner = nullptr;  // what a wrapping handler calls first
  OpKind kind = OpKind::kPlain;
  bool guard_negated = false;
  uint8_t bytes = 0;         // of one element of a memory access
  uint8_t elements = 1;      // of a vector access, registers of a fragment
  bool sign_extend = false;  // a signed narrow load
  bool flag = false;         // a modifier that the family defines
  ptx::Space space = ptx::Space::kNone;
  uint32_t guard = kNone;   // predicate index
  Ref destination, second;  // second: the predicate of d|p
  std::array<Ref, 5> source;
  Ref members;               // member mask of a warp-wide instruction
  uint32_t first_extra = 0;  // further operands (vectors), in DecodedFunction::extra
  uint32_t extra_count = 0;
  uint32_t target = 0;    // of a branch
  int64_t immediate = 0;  // address offset, look-up table, or what the family defines
  uint32_t detail = 0;    // index of a family's own description (call site, matrix shape)
  const ptx::Instruction* instruction = nullptr;
};

struct DecodedFunction {
  const ptx::Module* module = nullptr;
  const ptx::Function* function = nullptr;
  std::vector<Op> ops;  // ends with an implicit return
  std::deque<LaneValues> constants;
  std::vector<Ref> extra;
  std::vector<CallSite> calls;
  std::deque<std::string> messages;  // of unsupported instructions, by Op::detail
  uint32_t slots = 0, predicates = 0;
  std::vector<uint8_t> slot_bytes;  // of the register that a slot belongs to
  uint32_t parameter_bytes = 0;     // of .param variables, formal and declared in the body
  uint32_t local_bytes = 0;         // of .local variables
  uint32_t local_alignment = 16;
  uint32_t shared_bytes = 0;                             // static shared memory of an entry, callees included
  std::vector<uint32_t> formal_offsets, return_offsets;  // in parameter space; kNone: a .reg parameter
  std::vector<uint32_t> formal_bytes, return_bytes;
  // Offset in local memory of a formal parameter whose address the body takes (it lives there, not in parameter space);
  // else kNone.
  std::vector<uint32_t> formal_locals;
  std::vector<Ref> formal_registers, return_registers;  // of .reg parameters
  std::vector<uint32_t> entry_offsets;                  // entry: offsets in the launch's parameter block
  uint32_t entry_bytes = 0;
  bool decoded = false;
};

}  // namespace ww::sim
