// Forms as machine code that an assembler has made beforehand, for those that make the compiler in NVIDIA's driver
// crash.
#pragma once

#include <memory>
#include <string>

#include "coverage/form_runner.h"

namespace ww::coverage {

// Runs `assembler -arch=sm_90` (NVIDIA's ptxas) on the module's text. Error: it can't be started, or refuses the
// module.
Status assemble(const std::string& assembler, const std::string& text, const std::string& machine_code_file);

// A module of machine code in NVIDIA's driver. The thread has used an nvidia device before: its context is current.
class MachineCode {
 public:
  static Result<std::unique_ptr<MachineCode>> load(const std::string& machine_code_file);
  ~MachineCode();
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  // Starts a kernel; `launch` may have a grid, a block and parameters.
  Status launch(const std::string& kernel, const Launch& launch);

 private:
  MachineCode() = default;
  void* module_ = nullptr;
};

// Runs `assembler -arch=sm_90` (NVIDIA's ptxas) on the form's module. Error: it can't be started, or refuses the
// module.
Status assemble(const std::string& assembler, const FormKernel& form, const std::string& machine_code_file);

// Results of the form from that file. `device` is an nvidia device that this thread has used before: its context is
// current.
Result<Results> run_machine_code(Device& device, const FormKernel& form, const std::string& machine_code_file);

}  // namespace ww::coverage
