// Example lines of every form of the instruction table: the shortest one, and one for each alternative of each suffix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/suffixes.h"

namespace ww::ptx {

struct FormSample {
  uint16_t form = 0;  // in the instruction table
  std::string line;   // one instruction, with its `;`
};

// Lines use the declarations of `sample_prologue`.
std::vector<FormSample> form_samples(uint16_t form);
// The line of a form with these suffixes and no optional operands; not for forms with operands that the table does not
// know ("...").
std::string form_sample(uint16_t form, const std::vector<SuffixCode>& suffixes);
std::vector<FormSample> all_form_samples();
// The form with every two of its suffixes varied together, and with suffixes of the opcode's other forms in place of
// each: many of them are not legal.
std::vector<FormSample> crossed_samples(uint16_t form);

// ".version ... {": everything up to the first instruction; the kernel is closed by sample_epilogue().
std::string sample_prologue(const std::string& version, const std::string& target);
std::string sample_epilogue();

}  // namespace ww::ptx
