#include "lower/passes.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include "lower/validator.h"

namespace ww::lower {
namespace {

struct Pass {
  const char* name;
  Status (*run)(PassContext& context);
};

// In order; each file says what its pass assumes and guarantees.
constexpr Pass kPasses[] = {
    {"promote", promote_registers},
    {"inline", inline_functions},
    {"pointers", recover_pointers},
    {"simplify", simplify},
    {"natural-loops", make_reducible},
    {"lane-wait", mark_lane_waits},
    {"canonical-nan", remove_canonical_nans},
    {"expand", expand_functions},
    {"devicelib", link_devicelib},
    {"optimize", optimize},
    {"reducible", make_reducible},
    {"tidy", tidy},
};

}  // namespace

void PassContext::run(llvm::FunctionPassManager& passes) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::PreservedAnalyses preserved = passes.run(function, function_analyses);
    function_analyses.invalidate(function, preserved);
  }
}

Status run_passes(llvm::Module& module, const Options& options, std::string_view last) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(call_graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, call_graph, modules);
  PassContext context{module, options, functions, modules};

#ifdef NDEBUG
  const bool validates = options.validate;
#else
  const bool validates = true;
#endif
  for (const Pass& pass : kPasses) {
    WW_TRY(pass.run(context));
    if (pass.name == last) break;
    if (!validates) continue;
    const bool is_last = &pass == std::end(kPasses) - 1;
    if (Status status = validate(module, is_last ? Stage::kFinal : Stage::kIntermediate); !status) {
      status.error().message = "after pass " + std::string(pass.name) + ": " + status.error().message;
      return status;
    }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream)) return runtime_error("lowering made illegal IR: " + text);
  return {};
}

}  // namespace ww::lower
