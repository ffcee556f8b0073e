// What the shared library of a back end exports: one C function that returns a table. Private to this build: both sides
// are compiled together, so C++ types may cross; exceptions may not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace ww {

// One device that could run here, or why it can't.
struct DeviceStatus {
  std::string name;         // what --device takes
  std::string description;  // empty if unavailable
  bool available = false;
  std::string reason;  // why not
  std::string fix;     // what to do
};

struct Backend {
  // Quick (milliseconds): looks, allocates nothing, never fails.
  std::vector<DeviceStatus> (*list)();
  // `name` as listed, or a family's name for its first device ("nvidia").
  Result<std::unique_ptr<Device>> (*open)(const std::string& name, const DeviceOptions& options);
};

constexpr char kBackendSymbol[] = "warpwave_backend";
using BackendFunction = const Backend* (*)();

}  // namespace ww

// Defines the exported function of a back end.
#define WW_EXPORT_BACKEND(list_function, open_function)                                       \
  extern "C" __attribute__((visibility("default"))) const ::ww::Backend* warpwave_backend() { \
    static const ::ww::Backend backend{list_function, open_function};                         \
    return &backend;                                                                          \
  }
