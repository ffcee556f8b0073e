// Runs random programs on a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coverage/machine_code.h"
#include "device/device.h"
#include "random/program.h"

namespace ww::programs {

// What a program left behind: kColumns * 8 bytes a thread (each column holds its threads' values side by side; all ones
// where nothing was stored), kSlotBytes a thread of memory of its own, kCells words of the grid's.
using Output = std::vector<uint64_t>;

// Programs that a device has taken in: as PTX, or, for nvidia, as machine code that an assembler (the path of NVIDIA's
// ptxas; "": none) has made of it, since the compiler in the driver takes longer.
class ProgramModule {
 public:
  static Result<std::unique_ptr<ProgramModule>> load(Device& device, std::span<const Program> programs,
                                                     const std::string& assembler = "");
  // From text: the kernels of `run` have to be among its own.
  static Result<std::unique_ptr<ProgramModule>> load_text(Device& device, const std::string& text,
                                                          const std::string& name, const std::string& assembler = "");
  Result<Output> run(Device& device, const Program& program);

 private:
  ProgramModule() = default;
  std::unique_ptr<DeviceModule> module_;
  std::unique_ptr<coverage::MachineCode> machine_code_;
};

// 32 bits that tell outputs apart; never 0.
uint32_t hash_of(const Output& output);

// Either a hash, or why there is none.
struct Outcome {
  uint64_t seed = 0;
  uint32_t hash = 0;
  std::string error;
};

// Devices for programs, each opened in a child process, so that a crash or an endless loop costs one program its result
// alone. A child that says nothing for `patience` seconds is ended. `jobs` children at a time, `batch` programs a
// module; where one of them is refused, each has a module of its own.
struct IsolatedRun {
  std::string device, assembler;
  DeviceOptions options;
  unsigned jobs = 1, batch = 16, patience = 60;
};

// Runs the programs that `make` gives for the seeds. `take` gets each outcome as soon as it is known, in no order; all
// of them once.
void run_isolated(const IsolatedRun& run, std::span<const uint64_t> seeds, const std::function<Program(uint64_t)>& make,
                  const std::function<void(const Outcome&)>& take);

// One program in a child process: its output, or what went wrong.
Result<Output> run_one_isolated(const IsolatedRun& run, const Program& program);

}  // namespace ww::programs
