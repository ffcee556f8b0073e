// Runs per-lane IR, written as text, on the cpu device's vectoriser and scheduler.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cpu/jit.h"
#include "cpu/scheduler.h"
#include "cpu/vectorize.h"

namespace ww::cpu {

// The levels that this processor has.
std::vector<HostIsa> host_levels_here();

class WarpProgram {
 public:
  // Compiles kernel `k` of the text for blocks of this size. Failures are test failures.
  WarpProgram(const std::string& ir, HostIsa isa, std::array<uint32_t, 3> block);

  // Launches `blocks` blocks; parameters are 64-bit words.
  Status run(uint32_t blocks, std::vector<uint64_t> parameters);

 private:
  void build(const std::string& ir, HostIsa isa);

  std::unique_ptr<Jit> jit_;
  WarpKernel kernel_ = nullptr;
  VectorizedKernel facts_;
  std::array<uint32_t, 3> block_;
  Scheduler scheduler_{2};
};

template <typename T>
uint64_t address_of(std::vector<T>& values) {
  return reinterpret_cast<uint64_t>(values.data());
}

// Declarations, and loads of parameters %p0, %p1, ... as pointers to global memory, %t = tid.x, that a test's body
// starts from.
std::string kernel_text(unsigned parameters, const std::string& body, const std::string& rest = {});

}  // namespace ww::cpu
