// Runs the command under the conditions of a case.
#pragma once

#include <string>

#include "bad_input/case_table.h"

namespace ww::bad_input {

struct Outcome {
  std::string skipped;  // why the case can't run here; empty: it ran
  int exit = -1;        // -1: ended by a signal
  int signal = 0;
  bool timed_out = false;
  std::string errors;  // the standard error stream
};

// Runs `command` with the case's arguments and `--json report.json` in `folder`.
Outcome run_child(const Case& c, const std::string& command, const std::string& folder);

}  // namespace ww::bad_input
