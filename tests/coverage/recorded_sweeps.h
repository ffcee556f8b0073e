// What an H200 answered for all inputs of the approximate forms: h200_all_inputs.txt, as `input-probe record nvidia`
// writes it, and h200_approximate.txt, as `input-probe errors` does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coverage/approximate_error.h"

namespace ww::coverage {

// By the sweep's name: a hash for each chunk. Empty if the file is missing.
std::map<std::string, std::vector<uint64_t>> recorded_sweeps();

// The largest error of a form over all inputs, as h200_approximate.txt has it: a line is
//   form, unit, range of |operand| ("low..high", "^" before it: what is outside), largest error, the input that has it
//   in hexadecimal, the manual's bound
struct RecordedError {
  std::string form;
  ErrorBound bound;
  double largest = 0;
  uint32_t input = 0;
};

std::string line_of(const RecordedError& error);
// In the file's order. Empty if the file is missing.
std::vector<RecordedError> recorded_errors();

}  // namespace ww::coverage
