// PTX modules, compiled by the driver.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "device/device.h"
#include "nvidia/context.h"

namespace ww::nvidia {

class Kernel : public DeviceKernel {
 public:
  Kernel(KernelInfo info, CuFunction function) : info_(std::move(info)), function_(function) {}
  const KernelInfo& info() const override { return info_; }
  CuFunction function() const { return function_; }

 private:
  KernelInfo info_;
  CuFunction function_;
};

class Module : public DeviceModule {
 public:
  // Parses the text with our own front end first, so that an error has its place, then gives it to the driver. If that
  // refuses, the error holds the driver's log.
  static Result<std::unique_ptr<DeviceModule>> load(std::shared_ptr<Context> context, std::string ptx,
                                                    const std::string& name);
  ~Module() override;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Result<DeviceKernel*> kernel(std::string_view name) override;
  std::vector<std::string> kernel_names() const override;
  Result<std::pair<DeviceAddress, uint64_t>> global(std::string_view name) override;

 private:
  Module(std::shared_ptr<Context> context, CuModule module) : context_(std::move(context)), module_(module) {}

  std::shared_ptr<Context> context_;
  CuModule module_;
  std::deque<Kernel> kernels_;
};

}  // namespace ww::nvidia
