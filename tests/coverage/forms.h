// The forms of PTX instructions: every choice of suffixes that changes what an instruction does, made from the
// instruction table.
//
// Cache operators, eviction priorities and prefetch sizes are hints and make no forms of their own where they may be
// left out; nor do kinds of operands. Two rows of the table with the same suffixes (another list of operands) make two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/matcher.h"

namespace ww::coverage {

struct Form {
  std::string name;  // unique: "add.rn.ftz.f32"; with the operands' names where rows share suffixes: "mov.b32 d{},a"
  uint16_t row = 0;  // in the instruction table
  std::vector<ptx::SuffixCode> suffixes;
  bool checked = true;  // false: its kernel holds also what the verifier refuses, to ask an assembler about it

  const ptx::CompiledForm& compiled() const { return ptx::compiled_form(row); }
};

// "add.rn.ftz.f32": opcode and suffixes, without operands.
std::string spelling(const Form& form);

// Whether the PTX manual bounds the form's error instead of defining its result (`.approx`, `.full`).
bool is_approximate(const Form& form);

// Of the instruction table.
enum class Rows : uint8_t {
  kHopper,  // for sm_50 to sm_90, with operands that the table knows
  kOther,   // of other chips: sm_90a, sm_100 and newer
};

// All choices that the rows' patterns give, in the table's order; what the verifier refuses is still among them.
std::vector<Form> written_forms(Rows rows = Rows::kHopper);

// "" if the instruction is legal for PTX 9.0 and sm_90, else the first error. `variables` stand in the module,
// `declarations` before the line. The kernel has parameters `in` and `out` (.u64) and `block` (16 bytes).
std::string refusal(const std::string& variables, const std::string& declarations, const std::string& line);

}  // namespace ww::coverage
