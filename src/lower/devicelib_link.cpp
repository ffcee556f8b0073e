// Links devicelib's lane-local functions from bitcode and inlines them.
//
// Assumes calls of ww_* by their declared names.
// Guarantees: no call of such a function remains, except of the names that a back end asked to keep. The bitcode was
// compiled without a target: its attributes name no processor.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "lower/devicelib_bitcode.h"
#include "lower/passes.h"

namespace ww::lower {
namespace {

bool uses_devicelib(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && function.getName().starts_with("ww_") && !function.use_empty()) return true;
  return false;
}

}  // namespace

Status link_devicelib(PassContext& context) {
  if (!uses_devicelib(context.module)) return {};
  const llvm::MemoryBufferRef buffer(devicelib_bitcode(), "devicelib");
  llvm::Expected<std::unique_ptr<llvm::Module>> source =
      llvm::getLazyBitcodeModule(buffer, context.module.getContext());
  if (!source) return runtime_error("devicelib's bitcode cannot be read: " + llvm::toString(source.takeError()));
  (*source)->setDataLayout(context.module.getDataLayout());
  (*source)->setTargetTriple(context.module.getTargetTriple());
  std::vector<llvm::GlobalValue*> internal;
  if (llvm::Linker::linkModules(context.module, std::move(*source), llvm::Linker::LinkOnlyNeeded))
    return runtime_error("devicelib's bitcode cannot be linked");
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration() || function.getSubprogram() != nullptr) continue;
    // What came from devicelib has no debug information; it takes that of the call.
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    for (const char* name : {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width", "frame-pointer",
                             "no-trapping-math", "stack-protector-buffer-size"})
      function.removeFnAttr(name);
  }
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(llvm::GlobalDCEPass());
  context.module_analyses.invalidate(context.module, passes.run(context.module, context.module_analyses));
  for (llvm::Function& function : context.module)
    if (!function.isDeclaration()) context.function_analyses.invalidate(function, llvm::PreservedAnalyses::none());
  return {};
}

}  // namespace ww::lower
