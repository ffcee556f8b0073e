#include "lower/compile_library.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "lower/lower.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::lower {

static Result<std::string> emit_ir(std::string ptx, const std::string& file, const std::string& kernel, bool fast) {
  WW_ASSIGN(const std::shared_ptr<const ptx::Module> module, ptx::parse(std::move(ptx), file));
  WW_TRY(ptx::verify(*module));
  Options options;
  options.numerics = fast ? Numerics::kFast : Numerics::kExact;
  options.validate = true;
  std::string text, entries;
  bool found = false;
  for (const ptx::Function& function : module->functions) {
    if (!function.is_entry || function.is_declaration) continue;
    entries += (entries.empty() ? "" : ", ") + std::string(function.name);
    if (!kernel.empty() && function.name != kernel) continue;
    found = true;
    llvm::LLVMContext context;
    WW_ASSIGN(const std::unique_ptr<llvm::Module> lowered, lower_kernel(*module, function, context, options));
    llvm::raw_string_ostream stream(text);
    lowered->print(stream, nullptr);
  }
  if (!found && !kernel.empty()) {
    Error error = usage_error("no such kernel in the module");
    error.file = file;
    error.found = kernel;
    error.expected = entries.empty() ? "a module with entries" : "one of " + entries;
    return error;
  }
  return text;
}

}  // namespace ww::lower

extern "C" __attribute__((visibility("default"))) const ww::lower::CompileLibrary* warpwave_compile() {
  static const ww::lower::CompileLibrary library{ww::lower::emit_ir};
  return &library;
}
