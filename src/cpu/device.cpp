// The device interface over the vectoriser, the JIT and the scheduler. Everything is done when a call returns.
#include <cstring>
#include <optional>

#include "cpu/cpu_device.h"
#include "cpu/cpu_module.h"
#include "cpu/device_heap.h"
#include "cpu/device_memory.h"
#include "cpu/images.h"
#include "cpu/scheduler.h"
#include "device/host.h"
#include "device/launch_checks.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::cpu {

namespace {

// The launch against what every device asks, and this one besides.
Status check(const KernelInfo& info, const Launch& launch) {
  WW_TRY(check_launch(info, launch));
  const Dim3 &block = launch.block, &grid = launch.grid;
  // Compiled code relies on it: indices of threads fit 31 bits (prepare.cpp).
  for (const auto& [blocks, size] :
       {std::pair{grid.x, block.x}, std::pair{grid.y, block.y}, std::pair{grid.z, block.z}})
    if (uint64_t(blocks) * size > uint64_t(1) << 31)
      return refused_launch(info, "grid too large for this device", shape_of(grid),
                            "at most 2147483648 threads in each direction");
  return {};
}

class CpuDevice final : public Device {
 public:
  CpuDevice(const DeviceOptions& options, std::unique_ptr<Jit> jit, std::shared_ptr<DeviceMemory> memory)
      : options_(options),
        jit_(std::move(jit)),
        scheduler_(options.threads != 0 ? options.threads : host_threads()),
        memory_(std::move(memory)) {}

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return std::string(jit_->level().name) + ", " + std::to_string(scheduler_.threads()) + " threads";
  }

  Result<DeviceAddress> allocate(uint64_t bytes) override {
    if (bytes == 0) return usage_error("an allocation of 0 bytes", "Allocate at least 1 byte");
    return memory_->allocate(bytes);
  }

  Status free(DeviceAddress address) override {
    if (!memory_->free(address)) return usage_error("free of an address that is no live allocation");
    return {};
  }

  Status upload(DeviceAddress destination, std::span<const std::byte> source) override {
    if (source.empty()) return {};
    WW_TRY(check_copy(destination, source.size()));
    std::memcpy(reinterpret_cast<void*>(destination), source.data(), source.size());
    return {};
  }

  Status download(std::span<std::byte> destination, DeviceAddress source) override {
    if (destination.empty()) return {};
    WW_TRY(check_copy(source, destination.size()));
    std::memcpy(destination.data(), reinterpret_cast<const void*>(source), destination.size());
    return {};
  }

  Status fill(DeviceAddress destination, uint8_t value, uint64_t bytes) override {
    if (bytes == 0) return {};
    WW_TRY(check_copy(destination, bytes));
    std::memset(reinterpret_cast<void*>(destination), value, bytes);
    return {};
  }

  Result<std::unique_ptr<DeviceImage>> create_image(const ImageDescription& description) override {
    return CpuImage::create(description);
  }

  Result<std::unique_ptr<DeviceModule>> load_module(std::string text, std::string name) override {
    WW_ASSIGN(auto parsed, ptx::parse(std::move(text), std::move(name)));
    WW_TRY(ptx::verify(*parsed));
    for (const ptx::Function& function : parsed->functions)
      if (function.is_declaration && function.name == "malloc") WW_TRY(heap_.prepare(*memory_));
    return CpuModule::load(std::move(parsed), *jit_, memory_, options_, scheduler_.threads());
  }

  Status launch(DeviceKernel& kernel, const Launch& launch) override {
    if (broken_) return Error(*broken_);
    auto& own = static_cast<CpuKernel&>(kernel);
    WW_TRY(check(own.info(), launch));
    WW_ASSIGN(const KernelCode* code, own.code({launch.block.x, launch.block.y, launch.block.z}));
    GridLaunch grid;
    grid.kernel = code->function;
    grid.name = own.info().name;
    grid.file = own.module().name;
    grid.cluster = own.info().cluster;
    grid.waits = code->facts.waits || grid.cluster.x * grid.cluster.y * grid.cluster.z > 1;
    grid.by_lanes = code->facts.by_lanes;
    grid.lane_stacks = code->facts.lane_stacks;
    grid.stack_bytes = code->facts.stack_bytes;
    grid.static_shared = code->facts.static_shared;
    grid.dynamic_shared = launch.dynamic_shared_bytes;
    grid.grid = launch.grid;
    grid.block = launch.block;
    grid.parameters = launch.parameters;
    grid.number = ++launches_;
    if (launch.cooperative) {
      const uint64_t threads = uint64_t(launch.block.x) * launch.block.y * launch.block.z;
      const uint64_t strands = grid.by_lanes ? threads : (threads + 31) / 32;
      WW_TRY(check_cooperative(own.info(), launch.grid, Scheduler::kMostStrands / strands));
      if (workspace_ == 0) {
        WW_ASSIGN(workspace_, memory_->allocate(sizeof kFreshGridWorkspace));
      }
      std::memcpy(reinterpret_cast<void*>(workspace_), kFreshGridWorkspace.data(), sizeof kFreshGridWorkspace);
      grid.workspace = workspace_;
    }
    grid.memory = memory_.get();
    grid.heap = &heap_;
    bool broken = false;
    Status status = scheduler_.run(grid, &broken);
    if (broken) {
      broken_ = status.error();
      broken_->message = "the device was stopped by an earlier launch: " + broken_->message;
      broken_->fix = "Open the device anew; to find the error: " + broken_->fix;
    }
    return status;
  }

  Status synchronize() override {
    if (broken_) return Error(*broken_);
    return {};
  }

 private:
  // Copies stay inside of one allocation or variable.
  Status check_copy(DeviceAddress address, uint64_t bytes) const {
    if (bytes == 0) return {};
    if (address == 0) return usage_error("a copy to or from address 0", "Allocate device memory first");
    const uint64_t most = memory_->bytes_from(address);
    if (bytes <= most) return {};
    Error error = usage_error("a copy reaches beyond device memory: " + memory_->explain(address));
    error.found = std::to_string(bytes) + " bytes";
    error.expected = "at most " + std::to_string(most);
    return error;
  }

  DeviceOptions options_;
  std::unique_ptr<Jit> jit_;
  Scheduler scheduler_;
  std::shared_ptr<DeviceMemory> memory_;  // modules hold it too
  DeviceHeap heap_;
  std::optional<Error> broken_;  // what every further launch is told, as CUDA's sticky errors
  uint64_t launches_ = 0;
  DeviceAddress workspace_ = 0;  // of cooperative grids
};

}  // namespace

std::vector<DeviceStatus> list_devices() {
  DeviceStatus status;
  status.name = "cpu";
  if (const auto best = best_host_isa(); best.ok()) {
    status.available = true;
    status.description = host_description();
  } else {
    status.reason = "this processor is older than x86-64-v2";
    status.fix = "Use the device `sim`";
  }
  return {status};
}

Result<std::unique_ptr<Device>> open_device(const std::string& name, const DeviceOptions& options) {
  if (name != "cpu") return usage_error("the cpu device is called `cpu`, not `" + name + "`");
  WW_ASSIGN(const HostIsa isa, choose_host_isa(options.host_isa));
  WW_ASSIGN(auto jit, Jit::create(host_level(isa)));
  WW_ASSIGN(std::shared_ptr<DeviceMemory> memory, DeviceMemory::create());
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(options, std::move(jit), std::move(memory)));
}

}  // namespace ww::cpu
