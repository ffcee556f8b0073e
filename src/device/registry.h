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

// The function `symbol` of libwarpwave-NAME.so, which lies beside the back ends; the library is opened on first use and
// stays open. For parts of the command that need what only some uses pay for (LLVM).
Result<void*> find_library_function(const std::string& name, const char* symbol);

// Every device of every back end that this build knows, available or not. A back end whose library is missing is
// listed as unavailable with the reason.
std::vector<DeviceStatus> list_devices();

// Opens "cpu", "sim", "nvidia", "nvidia:1", ... Unknown names: kUsage, listing the known ones. The library stays open.
Result<std::unique_ptr<Device>> open_device(const std::string& name, const DeviceOptions& options);

}  // namespace ww
