// The instruction table's patterns, compiled, and the search of the forms that a written instruction can be.
//
// Compiled once, on first use. What is wrong with a pattern itself (a misspelt suffix) is listed by `table_faults`,
// which a test holds empty.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction_table.h"
#include "ptx/module.h"
#include "ptx/suffixes.h"

namespace ww::ptx {

struct PatternElement {
  std::vector<SuffixCode> alternatives;
  bool optional = false;
  bool holds_types = false;
};

enum class OperandShape : uint8_t {
  kScalar,
  kFixedVector,     // `count` elements; one element may be written without braces
  kModifierVector,  // scalar, or as .v2 .v4 .v8 says
  kPackedVector,    // elements whose widths add up to the type's
  kGeometryVector,  // texture coordinates
  kAnyVector,       // one element or more
  kAddress,         // [a]
  kBracketList,     // [a, b, ...]: `elements`
  kLabel,
  kTargets,
  kCall,
};

// What an operand asks of its registers besides the type.
enum class RegisterKind : uint8_t {
  kAny,
  kBits,            // .b32 alone
  kBitsOrHalves,    // .b32 or .f16x2
  kBitsOrIntegers,  // .b32, .u32 or .s32
};

struct OperandSpec {
  std::string_view name;
  OperandRole role = OperandRole::kSource;
  OperandShape shape = OperandShape::kScalar;
  int8_t type_index = -1;   // of Instruction::types
  Type type = Type::kNone;  // if type_index < 0; kNone: any type
  bool doubled = false;     // twice the width
  uint8_t count = 0;        // kFixedVector
  RegisterKind registers = RegisterKind::kAny;
  bool optional = false, sink = false, pair = false, pair_required = false, negatable = false, constant_only = false,
       register_only = false, address = false, relaxed = false, selector = false;
  std::vector<OperandSpec> elements;
};

struct CompiledForm {
  const InstructionForm* form = nullptr;
  std::vector<PatternElement> pattern;
  std::vector<OperandSpec> operands;
  unsigned least_operands = 0;
  bool any_operands = false;  // operands "..."
};

const CompiledForm& compiled_form(unsigned index);
// Indices in the table of all forms of an opcode.
std::span<const uint16_t> forms_of(Opcode opcode);
// One line a fault of the table's patterns; empty if all is well.
std::span<const std::string> table_faults();

// True if `suffixes` are those of the form.
bool matches(const CompiledForm& form, std::span<const SuffixCode> suffixes);

// Why no form of `opcode` has these suffixes.
struct SuffixMismatch {
  unsigned position = 0;  // index of the suffix that does not fit; suffixes.size(): one is missing
  std::string expected;   // what could stand there, in words
};
SuffixMismatch explain_mismatch(Opcode opcode, std::span<const SuffixCode> suffixes);

// True if `operands` (kinds and counts, not types) can be those of the form; `assigned` gets the spec of each operand.
bool match_operands(const CompiledForm& form, const Instruction& instruction, const Function& function,
                    std::span<const Operand> operands, std::vector<const OperandSpec*>& assigned);
// The same for one operand and one spec.
bool operand_fits(const OperandSpec& spec, const Instruction& instruction, const Function& function,
                  const Operand& operand);
// What the spec wants, in words: "a .f32 register or constant".
std::string expected_operand(const OperandSpec& spec, const Instruction& instruction);
// The type of an operand of the spec; kNone: any. Doubling is done.
Type operand_type(const OperandSpec& spec, const Instruction& instruction);
// Number of elements that a vector operand must have; 0: a scalar; kAnyCount: not fixed.
constexpr unsigned kAnyCount = ~0u;
unsigned vector_count(const OperandSpec& spec, const Instruction& instruction);

}  // namespace ww::ptx
