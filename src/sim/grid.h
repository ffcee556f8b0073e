// All blocks of a launch.
#pragma once

#include "base/result.h"
#include "device/device.h"

namespace ww::sim {

struct LaunchContext;

// Runs the grid's clusters (`cluster`: blocks in each direction, which divide the grid's) in the order of their
// numbers. The first runs alone; as long as none ends (its blocks may wait for later ones), further ones start beside
// it and take turns with it. Fails with the first fault or deadlock.
Status run_grid(LaunchContext& context, Dim3 cluster);

}  // namespace ww::sim
