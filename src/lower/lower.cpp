#include "lower/lower.h"

#include <llvm/IR/Module.h>

#include "lower/module_emitter.h"
#include "lower/passes.h"

namespace ww::lower {

Result<std::unique_ptr<llvm::Module>> lower_kernel(const ptx::Module& module, const ptx::Function& kernel,
                                                   llvm::LLVMContext& context, const Options& options) {
  ModuleEmitter emitter(module, kernel, context, options);
  WW_TRY(emitter.run());
  WW_TRY(run_passes(*emitter.llvm, options));
  return std::move(emitter.llvm);
}

}  // namespace ww::lower
