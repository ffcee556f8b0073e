// Runs a compiled kernel over a grid: blocks over the threads of oneTBB, warps of a block one after the other.
//
// A block runs on one thread from start to end. Where a kernel waits at barriers each of its warps has a fiber, else
// the warps share one. Blocks start in the order of their numbers, so that a block that waits for an earlier one is not
// left alone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cpu/device_memory.h"
#include "cpu/fiber.h"
#include "cpu/machine_fault.h"
#include "cpu/warp_context.h"
#include "device/device.h"

namespace ww::cpu {

class ThreadPool;

struct GridLaunch {
  WarpKernel kernel = nullptr;
  std::string name, file;                          // for messages
  bool waits = false;                              // warps need fibers of their own
  uint64_t stack_bytes = 0;                        // local memory of a warp
  uint32_t static_shared = 0, dynamic_shared = 0;  // bytes
  Dim3 grid, block;
  std::span<const std::byte> parameters;
  uint64_t number = 0;                   // of the launch
  const DeviceMemory* memory = nullptr;  // to explain wild addresses; may be null
};

// What stopped a warp, kept plain: it is written on a fiber that is then abandoned.
struct WarpFault {
  enum class Kind : uint8_t { kNone, kTrap, kDeadlock, kBarrierCount, kHandle, kSurface, kMachine } kind = Kind::kNone;
  uint32_t line = 0;
  uint32_t warp = 0;
  uint32_t barrier = 0;
  uint32_t detail = 0;
  MachineFault machine;
};

// One block while it runs. Reached by runtime functions through WarpContext::block.
class BlockRun {
 public:
  enum class Reduction : uint8_t { kNone, kAnd, kOr, kCount };

  // Arrives for the whole warp and waits until `threads` threads (0: all warps that have not ended) have arrived.
  // Returns the number of threads whose predicate was true, and of those that arrived.
  struct Arrived {
    uint32_t count = 0, threads = 0;
  };
  Arrived wait(WarpContext& context, uint32_t barrier, uint32_t threads, uint32_t set, uint32_t active, uint32_t line);
  void arrive(WarpContext& context, uint32_t barrier, uint32_t threads, uint32_t line);
  // Lets other warps run.
  void yield(WarpContext& context);
  // Ends the launch.
  [[noreturn]] void fault(WarpFault fault);

 private:
  friend class Scheduler;
  friend struct Worker;

  static constexpr unsigned kBarriers = 16;
  static constexpr unsigned kMaxWarps = 32;

  struct Barrier {
    uint32_t warps = 0;     // that have arrived
    uint32_t expected = 0;  // threads; 0: all
    Arrived arrived;
    uint32_t waiting = 0;  // warps, as bits
    uint32_t line = 0;
  };

  void add(Barrier& barrier, WarpContext& context, uint32_t number, uint32_t threads, uint32_t set, uint32_t active,
           uint32_t line);
  bool complete(const Barrier& barrier) const;
  void release(Barrier& barrier);

  std::array<Barrier, kBarriers> barriers_;
  std::array<WarpContext, kMaxWarps> contexts_;
  std::array<Arrived, kMaxWarps> results_;
  uint32_t runnable_ = 0;  // warps, as bits
  uint32_t live_ = 0;      // warps that have not ended
  uint32_t current_ = 0;
  std::array<Fiber, kMaxWarps> fibers_;
  Fiber* running_ = nullptr;
  WarpFault fault_;
};

class Scheduler {
 public:
  // `threads` 0: one a core.
  explicit Scheduler(unsigned threads);
  ~Scheduler();

  unsigned threads() const { return threads_; }

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
