// What an H200 answered for all inputs of the approximate forms: h200_all_inputs.txt, as `input-probe record nvidia`
// writes it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ww::coverage {

// By the sweep's name: a hash for each chunk. Empty if the file is missing.
std::map<std::string, std::vector<uint64_t>> recorded_sweeps();

}  // namespace ww::coverage
