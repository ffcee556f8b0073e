// Runs a golden case on a device.
#pragma once

#include <string>
#include <vector>

#include "golden/golden_case.h"

namespace ww::golden {

// Contents of the outputs, in the order of GoldenCase::resources.
using Outputs = std::vector<std::vector<std::byte>>;

// Where PTX lies: the build's guest folder, and tests/data of the source tree.
struct PtxFolders {
  std::string guest, data;
};

// The PTX text of a case's module. kInput: the file can't be read.
Result<std::string> read_ptx(const PtxFolders& folders, const std::string& module);

// Makes the resources, runs the steps in order on `module`, which holds the case's PTX, and gives the outputs.
Result<Outputs> run_case(Device& device, DeviceModule& module, const GoldenCase& golden);

// The same on a module loaded from `ptx` for this run alone.
Result<Outputs> run_case(Device& device, const GoldenCase& golden, const std::string& ptx);

// The first difference that the comparison doesn't allow, as a sentence; empty if there is none.
std::string first_difference(const Comparison& comparison, const std::vector<std::byte>& ours,
                             const std::vector<std::byte>& recorded);

}  // namespace ww::golden
