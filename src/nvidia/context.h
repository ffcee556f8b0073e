// One GPU's primary context, held while anything of it lives.
#pragma once

#include <memory>
#include <string>

#include "nvidia/driver.h"

namespace ww::nvidia {

class Context {
 public:
  // The context of GPU `ordinal`; kUsage if there is no such GPU.
  static Result<std::shared_ptr<Context>> open(int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The entry points, with this context current on the calling thread.
  const Driver& use() const;

  int ordinal() const { return ordinal_; }
  // "NVIDIA H200, sm_90, driver for CUDA 13.0".
  const std::string& description() const { return description_; }

 private:
  Context(const Driver& driver, int ordinal, CuDevice device, CuContext context);

  const Driver& driver_;
  int ordinal_;
  CuDevice device_;
  CuContext context_;
  std::string description_;
};

// "NVIDIA H200, sm_90, driver for CUDA 13.0", without opening a context.
std::string describe_gpu(const Driver& driver, CuDevice device);

}  // namespace ww::nvidia
