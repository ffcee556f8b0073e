// Runs the built command in a folder.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ww::testing {

struct Outcome {
  int exit = -1;  // -1: ended by a signal
  std::string output, errors;
  nlohmann::json report;     // of --json report.json, which is added to the arguments; null if there is none
  double cpu_seconds = 0.0;  // user and system time
};

// Runs `warpwave ARGUMENTS --json report.json` in `folder`; with `plain` without --json.
Outcome run_command(const std::string& folder, std::vector<std::string> arguments, bool plain = false);

// The same for a command that is sent `signal` as early as can be: it is pending from before the command begins.
// `ignored`: the command is started with the signal ignored, as nohup does.
Outcome interrupt_command(const std::string& folder, std::vector<std::string> arguments, int signal, bool ignored);

// The same for a command that is sent `signal` once `ready` says so, which is asked every few milliseconds.
Outcome interrupt_command_when(const std::string& folder, std::vector<std::string> arguments, int signal,
                               const std::function<bool()>& ready);

}  // namespace ww::testing
