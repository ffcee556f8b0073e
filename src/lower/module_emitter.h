// The LLVM module of one kernel while it is being emitted: its functions, globals, and what they share.
// Private to src/lower.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/lower.h"
#include "ptx/module.h"

namespace ww::lower {

class ModuleEmitter {
 public:
  ModuleEmitter(const ptx::Module& ptx, const ptx::Function& kernel, llvm::LLVMContext& context,
                const Options& options);

  // Emits the kernel and every function it can reach.
  Status run();

  const ptx::Module& ptx;
  const ptx::Function& kernel;
  llvm::LLVMContext& context;
  const Options& options;
  std::unique_ptr<llvm::Module> llvm;

  // A function with a body, emitted later if it was not yet. Errors if it has none.
  Result<llvm::Function*> function(ptx::FunctionId id);
  // The signature that a PTX function has in LLVM.
  llvm::FunctionType* signature(const std::vector<ptx::VariableId>& returns,
                                const std::vector<ptx::VariableId>& parameters) const;
  // A module variable (or a .global, .const or .shared variable of a function's scope).
  llvm::GlobalVariable* variable(ptx::VariableId id);
  // Functions whose address is taken anywhere in the module.
  const std::vector<ptx::FunctionId>& address_taken();

  llvm::Function* intrinsic(const std::string& name, llvm::FunctionType* type);
  // Null if there is no function of this name.
  llvm::Function* devicelib(const std::string& name);

  llvm::DISubprogram* debug_scope(llvm::Function* function, const ptx::Function& source);

 private:
  llvm::DIBuilder debug_;
  llvm::DIFile* debug_file_ = nullptr;
  std::map<ptx::FunctionId, llvm::Function*> functions_;
  std::vector<ptx::FunctionId> pending_;
  std::map<ptx::VariableId, llvm::GlobalVariable*> variables_;
  std::vector<ptx::FunctionId> address_taken_;
  bool address_taken_known_ = false;
};

// Offset of a kernel parameter in the kernel's parameter block (each at its natural alignment, in order).
uint64_t parameter_offset(const ptx::Module& module, const ptx::Function& kernel, ptx::VariableId parameter);

// LLVM's number of a PTX state space (docs/lower-ir.md).
unsigned address_space(ptx::Space space);

// True for `.b8 x[N]` and whatever else does not travel in one register.
bool travels_in_memory(const ptx::Variable& variable);

}  // namespace ww::lower
