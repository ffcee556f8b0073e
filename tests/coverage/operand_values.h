// Operands for forms under test: special values against each other, then values that find rounding, cancellation,
// saturation and overflow, and arbitrary bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coverage/kernel_writer.h"

namespace ww::coverage {

// columns * threads words for the columns, from a generator seeded by `seed` (the form's name): the same on every
// machine, whatever other forms there are.
std::vector<uint64_t> operand_values(const std::vector<Column>& columns, const std::string& seed,
                                     uint32_t threads = kThreads);

}  // namespace ww::coverage
