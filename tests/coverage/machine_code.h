// Forms as machine code that an assembler has made beforehand, for those that make the compiler in NVIDIA's driver
// crash.
#pragma once

#include <string>

#include "coverage/form_runner.h"

namespace ww::coverage {

// Runs `assembler -arch=sm_90` (NVIDIA's ptxas) on the form's module. Error: it can't be started, or refuses the
// module.
Status assemble(const std::string& assembler, const FormKernel& form, const std::string& machine_code_file);

// Results of the form from that file. `device` is an nvidia device that this thread has used before: its context is
// current.
Result<Results> run_machine_code(Device& device, const FormKernel& form, const std::string& machine_code_file);

}  // namespace ww::coverage
