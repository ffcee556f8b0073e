// A PTX module loaded by the cpu device: its variables in device memory, its kernels compiled when they are first
// launched.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cpu/compiled_kernel.h"
#include "cpu/device_memory.h"
#include "device/device.h"

namespace ww::cpu {

// Compiles kernels ahead of their launch on threads of its own, in the order in which they were asked for.
class CompileAhead {
 public:
  CompileAhead(unsigned threads, bool progress);
  ~CompileAhead();  // drops what has not begun

  void add(CpuKernel& kernel, std::array<uint32_t, 3> block);

 private:
  void work();

  struct Job {
    CpuKernel* kernel;
    std::array<uint32_t, 3> block;
  };

  unsigned threads_;
  bool progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job> jobs_;
  size_t next_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

class CpuModule final : public DeviceModule {
 public:
  // Parses nothing: `ptx` is a verified module.
  static Result<std::unique_ptr<DeviceModule>> load(std::shared_ptr<const ptx::Module> ptx, Jit& jit,
                                                    std::shared_ptr<DeviceMemory> memory, const DeviceOptions& options,
                                                    unsigned threads);
  ~CpuModule() override;

  Result<DeviceKernel*> kernel(std::string_view name) override;
  std::vector<std::string> kernel_names() const override;
  Result<std::pair<DeviceAddress, uint64_t>> global(std::string_view name) override;

 private:
  CpuModule() = default;
  Status place_variables();

  ModuleSource source_;
  std::shared_ptr<DeviceMemory> memory_;
  std::vector<DeviceAddress> variables_;  // by VariableId; 0: elsewhere
  std::vector<std::unique_ptr<CpuKernel>> kernels_;
  std::vector<bool> asked_;
  std::unique_ptr<CompileAhead> ahead_;  // last: it uses the kernels
};

}  // namespace ww::cpu
