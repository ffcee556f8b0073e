// A kernel of a loaded module, compiled for the block sizes that it is launched with.
#pragma once

#include <array>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "cpu/jit.h"
#include "cpu/vectorize.h"
#include "device/device.h"
#include "ptx/module.h"

namespace ww::cpu {

// What compilation needs of its module; shared by its kernels.
struct ModuleSource {
  std::shared_ptr<const ptx::Module> ptx;
  std::map<std::string, uint64_t> globals;  // host addresses of .global and .const variables
  Jit* jit = nullptr;
  Numerics numerics = Numerics::kExact;
  TensorCore tensor_core = TensorCore::kHopper;
};

// Code for one block size.
struct KernelCode {
  WarpKernel function = nullptr;
  VectorizedKernel facts;
};

class CpuKernel final : public DeviceKernel {
 public:
  CpuKernel(const ModuleSource& source, const ptx::Function& function, KernelInfo info);

  const KernelInfo& info() const override { return info_; }
  const ptx::Module& module() const { return *source_.ptx; }

  // The block size that the kernel demands or is bounded by, what is worth compiling ahead; zeros if there is none, or
  // if the kernel reads %tid.y: a bound tells how many threads there are at most, not how they lie.
  std::array<uint32_t, 3> likely_block() const;

  // Compiles for this block size unless that is done; waits if another thread does it. Errors are kept: asking again
  // gives the same.
  Result<const KernelCode*> code(std::array<uint32_t, 3> block);

 private:
  struct Entry {
    std::mutex mutex;
    bool done = false;
    KernelCode code;
    Status status;
  };

  Result<KernelCode> compile(std::array<uint32_t, 3> block) const;

  const ModuleSource& source_;
  const ptx::Function& function_;
  KernelInfo info_;
  std::mutex mutex_;
  std::map<std::array<uint32_t, 3>, std::unique_ptr<Entry>> entries_;
};

}  // namespace ww::cpu
