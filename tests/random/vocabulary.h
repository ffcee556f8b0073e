// The instruction forms that random programs are made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "coverage/forms.h"

namespace ww::programs {

// Forms of one opcode.
struct Word {
  ptx::Opcode opcode;
  std::vector<coverage::Form> forms;
};

struct Vocabulary {
  std::vector<Word> values;   // operands are registers and constants; no other lane matters
  std::vector<Word> carries;  // read or write the carry
  std::vector<Word> loads, stores, atomics;
  std::vector<Word> warp;      // shuffles, votes and the like with a mask
  std::vector<Word> matrices;  // mma
};

// Names of the forms that programs may hold: of those that an H200's answer is on record for (tests/coverage/h200.txt)
// all whose result the manual fixes and that are not in known_differences.txt.
std::vector<std::string> usable_forms(std::span<const std::string> recorded, std::span<const std::string> differing);

// The forms that the lines of a file name. Error: it can't be read, or the instruction table lacks one.
Result<Vocabulary> read_vocabulary(const std::string& path);

// The lines of a file without comments and empty ones; none if it cannot be read.
std::vector<std::string> lines_of(const std::string& path);

}  // namespace ww::programs
