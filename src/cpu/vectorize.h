// Per-lane IR to code for a whole warp.
//
// Assumes: a module prepared by prepare_module. Guarantees: for the kernel a function `NAME.warp` of type WarpKernel
// (warp_context.h), for every other function one that takes a lane mask; the per-lane functions are gone. Vectors are
// at most HostLevel::lanes wide (twice that in bits for 64-bit elements); no half, no i1 in memory, no pointers in
// vectors but at gathers and scatters. The result passes llvm::verifyModule.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "cpu/host_level.h"

namespace llvm {
class Module;
}

namespace ww::cpu {

struct VectorizeOptions {
  const HostLevel* level = nullptr;
  std::array<uint32_t, 3> block{32, 1, 1};
  bool clustered = false;  // several blocks share a window of shared memory
  bool fast = false;       // matrix steps in f32 rather than as the tensor core computes
  bool ada = false;        // as the tensor core of sm_89 computes
  // Host address of a .global or .const variable.
  std::map<std::string, uint64_t> globals;
};

struct VectorizedKernel {
  std::string symbol;          // of the WarpKernel
  uint32_t static_shared = 0;  // bytes
  bool waits = false;          // calls barriers, sleeps or yields: strands of a block need stacks of their own
  bool by_lanes = false;       // lanes wait for lanes of their warp: each is run by itself, with a mask of one bit
  bool lane_stacks = false;    // it uses alloca
  uint64_t stack_bytes = 0;    // largest frame of local memory, for the size of those stacks
};

// Vectorises `kernel` and all functions of the module. What can't be vectorised is an error of kind kUnsupported with
// the PTX line.
Result<VectorizedKernel> vectorize_module(llvm::Module& module, const std::string& kernel,
                                          const VectorizeOptions& options);

}  // namespace ww::cpu
