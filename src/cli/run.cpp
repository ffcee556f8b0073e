// warpwave run: launches one kernel of a PTX file with arguments from the command line.
#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>

#include "cli/commands.h"
#include "cli/device_options.h"
#include "cli/interrupt.h"
#include "cli/kernel_arguments.h"
#include "cli/ptx_file.h"

namespace ww::cli {
namespace {

struct RunOptions {
  std::string file, entry, grid = "1", block = "1";
  uint32_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::string> arguments;
  DeviceChoice device;
};

// "X", "X,Y" or "X,Y,Z", each between 1 and its limit.
Result<Dim3> parse_extent(const std::string& option, const std::string& text, const std::array<uint32_t, 3>& limits) {
  std::array<uint32_t, 3> sizes{1, 1, 1};
  const char* at = text.data();
  const char* last = text.data() + text.size();
  bool good = true;
  for (size_t axis = 0; good; ++axis) {
    const auto [end, problem] = std::from_chars(at, last, sizes[std::min<size_t>(axis, 2)]);
    good = axis < 3 && problem == std::errc() && sizes[axis] >= 1 && sizes[axis] <= limits[axis] &&
           (end == last || *end == ',');
    if (end == last) break;
    at = end + 1;
  }
  if (good) return Dim3{sizes[0], sizes[1], sizes[2]};
  Error error = usage_error("not a size in threads or blocks", "Write it as X, X,Y or X,Y,Z");
  error.found = option + " " + text;
  error.expected = "at least 1 and at most " + std::to_string(limits[0]) + "," + std::to_string(limits[1]) + "," +
                   std::to_string(limits[2]);
  return error;
}

std::string written(const Dim3& d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

// Against the hardware's limit and the entry's directives.
Status check_block(const Dim3& block, const ptx::Function& entry) {
  constexpr uint64_t kMostThreads = 1024;
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  const auto& required = entry.directives.reqntid;
  const auto& most = entry.directives.maxntid;
  const auto volume = [](const std::array<uint32_t, 3>& d) {
    return uint64_t{std::max(d[0], 1u)} * std::max(d[1], 1u) * std::max(d[2], 1u);
  };
  Error error = usage_error("the block does not fit the entry", "Choose another --block");
  error.kernel = entry.name;
  error.found = "--block " + written(block);
  if (threads > kMostThreads) {
    error.expected = "at most 1024 threads";
  } else if (required[0] != 0 &&
             (block.x != required[0] || block.y != std::max(required[1], 1u) || block.z != std::max(required[2], 1u))) {
    error.expected = written({required[0], std::max(required[1], 1u), std::max(required[2], 1u)}) + " (.reqntid)";
  } else if (most[0] != 0 && threads > volume(most)) {
    error.expected = "at most " + std::to_string(volume(most)) + " threads (.maxntid)";
  } else {
    return {};
  }
  return error;
}

Result<const ptx::Function*> find_entry(const ptx::Module& module, const RunOptions& options) {
  std::string known;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || function.is_declaration) continue;
    if (function.name == options.entry) return &function;
    known += (known.empty() ? "" : ", ") + std::string(function.name);
  }
  Error error = usage_error("unknown entry", "Choose --entry from them");
  error.file = options.file;
  error.found = "`" + options.entry + "`";
  error.expected = known.empty() ? "a module with an entry" : "one of " + known;
  return error;
}

Status launch(RunOptions& options, Context& context, const std::string& ptx,
              const std::vector<KernelArgument>& arguments, const Launch& shape) {
  WW_ASSIGN(const std::unique_ptr<Device> device, open_chosen(options.device, context));
  WW_ASSIGN(const std::unique_ptr<DeviceModule> module, device->load_module(ptx, options.file));
  WW_ASSIGN(DeviceKernel * kernel, module->kernel(options.entry));
  BoundArguments bound(*device);
  WW_TRY(bound.bind(arguments, kernel->info()));
  Launch launch = shape;
  launch.parameters = bound.parameters();
  const auto start = std::chrono::steady_clock::now();
  WW_TRY(device->launch(*kernel, launch));
  WW_TRY(device->synchronize());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  context.report["device_description"] = device->description();
  context.report["seconds"] = seconds;
  if (interrupted()) return interrupted_error();
  WW_TRY(bound.save());
  char line[64];
  std::snprintf(line, sizeof line, "%.3f s", seconds);
  print(context, options.entry + " on " + device->name() + " (" + device->description() + "): " + line);
  return {};
}

Status run_kernel(RunOptions& options, Context& context) {
  context.report["entry"] = options.entry;
  std::vector<KernelArgument> arguments;
  for (const std::string& text : options.arguments) {
    WW_ASSIGN(KernelArgument argument, parse_kernel_argument(text));
    arguments.push_back(std::move(argument));
  }
  Launch shape;
  WW_ASSIGN(shape.grid, parse_extent("--grid", options.grid, {0x7fffffffu, 65535, 65535}));
  WW_ASSIGN(shape.block, parse_extent("--block", options.block, {1024, 1024, 64}));
  shape.dynamic_shared_bytes = options.shared_bytes;
  shape.cooperative = options.cooperative;

  WW_ASSIGN(const PtxFile file, read_ptx_file(options.file));
  WW_ASSIGN(const ptx::Function* entry, find_entry(*file.module, options));
  WW_TRY(check_signature(arguments, *file.module, *entry));
  WW_TRY(check_block(shape.block, *entry));
  return launch(options, context, file.text, arguments, shape);
}

constexpr char kArgumentHelp[] =
    "A parameter, in order (repeatable): u32:5 s32:-1 u64:9 f32:1.5 f64:.. f16:0.5 (decimal or 0x bits), in:FILE, "
    "out:BYTES:FILE, inout:FILE:FILE, bytes:FILE, tex:FILE.exr,filter=point|linear,address=clamp|wrap|mirror|border,"
    "normalized=0|1, surf:IN.exr:OUT.exr";

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      add_command(app, context, "run", "Launch one kernel of a PTX file",
                  "warpwave run add.ptx --entry vector_add --grid 4 --block 256 --arg in:a.bin --arg in:b.bin \\\n"
                  "      --arg out:4000:c.bin --arg u32:1000",
                  [options, &context] { return run_kernel(*options, context); });
  command->add_option("module", options->file, "PTX file")->required()->type_name("M.ptx");
  command->add_option("--entry", options->entry, "The kernel")->required();
  command->add_option("--grid", options->grid, "Blocks: X, X,Y or X,Y,Z")->capture_default_str()->type_name("X,Y,Z");
  command->add_option("--block", options->block, "Threads a block")->capture_default_str()->type_name("X,Y,Z");
  command->add_flag("--cooperative", options->cooperative,
                    "Launch a cooperative grid: its blocks may wait for each other");
  command->add_option("--shared", options->shared_bytes, "Dynamic shared memory in bytes")
      ->check(CLI::Range(0u, 232448u));
  command->add_option("--arg", options->arguments, kArgumentHelp)->type_name("KIND:VALUE")->allow_extra_args(false);
  add_device_options(*command, options->device, "exact");
}

}  // namespace ww::cli
