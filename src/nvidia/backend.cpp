// The back end `nvidia`: lists GPUs, opens one.
#include "device/backend.h"

#include <charconv>

#include "nvidia/device.h"

namespace ww::nvidia {
namespace {

constexpr std::string_view kFamily = "nvidia";

std::vector<DeviceStatus> list() {
  DeviceStatus missing;
  missing.name = kFamily;
  const auto api = driver();
  int count = 0;
  if (!api.ok()) {
    missing.reason = api.error().message;
    missing.fix = api.error().fix;
    return {missing};
  }
  if (const Status counted = (*api)->check((*api)->device_count(&count), "counting the GPUs"); !counted.ok()) {
    missing.reason = counted.error().message;
    return {missing};
  }
  std::vector<DeviceStatus> all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CuDevice device = 0;
    DeviceStatus status;
    status.name = std::string(kFamily) + ":" + std::to_string(ordinal);
    const Status opened = (*api)->check((*api)->device_get(&device, ordinal), "opening it");
    status.available = opened.ok();
    if (opened.ok()) {
      status.description = describe_gpu(**api, device);
    } else {
      status.reason = opened.error().message;
    }
    all.push_back(std::move(status));
  }
  if (all.empty()) {
    missing.reason = "the NVIDIA driver is here, but no GPU";
    missing.fix = "Use --device cpu";
    all.push_back(std::move(missing));
  }
  return all;
}

// The N of "nvidia:N"; 0 for "nvidia".
Result<int> ordinal_of(std::string_view name) {
  if (name == kFamily) return 0;
  int ordinal = 0;
  const char* first = name.data() + kFamily.size() + 1;
  const char* last = name.data() + name.size();
  const auto [end, problem] = std::from_chars(first, last, ordinal);
  if (first == last || problem != std::errc() || end != last || ordinal < 0) {
    Error error = usage_error("unknown device", "Run `warpwave devices` to see what can run here");
    error.found = "`" + std::string(name) + "`";
    error.expected = "`nvidia` or `nvidia:N`, N a number";
    return error;
  }
  return ordinal;
}

Result<std::unique_ptr<Device>> open(const std::string& name, const DeviceOptions& options) {
  if (options.tensor_core != TensorCore::kHopper)
    return usage_error("an NVIDIA GPU sums matrices as its own tensor core does",
                       "Choose --device sim or cpu for another's");
  WW_ASSIGN(const int ordinal, ordinal_of(name));
  WW_ASSIGN(std::shared_ptr<Context> context, Context::open(ordinal));
  return std::unique_ptr<Device>(std::make_unique<NvidiaDevice>(std::move(context)));
}

}  // namespace
}  // namespace ww::nvidia

WW_EXPORT_BACKEND(ww::nvidia::list, ww::nvidia::open)
