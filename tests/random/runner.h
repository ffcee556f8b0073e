// Runs random programs on a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"
#include "random/program.h"

namespace ww::programs {

// What a program left behind: kColumns words a thread (register k of thread t is word k * threads + t; all ones where
// nothing was stored), kSlotBytes a thread of memory of its own, kCells words of the grid's.
using Output = std::vector<uint64_t>;

Result<Output> run_program(Device& device, DeviceModule& module, const Program& program);

// 32 bits that tell outputs apart; never 0.
uint32_t hash_of(const Output& output);

// Either a hash, or why there is none.
struct Outcome {
  uint64_t seed = 0;
  uint32_t hash = 0;
  std::string error;
};

// Runs the programs in modules of `batch`; where one of them is refused, each by itself. `take` gets each outcome as
// soon as it is known, in order.
Status run_programs(Device& device, std::span<const Program> programs, unsigned batch,
                    const std::function<void(const Outcome&)>& take);

// The same in child processes, so that a crash or an endless loop costs one program its result alone: `make` gives
// the program of a seed. A child that says nothing for `patience` seconds is ended. `jobs` children at a time.
struct IsolatedRun {
  std::string device;
  HostIsa host_isa = HostIsa::kNative;
  unsigned jobs = 1, batch = 16, patience = 60;
};
std::vector<Outcome> run_isolated(const IsolatedRun& run, uint64_t first, uint64_t last,
                                  const std::function<Program(uint64_t)>& make);

// One program in a child process: its output, or what went wrong.
Result<Output> run_one_isolated(const IsolatedRun& run, const Program& program);

}  // namespace ww::programs
