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
  std::string numerics;                // "exact" or "fast"
  std::string tensor_core = "hopper";  // or "ada"
  std::string host_isa;                // "v2", "v3", "v4"; empty: the host's best
  unsigned threads = 0;
  uint64_t schedule = 0;
  uint64_t max_instructions = 0;  // of sim; 0: the device's own limit
  std::string trace;
  std::vector<std::string> trace_threads;
};

// Adds --device, --numerics, --tensor-core, --host-isa, --threads, --schedule, --max-instructions, --trace and
// --trace-thread.
void add_device_options(CLI::App& command, DeviceChoice& choice, const std::string& default_numerics);

// Opens the chosen device, puts `device`, `numerics` and `tensor_core` into the report and the trace into the context.
// Errors: kUsage for an unknown device, a host level that this processor lacks, an option that the device can't follow
// or a traced thread that can't be read; kRuntime for a trace that can't be written; the back end's own if it can't be
// opened.
Result<std::unique_ptr<Device>> open_chosen(const DeviceChoice& choice, Context& context);

}  // namespace ww::cli
