// What every subcommand shares: its result, its JSON report, and how it is put on the command line.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace ww::cli {

class TraceFile;

struct Context {
  std::string json_file;  // --json; empty: none
  bool quiet = false;     // --quiet: nothing but errors on the terminal
  bool verbose = false;   // --verbose: details, on the standard error stream

  // What goes into --json beside `status`, `exit` and `error`. A subcommand fills it as it learns things.
  nlohmann::ordered_json report = nlohmann::ordered_json::object();

  // Where the device's trace goes (--trace); null: nowhere. Closed by main once the subcommand has ended.
  std::shared_ptr<TraceFile> trace;

  // The chosen subcommand, set while the command line is read.
  std::function<Status()> run;
};

// Adds a subcommand with --json, --quiet, --verbose and an example under its --help. `run` is called once the whole
// command line has been read and fits. The caller adds its own options to what is returned.
CLI::App* add_command(CLI::App& app, Context& context, const std::string& name, const std::string& description,
                      const std::string& example, std::function<Status()> run);

// Prints a line of a result (stdout), unless --quiet.
void print(const Context& context, const std::string& line);

// Ends the command: prints the error if there is one, writes --json, and returns the exit status. If the report can't
// be written, that is the error. Once in a process; does not return if `cut_off` came first.
int finish(const Context& context, const std::optional<Error>& error);

// Ends a command that did not end in time: prints `error` and writes a report to `json_file` (empty: none). Runs beside
// the command's own thread, whose context and streams it leaves alone: the report holds status, exit and error only. If
// the command is just ending by itself, waits a moment for it instead.
void cut_off(const std::string& json_file, const Error& error);

// --json FILE as far as it can be seen without reading the command line properly, for errors in the command line
// itself.
std::string find_json_option(int argc, const char* const* argv);

}  // namespace ww::cli
