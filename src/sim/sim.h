// The reference interpreter as a device, for those that link it directly (tests, benchmarks).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/backend.h"

namespace ww::sim {

std::vector<DeviceStatus> list();
// `name`: "sim".
Result<std::unique_ptr<Device>> open(const std::string& name, const DeviceOptions& options);

// What all launches of this process executed.
struct Statistics {
  uint64_t warp_instructions = 0;
  uint64_t lane_instructions = 0;  // an instruction counts once for each lane that executes it
};
Statistics statistics();
void set_statistics(Statistics value);

}  // namespace ww::sim
