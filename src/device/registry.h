// Finds back ends by device name and opens their shared libraries on first use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/backend.h"
#include "device/device.h"

namespace ww {

// Every device of every back end that this build knows, available or not. A back end whose library is missing is
// listed as unavailable with the reason.
std::vector<DeviceStatus> list_devices();

// Opens "cpu", "sim", "nvidia", "nvidia:1", ... Unknown names: kUsage, listing the known ones. The library stays open.
Result<std::unique_ptr<Device>> open_device(const std::string& name, const DeviceOptions& options);

}  // namespace ww
