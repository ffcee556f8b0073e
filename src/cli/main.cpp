// The `warpwave` command: reads the command line, runs one subcommand, reports. docs/command.md is its description.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <optional>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupt.h"
#include "cli/log_sink.h"
#include "cli/trace_file.h"

namespace {

using ww::Error;
using ww::cli::Context;

constexpr const char* kVersion = "warpwave 0.1.0";

// What is wrong with the command line, in one sentence and a remedy.
Error usage_of(const CLI::App& app, const CLI::ParseError& problem) {
  std::string command = "warpwave";
  for (const CLI::App* chosen : app.get_subcommands()) command += " " + chosen->get_name();
  std::string message = problem.what();
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  return ww::usage_error(message, "See `" + command + " --help`");
}

// The first word if it should be a subcommand and is none.
std::optional<Error> unknown_subcommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::string known;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == argv[1]) return std::nullopt;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  Error error = ww::usage_error("unknown subcommand", "See `warpwave --help`");
  error.found = "`" + std::string(argv[1]) + "`";
  error.expected = "one of " + known;
  return error;
}

// Exceptions of the libraries that the command itself uses end here.
ww::Status run_guarded(const Context& context) {
  try {
    return context.run();
  } catch (const std::bad_alloc&) {
    return ww::runtime_error("out of memory", "Use smaller inputs, or free some memory");
  } catch (const std::exception& problem) {
    return ww::runtime_error(std::string("unexpected failure: ") + problem.what(),
                             "Please report it with the command line");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Context context;
  context.json_file = ww::cli::find_json_option(argc, argv);
  ww::cli::watch_for_interrupt(
      [json_file = context.json_file] { ww::cli::cut_off(json_file, ww::cli::interrupted_error()); });

  CLI::App app("Runs neural rendering programs written for NVIDIA GPUs on other processors.", "warpwave");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.footer("Example:\n  warpwave devices\n\nEach subcommand has --help with an example.");
#define WW_COMMAND(name) ww::cli::add_##name(app, context);
#include "cli/commands.def"
#undef WW_COMMAND

  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  if (const auto error = unknown_subcommand(app, argc, argv)) return ww::cli::finish(context, error);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answered) {  // --help, --version
    return app.exit(answered);
  } catch (const CLI::ParseError& problem) {
    return ww::cli::finish(context, usage_of(app, problem));
  }
  ww::cli::install_log_sink(context.quiet, context.verbose);
  ww::Status status = run_guarded(context);
  // After an error, too: what led to a fault is what a trace is for.
  if (context.trace != nullptr) {
    if (const ww::Status traced = context.trace->finish(); status.ok()) status = traced;
  }
  ww::set_log_sink({});
  return ww::cli::finish(context, status.ok() ? std::nullopt : std::optional<Error>(status.error()));
}
