// The passes of lowering, each a file of its own (passes.cpp names them in order).
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <string_view>

#include "base/result.h"
#include "lower/lower.h"

namespace ww::lower {

// What a pass works on. Analyses are kept between passes as far as LLVM's own passes preserve them.
struct PassContext {
  llvm::Module& module;
  const Options& options;
  llvm::FunctionAnalysisManager& function_analyses;
  llvm::ModuleAnalysisManager& module_analyses;

  // Runs LLVM function passes over every function with a body.
  void run(llvm::FunctionPassManager& passes);
};

Status promote_registers(PassContext& context);      // promote.cpp
Status inline_functions(PassContext& context);       // inline.cpp
Status recover_pointers(PassContext& context);       // pointers.cpp
Status simplify(PassContext& context);               // simplify.cpp
Status remove_canonical_nans(PassContext& context);  // canonical_nan.cpp
Status expand_functions(PassContext& context);       // expand.cpp
Status mark_lane_waits(PassContext& context);        // lane_wait.cpp
Status link_devicelib(PassContext& context);         // devicelib_link.cpp
Status optimize(PassContext& context);               // simplify.cpp
Status make_reducible(PassContext& context);         // reducible.cpp
Status tidy(PassContext& context);                   // tidy.cpp

// Runs all of them over a freshly emitted module, or those up to the one named `last`.
Status run_passes(llvm::Module& module, const Options& options, std::string_view last = {});

}  // namespace ww::lower
