// warpwave compile: what a module's kernels become.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "device/registry.h"
#include "lower/compile_library.h"

namespace ww::cli {
namespace {

struct CompileOptions {
  std::string input, output, entry;
  std::string emit = "ir";
  std::string numerics = "exact";
};

Status run_compile(Context& context, const CompileOptions& options) {
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(options.input));
  WW_ASSIGN(void* function, find_library_function("compile", lower::kCompileSymbol));
  const lower::CompileLibrary* library = reinterpret_cast<lower::CompileFunction>(function)();
  WW_ASSIGN(const std::string text, library->emit_ir(std::string(bytes.begin(), bytes.end()), options.input,
                                                     options.entry, options.numerics == "fast"));
  context.report["bytes"] = text.size();
  if (!options.output.empty()) return write_file(options.output, text);
  print(context, text);
  return {};
}

}  // namespace

void add_compile(CLI::App& app, Context& context) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* command = add_command(app, context, "compile", "What a module's kernels become",
                                  "warpwave compile kernels.ptx --entry saxpy --emit ir -o saxpy.ll",
                                  [&context, options] { return run_compile(context, *options); });
  command->add_option("module", options->input, "PTX text")->required()->type_name("FILE");
  command->add_option("--entry", options->entry, "One kernel; all of them if left out")->type_name("NAME");
  command->add_option("--emit", options->emit, "ir: the per-lane LLVM IR that every back end starts from")
      ->check(CLI::IsMember({"ir"}))
      ->capture_default_str();
  command->add_option("--numerics", options->numerics, "exact or fast")
      ->check(CLI::IsMember({"exact", "fast"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Where to; printed if left out")->type_name("FILE");
}

}  // namespace ww::cli
