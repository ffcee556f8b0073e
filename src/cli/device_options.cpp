#include "cli/device_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/number_checks.h"
#include "cli/trace_file.h"
#include "device/host.h"
#include "device/registry.h"

namespace ww::cli {
namespace {

HostIsa isa_named(const std::string& name) {
  if (name == "v2") return HostIsa::kV2;
  if (name == "v3") return HostIsa::kV3;
  if (name == "v4") return HostIsa::kV4;
  return HostIsa::kNative;
}

// What is asked for and not done would pass unnoticed.
Status refuse_options_of_others(const DeviceChoice& choice) {
  const auto refuse = [&](const std::string& option, const std::string& device) {
    Error error = usage_error("an option that this device can't follow",
                              "Choose --device " + device + ", or leave the option away");
    error.found = option + " with --device " + choice.device;
    error.expected = "--device " + device;
    return error;
  };
  if (choice.trace.empty() && !choice.trace_threads.empty()) {
    Error error = usage_error("a thread to trace, but no file for the trace", "Add --trace FILE");
    error.found = "--trace-thread " + choice.trace_threads.front();
    return error;
  }
  const struct {
    const char *option, *device;
    bool given;
  } options[] = {{"--trace", "sim", !choice.trace.empty()},
                 {"--max-instructions", "sim", choice.max_instructions != 0},
                 {"--schedule", "sim", choice.schedule != 0},
                 {"--host-isa", "cpu", !choice.host_isa.empty()},
                 {"--threads", "cpu", choice.threads != 0}};
  for (const auto& [option, device, given] : options)
    if (given && choice.device != device) return refuse(option, device);
  return {};
}

}  // namespace

void add_device_options(CLI::App& command, DeviceChoice& choice, const std::string& default_numerics) {
  choice.numerics = default_numerics;
  command.add_option("--device", choice.device, "Where to run: see `warpwave devices`")->capture_default_str();
  command.add_option("--numerics", choice.numerics, "exact: NVIDIA's bits; fast: a little different, quicker")
      ->check(CLI::IsMember({"exact", "fast"}))
      ->capture_default_str();
  command
      .add_option(
          "--tensor-core", choice.tensor_core,
          "Whose sums exact matrix instructions make: hopper (sm_90), or ada (sm_89, as published, not proved on "
          "hardware)")
      ->check(CLI::IsMember({"hopper", "ada"}))
      ->capture_default_str();
  command.add_option("--host-isa", choice.host_isa, "cpu: generate code for this psABI level")
      ->check(CLI::IsMember({"v2", "v3", "v4"}));
  command.add_option("--threads", choice.threads, "cpu: threads to use (default: all)")->check(CLI::Range(1u, 1024u));
  command.add_option("--schedule", choice.schedule, "sim: vary the order of warps by this seed")->type_name("SEED");
  command
      .add_option("--max-instructions", choice.max_instructions,
                  "sim: stop a launch that has not ended after N warp instructions")
      ->check(above_zero())
      ->type_name("N");
  command.add_option("--trace", choice.trace, "sim: write what chosen threads computed")->type_name("FILE");
  command
      .add_option("--trace-thread", choice.trace_threads,
                  "sim: a thread to trace, block.x,y,z:thread.x,y,z (repeatable; default: the first of block 0)")
      ->type_name("B:T");
}

Result<std::unique_ptr<Device>> open_chosen(const DeviceChoice& choice, Context& context) {
  context.report["device"] = choice.device;
  context.report["numerics"] = choice.numerics;
  context.report["tensor_core"] = choice.tensor_core;
  DeviceOptions options;
  options.numerics = choice.numerics == "fast" ? Numerics::kFast : Numerics::kExact;
  options.tensor_core = choice.tensor_core == "ada" ? TensorCore::kAda : TensorCore::kHopper;
  options.host_isa = isa_named(choice.host_isa);
  options.threads = choice.threads;
  options.schedule_seed = choice.schedule;
  options.max_instructions = choice.max_instructions;
  WW_TRY(refuse_options_of_others(choice));
  if (!choice.trace.empty()) {
    WW_ASSIGN(context.trace, TraceFile::open(choice.trace, choice.trace_threads));
    options.trace = context.trace->options();
  }
  options.progress = !context.quiet && isatty(STDERR_FILENO) != 0;
  if (choice.device == "cpu" && level_of(options.host_isa) > host_level()) {
    Error error = usage_error("this processor can't run that code", "Leave --host-isa away, or choose a lower level");
    error.found = "--host-isa " + choice.host_isa;
    error.expected = "at most v" + std::to_string(host_level());
    return error;
  }
  return open_device(choice.device, options);
}

}  // namespace ww::cli
