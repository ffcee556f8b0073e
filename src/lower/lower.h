// PTX kernel to per-lane LLVM IR (docs/lower-ir.md is the contract).
#pragma once

#include <memory>

#include "base/result.h"
#include "ptx/module.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace ww::lower {

// The address of a device function as a program sees it: what a table of function pointers holds, and what an indirect
// call is given. Devices write it where an initialiser of a variable names a function.
constexpr uint64_t function_address(ptx::FunctionId id) {
  return (uint64_t(id) + 1) * 16;
}

enum class Numerics : uint8_t { kExact, kFast };

struct Options {
  Numerics numerics = Numerics::kExact;
  bool validate = false;  // run the validator between passes (debug builds always do)
};

// Lowers `kernel` of a verified module, with every function it can reach. A legal instruction that is not supported is
// an error of kind kUnsupported that names instruction, line and kernel. The result passes llvm::verifyModule.
Result<std::unique_ptr<llvm::Module>> lower_kernel(const ptx::Module& module, const ptx::Function& kernel,
                                                   llvm::LLVMContext& context, const Options& options);

}  // namespace ww::lower
