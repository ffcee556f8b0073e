#include "cli/context.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>
#include <utility>

#include "base/files.h"

namespace ww::cli {
namespace {

nlohmann::ordered_json json_of(const Error& error) {
  nlohmann::ordered_json json;
  const auto text = [](const std::string& s) {
    return s.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(s);
  };
  const auto number = [](uint32_t n) { return n == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(n); };
  json["message"] = error.message;
  json["file"] = text(error.file);
  json["line"] = number(error.line);
  json["column"] = number(error.column);
  json["kernel"] = text(error.kernel);
  json["found"] = text(error.found);
  json["expected"] = text(error.expected);
  json["fix"] = text(error.fix);
  return json;
}

// Who of the command and the interrupt ends the process: the first to set it.
std::atomic<bool> g_ended{false};

Status write_report(const std::string& json_file, const nlohmann::ordered_json& parts,
                    const std::optional<Error>& error, int exit) {
  nlohmann::ordered_json json;
  json["status"] = error ? "error" : "ok";
  json["exit"] = exit;
  json["error"] = error ? json_of(*error) : nlohmann::ordered_json(nullptr);
  for (const auto& [key, value] : parts.items()) json[key] = value;
  // A path in an error need not be UTF-8; a report is written all the same.
  return write_file(json_file, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void print_error(const Error& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "warpwave: %s\n", error.to_string().c_str());
}

}  // namespace

CLI::App* add_command(CLI::App& app, Context& context, const std::string& name, const std::string& description,
                      const std::string& example, std::function<Status()> run) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("Example:\n  " + example);
  command->add_option("--json", context.json_file, "Write a report to this file, also when the command fails")
      ->type_name("FILE");
  command->add_flag("--quiet", context.quiet, "Print nothing but errors");
  command->add_flag("--verbose", context.verbose, "Print more details");
  command->callback([&context, run = std::move(run)] { context.run = run; });
  return command;
}

void print(const Context& context, const std::string& line) {
  if (!context.quiet) std::printf("%s\n", line.c_str());
}

int finish(const Context& context, const std::optional<Error>& error) {
  if (g_ended.exchange(true)) {
    for (;;) ::pause();  // the process is gone in a moment
  }
  std::optional<Error> final_error = error;
  if (!final_error && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
    final_error =
        runtime_error("cannot write to the standard output stream", "Free some space, or redirect it to another disk");
  }
  if (final_error) print_error(*final_error);
  int exit = final_error ? exit_status(final_error->kind) : 0;
  if (context.json_file.empty()) return exit;
  if (const Status written = write_report(context.json_file, context.report, final_error, exit); !written.ok()) {
    print_error(written.error());
    if (exit == 0) exit = exit_status(written.error().kind);
  }
  return exit;
}

void cut_off(const std::string& json_file, const Error& error) {
  if (g_ended.exchange(true)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return;
  }
  // Not through stdio, whose locks the command's thread may hold for ever, at a full pipe for instance.
  const std::string line = "warpwave: " + error.to_string() + "\n";
  [[maybe_unused]] const ssize_t printed = ::write(STDERR_FILENO, line.data(), line.size());
  if (!json_file.empty()) [[maybe_unused]]
    const Status written = write_report(json_file, nlohmann::ordered_json::object(), error, exit_status(error.kind));
}

std::string find_json_option(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--json";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == kOption && i + 1 < argc) return argv[i + 1];
    if (argument.starts_with(kOption) && argument.size() > kOption.size() && argument[kOption.size()] == '=')
      return std::string(argument.substr(kOption.size() + 1));
  }
  return {};
}

}  // namespace ww::cli
