// What every device asks of a launch. All are usage errors that name the kernel, what was found and what fits.
#pragma once

#include "device/device.h"

namespace ww {

// A usage error about the kernel.
Error refused_launch(const KernelInfo& info, std::string message, std::string found, std::string expected);

// "32 x 4 x 1"
std::string shape_of(const Dim3& size);

// The launch against the limits of sm_90, against .reqntid, .maxntid and .reqnctapercluster, and against the size of
// the parameter block. (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".)
Status check_launch(const KernelInfo& info, const Launch& launch);

// A cooperative grid has at most `most` blocks, those that the device has room for at the same time.
Status check_cooperative(const KernelInfo& info, const Dim3& grid, uint64_t most);

}  // namespace ww
