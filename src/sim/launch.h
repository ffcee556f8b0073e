// One kernel launch: what all blocks share, and the state of one block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "sim/cluster.h"
#include "sim/image.h"
#include "sim/memory.h"
#include "sim/program.h"
#include "sim/trace.h"
#include "sim/warp.h"

namespace ww::sim {

class Program;

// Executed warp instructions after which a launch that has not ended is reported as stuck, unless the device's options
// say otherwise.
constexpr uint64_t kInstructionBudget = uint64_t{1} << 36;

struct LaunchContext {
  GlobalMemory& memory;
  ImageTable& images;
  const Program& program;
  const DecodedFunction& entry;
  std::span<const std::byte> parameters;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  uint64_t workspace = 0;  // address of a cooperative grid's workspace; 0: not one
  bool check_uninitialized = false;
  TensorCore tensor_core = TensorCore::kHopper;
  uint64_t instruction_budget = kInstructionBudget;
  const Trace* trace = nullptr;
  std::mt19937_64* random = nullptr;  // null: warps in order

  uint64_t instructions = 0;       // of warps
  uint64_t lane_instructions = 0;  // of lanes: what the benchmark counts
  std::string output;              // of vprintf
};

// What a handle, or a reference at the address, stands for; null: nothing (texture.cpp).
const Texture* texture_of(const LaunchContext& launch, uint64_t handle);
Image* surface_of(const LaunchContext& launch, uint64_t handle);

// A block-wide barrier (bar, barrier).
struct Barrier {
  uint32_t arrived = 0;   // threads
  uint32_t expected = 0;  // threads; 0: all that live
  uint32_t votes = 0;     // true predicates among the arrived (bar.red)
  struct Waiter {
    Warp* warp;
    unsigned lane;
    const Op* op;
  };
  std::vector<Waiter> waiting;
};

class Block {
 public:
  Block(LaunchContext& launch, Cluster& cluster, Dim3 position, uint32_t rank);

  // Each warp that can run has a turn. Whether any could.
  Result<bool> round();
  // No thread of the block can go on.
  Error deadlock() const;

  // Called by handlers: see warp.h.
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }
  bool failed() const { return error_.has_value(); }

  // barrier.cpp: the lanes in `mask` arrive at a bar or barrier instruction.
  void arrive(Warp& warp, const Op& op, uint32_t mask);
  // A lane has exited: barriers that waited for all threads may open.
  void exited();
  // "thread (1,0,0) at line 12 (bar.sync 0), ...": who waits where.
  std::string describe_waiting() const;
  std::string describe_thread(const Warp& warp, unsigned lane) const;
  ThreadPosition position_of(const Warp& warp, unsigned lane) const;

  LaunchContext& launch;
  Cluster& cluster;
  Dim3 position;
  uint32_t rank;  // in the cluster
  std::vector<uint8_t> shared;
  std::vector<uint8_t> shared_written;  // if uninitialised reads are checked
  std::vector<LocalMemory> locals;      // by thread
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t threads = 0, live_threads = 0;
  // The allocation that an instruction last touched: most accesses of an instruction go to one.
  std::array<Allocation*, 64> last_allocation{};

 private:
  Error endless(const Warp& warp) const;
  void release_if_complete(Barrier& barrier);

  std::array<Barrier, 16> barriers_;
  std::vector<Warp*> order_;
  std::optional<Error> error_;
};

// schedule.cpp: runs one warp until it blocks, ends, fails or used up `quantum` instructions. True if it did anything.
bool run_warp(Block& block, Warp& warp, uint32_t quantum);

}  // namespace ww::sim
