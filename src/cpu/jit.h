// From vectorised IR to machine code in memory.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cpu/host_level.h"
#include "cpu/warp_context.h"

namespace llvm {
class Module;
}

namespace ww::cpu {

// Holds compiled code; it lives as long as this object. Thread safe: kernels may be compiled side by side, each module
// in a context of its own.
class Jit {
 public:
  static Result<std::unique_ptr<Jit>> create(const HostLevel& level);
  ~Jit();

  // Optimises the module, generates code for the level (and nothing above it), links it against the runtime table.
  Result<WarpKernel> compile(llvm::Module& module, const std::string& symbol);

  // The assembly of the module, for tests and reports. Changes the module as `compile` does.
  Result<std::string> assembly(llvm::Module& module);

  const HostLevel& level() const { return level_; }

 private:
  struct State;
  Jit(const HostLevel& level, std::unique_ptr<State> state);

  const HostLevel& level_;
  std::unique_ptr<State> state_;
};

}  // namespace ww::cpu
