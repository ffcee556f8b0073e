// Runs a compiled kernel over a grid: blocks over the threads of oneTBB, warps of a block one after the other.
//
// A block runs on one thread from start to end. Where a kernel waits (at barriers, or in loops for what others write)
// each of its strands has a fiber, else the warps share one. Blocks start in the order of their numbers, so that a
// block that waits for an earlier one is not left alone. Where all blocks of a thread only wait, it starts further ones
// beside them, up to kMostStrands in all: a block may wait for a later one too.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cpu/block_run.h"
#include "cpu/device_heap.h"
#include "cpu/device_memory.h"
#include "cpu/warp_context.h"
#include "device/device.h"

namespace ww::cpu {

class ThreadPool;

struct GridLaunch {
  WarpKernel kernel = nullptr;
  std::string name, file;                          // for messages
  bool waits = false;                              // strands need fibers of their own
  bool by_lanes = false;                           // strands are lanes
  uint64_t stack_bytes = 0;                        // local memory of a warp
  bool lane_stacks = false;                        // it uses alloca
  uint32_t static_shared = 0, dynamic_shared = 0;  // bytes
  Dim3 grid, block;
  Dim3 cluster;  // blocks that run together
  std::span<const std::byte> parameters;
  uint64_t workspace = 0;                // address of a cooperative grid's workspace; 0: not one
  uint64_t number = 0;                   // of the launch
  DeviceHeap* heap = nullptr;            // of malloc and free
  const DeviceMemory* memory = nullptr;  // to explain wild addresses; may be null
};

class Scheduler {
 public:
  // `threads` 0: one a core.
  explicit Scheduler(unsigned threads);
  ~Scheduler();

  unsigned threads() const { return threads_; }

  // Warps, or lanes where strands are lanes, that have a stack at the same time. (Linux has 65530 mappings a process; a
  // stack takes two, a block's shared memory two.)
  static constexpr uint32_t kMostStrands = 8192;

  // Runs the whole grid. One call at a time. A fault of the processor (a wild address) sets `*broken`: what the kernel
  // has written by then can be anywhere.
  Status run(const GridLaunch& launch, bool* broken = nullptr);

 private:
  friend struct Worker;

  unsigned threads_;
  std::vector<std::unique_ptr<struct Worker>> workers_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace ww::cpu
