// How the operands of forms whose operands are values may be written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/matcher.h"

namespace ww::coverage {

// Forms whose operands are values, not addresses.
bool is_value_form(const ptx::InstructionForm& row);

// Constants for an operand that must be one; none: no such operand is known.
std::vector<std::string> operand_constants(const ptx::OperandSpec& spec);

// Selectors of video operands, the whole register first.
std::vector<std::string> operand_selectors(std::string_view opcode, bool destination);

}  // namespace ww::coverage
