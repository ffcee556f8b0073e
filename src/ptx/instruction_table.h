// The one table of PTX instructions: what may be written, with which types and operands, since which PTX version and
// SM. It drives the parser's checks, the verifier, docs/instructions.md and the tests.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/types.h"

namespace ww::ptx {

enum class InstructionClass : uint8_t {
  kInteger,
  kCarry,
  kFloat,
  kHalf,
  kComparison,
  kLogic,
  kConversion,
  kMove,
  kMemory,
  kAtomic,
  kWarp,
  kBarrier,
  kMatrix,
  kTexture,
  kSurface,
  kControl,
  kVideo,
  kAsyncCopy,
  kCluster,
  kMiscellaneous,
};

// How an operand position is used.
enum class OperandRole : uint8_t { kDestination, kSource, kSourceDestination, kAddress, kLabel, kImmediate };

// One row: an opcode with a pattern of modifiers and types and the operand list, written in the manual's own notation.
struct InstructionForm {
  Opcode opcode;
  InstructionClass instruction_class;
  std::string_view pattern;   // ".rnd?.ftz?.sat?.f32", in the notation that instruction_table.cpp explains
  std::string_view operands;  // "d:f32, a:f32, b:f32"
  uint16_t first_version;     // PTX version times ten
  uint16_t first_sm;
  char sm_suffix;  // 'a' where only the architecture-specific target has it, else 0
};

std::span<const InstructionForm> instruction_table();

}  // namespace ww::ptx
