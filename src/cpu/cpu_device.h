// The cpu device: PTX compiled to this processor's vectors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/backend.h"

namespace ww::cpu {

std::vector<DeviceStatus> list_devices();

// "cpu". Refuses a host level that this processor lacks.
Result<std::unique_ptr<Device>> open_device(const std::string& name, const DeviceOptions& options);

}  // namespace ww::cpu
