// The options that choose a device and how it computes, shared by `run` and `upscale`.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "device/device.h"

namespace ww::cli {

struct DeviceChoice {
  std::string device = "cpu";
  std::string numerics;  // "exact" or "fast"
  std::string host_isa;  // "v2", "v3", "v4"; empty: the host's best
  unsigned threads = 0;
  uint64_t schedule = 0;
  std::string trace;
  std::vector<std::string> trace_threads;
};

// Adds --device, --numerics, --host-isa, --threads, --schedule, --trace and --trace-thread.
void add_device_options(CLI::App& command, DeviceChoice& choice, const std::string& default_numerics);

// Opens the chosen device and puts `device` and `numerics` into the report. Errors: kUsage for an unknown device or a
// host level that this processor lacks; the back end's own if it can't be opened.
Result<std::unique_ptr<Device>> open_chosen(const DeviceChoice& choice, Context& context);

}  // namespace ww::cli
