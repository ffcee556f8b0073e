// What the processor that we run on can do, in the psABI's levels.
#pragma once

#include <string>

#include "device/device.h"

namespace ww {

// The highest psABI level of this processor that the cpu device has code for: 2, 3 or 4; 1 if it is older than v2.
// A level counts only with all of its features (x86-64 psABI, "Micro-architecture levels").
unsigned host_level();

// 2, 3 or 4 for kV2, kV3, kV4; host_level() for kNative.
unsigned level_of(HostIsa isa);

// Threads that this process may use at the same time; at least 1. Follows the process's affinity mask.
unsigned host_threads();

// "x86-64-v4, 2 threads".
std::string host_description();

}  // namespace ww
