#include "cpu/cpu_module.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "device/kernel_info.h"
#include "lower/lower.h"

namespace ww::cpu {

// --- compiling ahead

CompileAhead::CompileAhead(unsigned threads, bool progress) : threads_(threads), progress_(progress) {}

CompileAhead::~CompileAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void CompileAhead::add(CpuKernel& kernel, std::array<uint32_t, 3> block) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({&kernel, block});
    if (workers_.size() < threads_) workers_.emplace_back([this] { work(); });
  }
  wake_.notify_one();
}

void CompileAhead::work() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || next_ < jobs_.size(); });
    if (stop_) return;
    const Job job = jobs_[next_++];
    const size_t number = next_, count = jobs_.size();
    lock.unlock();
    if (progress_ && std::chrono::steady_clock::now() - begin > std::chrono::seconds(1))
      std::fprintf(stderr, "compiling %zu of %zu\n", number, count);
    (void)job.kernel->code(job.block).ok();  // an error is told to the one who launches it
    lock.lock();
  }
}

// --- the module

CpuModule::~CpuModule() {
  ahead_.reset();
  for (const DeviceAddress address : variables_)
    if (address != 0) memory_->free(address);
}

Result<std::unique_ptr<DeviceModule>> CpuModule::load(std::shared_ptr<const ptx::Module> ptx, Jit& jit,
                                                      std::shared_ptr<DeviceMemory> memory,
                                                      const DeviceOptions& options, unsigned threads) {
  std::unique_ptr<CpuModule> module(new CpuModule());
  module->memory_ = std::move(memory);
  module->source_.ptx = std::move(ptx);
  module->source_.jit = &jit;
  module->source_.numerics = options.numerics;
  module->source_.tensor_core = options.tensor_core;
  WW_TRY(module->place_variables());
  const ptx::Module& source = *module->source_.ptx;
  for (KernelInfo& info : kernel_infos(source))
    module->kernels_.push_back(std::make_unique<CpuKernel>(module->source_, *source.find_function(info.name), info));
  module->asked_.resize(module->kernels_.size());
  module->ahead_ = std::make_unique<CompileAhead>(threads, options.progress);
  return std::unique_ptr<DeviceModule>(std::move(module));
}

// Memory for every .global and .const variable, then the initialisers, which may hold addresses of others.
Status CpuModule::place_variables() {
  const ptx::Module& source = *source_.ptx;
  for (const ptx::Variable& variable : source.variables) {
    variables_.push_back(0);
    if ((variable.space != ptx::Space::kGlobal && variable.space != ptx::Space::kConst) || variable.size == 0) continue;
    auto place = memory_->allocate(variable.size, std::max<uint64_t>(256, variable.alignment));
    if (!place.ok())
      return runtime_error("no memory for the " + std::to_string(variable.size) + " bytes of variable `" +
                           std::string(variable.name) + "`");
    variables_.back() = *place;
    auto* memory = reinterpret_cast<std::byte*>(*place);
    std::memset(memory, 0, variable.size);
    std::ranges::copy(std::as_bytes(std::span(variable.initializer))
                          .first(std::min<size_t>(variable.initializer.size(), variable.size)),
                      memory);
    // Variables of a function's scope are named after it (lower/module_emitter.cpp).
    std::string name(variable.name);
    if (variable.function != ptx::kNoIndex) name = std::string(source.functions[variable.function].name) + "." + name;
    source_.globals[name] = *place;
  }
  for (size_t i = 0; i < source.variables.size(); ++i) {
    if (variables_[i] == 0) continue;
    auto* memory = reinterpret_cast<std::byte*>(variables_[i]);
    for (const ptx::SymbolInitializer& symbol : source.variables[i].symbol_initializers) {
      if (symbol.offset + symbol.size > source.variables[i].size) continue;
      // A function has one address in all kernels: the number that lowering compares calls with.
      uint64_t value = symbol.is_function ? lower::function_address(symbol.index) : variables_[symbol.index];
      value = (value + uint64_t(symbol.addend)) >> symbol.shift;
      std::memcpy(memory + symbol.offset, &value, symbol.size);
    }
  }
  return {};
}

Result<DeviceKernel*> CpuModule::kernel(std::string_view name) {
  for (size_t i = 0; i < kernels_.size(); ++i) {
    CpuKernel& kernel = *kernels_[i];
    if (kernel.info().name != name) continue;
    if (!asked_[i]) {
      asked_[i] = true;
      if (const std::array<uint32_t, 3> block = kernel.likely_block(); block[0] != 0) ahead_->add(kernel, block);
    }
    return static_cast<DeviceKernel*>(&kernel);
  }
  Error error = usage_error("the module has no entry of this name");
  error.file = source_.ptx->name;
  error.found = "`" + std::string(name) + "`";
  for (const auto& kernel : kernels_) error.expected += (error.expected.empty() ? "" : ", ") + kernel->info().name;
  if (error.expected.empty()) error.expected = "a module with entries";
  return error;
}

std::vector<std::string> CpuModule::kernel_names() const {
  std::vector<std::string> names;
  for (const auto& kernel : kernels_) names.push_back(kernel->info().name);
  return names;
}

Result<std::pair<DeviceAddress, uint64_t>> CpuModule::global(std::string_view name) {
  for (size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i] != 0 && source_.ptx->variables[i].name == name &&
        source_.ptx->variables[i].function == ptx::kNoIndex)
      return std::pair<DeviceAddress, uint64_t>{variables_[i], source_.ptx->variables[i].size};
  Error error = usage_error("the module has no global or constant variable `" + std::string(name) + "`");
  error.file = source_.ptx->name;
  return error;
}

}  // namespace ww::cpu
