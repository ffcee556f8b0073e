// The device interface over the interpreter: memory, images, modules, launches. Everything is done when a call returns.
#include <algorithm>
#include <cstring>
#include <random>

#include "device/backend.h"
#include "device/image_checks.h"
#include "device/kernel_info.h"
#include "device/launch_checks.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"
#include "sim/decode.h"
#include "sim/grid.h"
#include "sim/launch.h"
#include "sim/sim.h"

namespace ww::sim {
namespace {

class SimImage : public DeviceImage {
 public:
  SimImage(ImageTable& table, const ImageDescription& description) : table_(table), image_(std::make_shared<Image>()) {
    image_->description = description;
    image_->texels.resize(image_bytes(description));
  }
  ~SimImage() override { table_.remove(image_.get()); }
  const ImageDescription& description() const override { return image_->description; }
  Status upload(std::span<const std::byte> texels) override {
    WW_TRY(check_texels(image_->description, texels.size()));
    std::copy(texels.begin(), texels.end(), reinterpret_cast<std::byte*>(image_->texels.data()));
    return {};
  }
  Status download(std::span<std::byte> texels) override {
    WW_TRY(check_texels(image_->description, texels.size()));
    std::ranges::copy(std::as_bytes(std::span(image_->texels)), texels.begin());
    return {};
  }
  Result<uint64_t> texture(const SamplerDescription& sampler) override {
    WW_TRY(check_sampler(image_->description, sampler));
    return table_.add_texture(image_, sampler);
  }
  Result<uint64_t> surface() override { return table_.add_surface(image_); }

 private:
  ImageTable& table_;
  std::shared_ptr<Image> image_;
};

class SimModule;

class SimKernel : public DeviceKernel {
 public:
  SimKernel(SimModule& module, std::unique_ptr<Program> program);
  const KernelInfo& info() const override { return info_; }
  const Program& program() const { return *program_; }

 private:
  KernelInfo info_;
  std::unique_ptr<Program> program_;
};

class SimModule : public DeviceModule {
 public:
  SimModule(GlobalMemory& memory, std::shared_ptr<const ptx::Module> module)
      : memory_(memory), module_(std::move(module)) {}
  ~SimModule() override {
    for (const uint64_t address : addresses_)
      if (Allocation* allocation = address ? memory_.begins_at(address) : nullptr) memory_.free(*allocation);
  }
  Status place_variables();
  Result<DeviceKernel*> kernel(std::string_view name) override;
  std::vector<std::string> kernel_names() const override {
    std::vector<std::string> names;
    for (const ptx::Function& function : module_->functions)
      if (function.is_entry && !function.is_declaration) names.emplace_back(function.name);
    return names;
  }
  Result<std::pair<DeviceAddress, uint64_t>> global(std::string_view name) override {
    for (size_t i = 0; i < module_->variables.size(); ++i) {
      const ptx::Variable& variable = module_->variables[i];
      if (variable.name == name && addresses_[i] != 0 && variable.function == ptx::kNoIndex)
        return std::pair<DeviceAddress, uint64_t>{addresses_[i], variable.size};
    }
    return usage_error("the module has no global or constant variable '" + std::string(name) + "'");
  }

 private:
  GlobalMemory& memory_;
  std::shared_ptr<const ptx::Module> module_;
  std::vector<uint64_t> addresses_;  // by VariableId; 0: not in global memory
  std::vector<std::unique_ptr<SimKernel>> kernels_;
};

SimKernel::SimKernel(SimModule&, std::unique_ptr<Program> program) : program_(std::move(program)) {
  const DecodedFunction& entry = program_->entry();
  const ptx::Function& function = *entry.function;
  info_.name = function.name;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    info_.parameter_sizes.push_back(uint32_t(entry.module->variables[function.parameters[i]].size));
    info_.parameter_offsets.push_back(entry.entry_offsets[i]);
  }
  info_.parameter_bytes = entry.entry_bytes;
  info_.static_shared_bytes = program_->static_shared_bytes();
  info_.required_block = function.directives.reqntid;
  info_.max_block = function.directives.maxntid;
  info_.cluster = cluster_of(function);
}

// Gives every global and constant variable memory, then writes initialisers, which may hold addresses.
Status SimModule::place_variables() {
  addresses_.assign(module_->variables.size(), 0);
  for (size_t i = 0; i < module_->variables.size(); ++i) {
    const ptx::Variable& variable = module_->variables[i];
    if ((variable.space != ptx::Space::kGlobal && variable.space != ptx::Space::kConst) || variable.size == 0) continue;
    Allocation* allocation = memory_.allocate(variable.size, variable.alignment, std::string(variable.name));
    if (!allocation) return runtime_error("no memory for variable '" + std::string(variable.name) + "'");
    addresses_[i] = allocation->base;
    allocation->read_only = variable.space == ptx::Space::kConst;
    std::memset(allocation->bytes.get(), 0, variable.size);
    std::copy_n(variable.initializer.begin(), std::min<size_t>(variable.initializer.size(), variable.size),
                allocation->bytes.get());
    if (allocation->written) std::memset(allocation->written.get(), 1, variable.size);
  }
  for (size_t i = 0; i < module_->variables.size(); ++i) {
    if (addresses_[i] == 0) continue;
    const ptx::Variable& variable = module_->variables[i];
    Allocation* allocation = memory_.begins_at(addresses_[i]);
    for (const ptx::SymbolInitializer& symbol : variable.symbol_initializers) {
      uint64_t value = symbol.is_function ? kFunctionBase + uint64_t{16} * symbol.index : addresses_[symbol.index];
      value = (value + uint64_t(symbol.addend)) >> symbol.shift;
      if (symbol.offset + symbol.size <= variable.size)
        std::memcpy(allocation->bytes.get() + symbol.offset, &value, symbol.size);
    }
  }
  return {};
}

Result<DeviceKernel*> SimModule::kernel(std::string_view name) {
  for (const auto& kernel : kernels_)
    if (kernel->info().name == name) return static_cast<DeviceKernel*>(kernel.get());
  for (size_t i = 0; i < module_->functions.size(); ++i) {
    const ptx::Function& function = module_->functions[i];
    if (function.name != name || !function.is_entry || function.is_declaration) continue;
    kernels_.push_back(
        std::make_unique<SimKernel>(*this, std::make_unique<Program>(module_, addresses_, ptx::FunctionId(i))));
    return static_cast<DeviceKernel*>(kernels_.back().get());
  }
  Error error = usage_error("the module has no entry of this name");
  error.file = module_->name;
  error.found = "'" + std::string(name) + "'";
  for (const std::string& known : kernel_names()) error.expected += (error.expected.empty() ? "" : ", ") + known;
  if (error.expected.empty()) error.expected = "a module with entries";
  return error;
}

class SimDevice : public Device {
 public:
  explicit SimDevice(const DeviceOptions& options)
      : options_(options),
        memory_(options.check_uninitialized),
        trace_(options.trace),
        random_(options.schedule_seed) {}

  std::string name() const override { return "sim"; }
  std::string description() const override { return "reference interpreter"; }

  Result<DeviceAddress> allocate(uint64_t bytes) override {
    if (bytes == 0) return usage_error("an allocation of 0 bytes", "Allocate at least 1 byte");
    Allocation* allocation = bytes > (uint64_t{1} << 40) ? nullptr : memory_.allocate(bytes);
    if (!allocation) return runtime_error("no memory for an allocation of " + std::to_string(bytes) + " bytes");
    return allocation->base;
  }
  Status free(DeviceAddress address) override {
    Allocation* allocation = memory_.begins_at(address);
    if (!allocation || !allocation->name.empty() || allocation->on_heap)
      return usage_error("free of an address that is no live allocation");
    memory_.free(*allocation);
    return {};
  }
  Status upload(DeviceAddress destination, std::span<const std::byte> source) override {
    if (source.empty()) return {};
    WW_ASSIGN(uint8_t * to, host_access(destination, source.size(), true));
    std::memcpy(to, source.data(), source.size());
    return {};
  }
  Status download(std::span<std::byte> destination, DeviceAddress source) override {
    if (destination.empty()) return {};
    WW_ASSIGN(const uint8_t* from, host_access(source, destination.size(), false));
    std::memcpy(destination.data(), from, destination.size());
    return {};
  }
  Status fill(DeviceAddress destination, uint8_t value, uint64_t bytes) override {
    if (bytes == 0) return {};
    WW_ASSIGN(uint8_t * to, host_access(destination, bytes, true));
    std::memset(to, value, bytes);
    return {};
  }
  Result<std::unique_ptr<DeviceImage>> create_image(const ImageDescription& d) override {
    WW_TRY(check_image(d));
    return std::unique_ptr<DeviceImage>(std::make_unique<SimImage>(images_, d));
  }
  Result<std::unique_ptr<DeviceModule>> load_module(std::string text, std::string name) override {
    WW_ASSIGN(auto parsed, ptx::parse(std::move(text), std::move(name)));
    WW_TRY(ptx::verify(*parsed));
    auto module = std::make_unique<SimModule>(memory_, std::move(parsed));
    WW_TRY(module->place_variables());
    return std::unique_ptr<DeviceModule>(std::move(module));
  }
  Status launch(DeviceKernel& kernel, const Launch& launch) override;
  Status synchronize() override { return {}; }

 private:
  Result<DeviceAddress> fresh_workspace(const KernelInfo& info, const Launch& launch);
  Result<uint8_t*> host_access(DeviceAddress address, uint64_t bytes, bool writes) {
    Allocation* allocation = memory_.find(address, bytes);
    if (!allocation) return usage_error("a copy outside device memory: " + memory_.explain(address, bytes));
    const uint64_t offset = address - allocation->base;
    if (writes && allocation->written) std::memset(allocation->written.get() + offset, 1, bytes);
    return allocation->bytes.get() + offset;
  }

  DeviceOptions options_;
  GlobalMemory memory_;
  ImageTable images_;
  Trace trace_;
  std::mt19937_64 random_;
  DeviceAddress workspace_ = 0;  // of cooperative grids
};

// The launch against what every device asks, and against the shared memory of sm_90.
Status check(const KernelInfo& info, const Launch& launch) {
  WW_TRY(check_launch(info, launch));
  const uint64_t shared = uint64_t{info.static_shared_bytes} + launch.dynamic_shared_bytes;
  if (shared > 227 * 1024)
    return refused_launch(info, "too much shared memory", std::to_string(shared) + " bytes", "at most 232448 bytes");
  return {};
}

// A grid's threads that are there at the same time: as many as an H200 has room for.
constexpr uint64_t kMostThreads = 132 * 2048;

// The fresh workspace of a cooperative grid that has room.
Result<DeviceAddress> SimDevice::fresh_workspace(const KernelInfo& info, const Launch& launch) {
  const uint64_t threads = uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  WW_TRY(check_cooperative(info, launch.grid, kMostThreads / threads));
  if (workspace_ == 0) {
    WW_ASSIGN(workspace_, allocate(sizeof kFreshGridWorkspace));
  }
  WW_TRY(upload(workspace_, std::as_bytes(std::span(kFreshGridWorkspace))));
  return workspace_;
}

Status SimDevice::launch(DeviceKernel& kernel, const Launch& launch) {
  auto& own = static_cast<SimKernel&>(kernel);
  WW_TRY(check(own.info(), launch));
  LaunchContext context{memory_,           images_,     own.program(), own.program().entry(),
                        launch.parameters, launch.grid, launch.block};
  context.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  context.check_uninitialized = options_.check_uninitialized;
  context.tensor_core = options_.tensor_core;
  if (trace_.wanted()) context.trace = &trace_;
  if (options_.max_instructions != 0) context.instruction_budget = options_.max_instructions;
  if (options_.schedule_seed != 0) context.random = &random_;
  if (launch.cooperative) {
    WW_ASSIGN(context.workspace, fresh_workspace(own.info(), launch));
  }
  const Statistics before = statistics();
  const Status status = run_grid(context, own.info().cluster);
  set_statistics(
      {before.warp_instructions + context.instructions, before.lane_instructions + context.lane_instructions});
  if (!context.output.empty()) std::fwrite(context.output.data(), 1, context.output.size(), stdout);
  return status;
}

Statistics g_statistics;

}  // namespace

Statistics statistics() {
  return g_statistics;
}
void set_statistics(Statistics value) {
  g_statistics = value;
}

Result<std::unique_ptr<Device>> open(const std::string& name, const DeviceOptions& options) {
  if (name != "sim") return usage_error("the interpreter's device is called 'sim', not '" + name + "'");
  return std::unique_ptr<Device>(std::make_unique<SimDevice>(options));
}

std::vector<DeviceStatus> list() {
  DeviceStatus status;
  status.name = "sim";
  status.description = "reference interpreter: slow, exact, checks every access";
  status.available = true;
  return {status};
}

}  // namespace ww::sim
