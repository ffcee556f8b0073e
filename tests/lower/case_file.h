// Text cases of lowering: PTX with comments that say what the IR must look like.
//
//   // after: PASS        the IR after that pass (a name of src/lower/passes.cpp, or `emit`); default: after the last
//   // fast               fast numerics; default: exact
//   // ir: TEXT           the next line of the IR (in order) that contains TEXT
//   // ir-next: TEXT      the line right after the last one found
//   // ir-not: TEXT       no line between the neighbouring `ir` lines contains TEXT
//   // error: TEXT        lowering fails, and the message contains TEXT
//
// In TEXT, runs of blanks match any blanks, `{{RE}}` is a regular expression, `[[N:RE]]` one whose match is called N,
// and
// `[[N]]` that text again.
#pragma once

#include <string>
#include <vector>

namespace ww::lower_test {

struct Check {
  enum class Kind { kNext, kAnywhere, kNot };
  Kind kind{};
  std::string text;
  unsigned line = 0;  // in the case file
};

struct Case {
  std::string file, ptx, after;
  bool is_fast = false;
  std::string error;
  std::vector<Check> checks;
};

Case read_case(const std::string& file);

// Empty if the IR is as the checks say, else what is wrong.
std::string mismatch(const Case& test, const std::string& ir);

}  // namespace ww::lower_test
