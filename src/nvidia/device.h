// The pass-through device: every call goes to the driver.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "nvidia/context.h"

namespace ww::nvidia {

class NvidiaDevice : public Device {
 public:
  explicit NvidiaDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  std::string name() const override { return "nvidia:" + std::to_string(context_->ordinal()); }
  std::string description() const override { return context_->description(); }

  Result<DeviceAddress> allocate(uint64_t bytes) override;
  Status free(DeviceAddress address) override;
  Status upload(DeviceAddress destination, std::span<const std::byte> source) override;
  Status download(std::span<std::byte> destination, DeviceAddress source) override;
  Status fill(DeviceAddress destination, uint8_t value, uint64_t bytes) override;
  Result<std::unique_ptr<DeviceImage>> create_image(const ImageDescription& description) override;
  Result<std::unique_ptr<DeviceModule>> load_module(std::string ptx, std::string name) override;
  Status launch(DeviceKernel& kernel, const Launch& launch) override;
  Status synchronize() override;

 private:
  // As Driver::check, naming the kernel that ran last: a GPU reports its fault at a later call.
  Status check(CuResult result, const std::string& what) const;

  std::shared_ptr<Context> context_;
  std::string last_kernel_;
};

}  // namespace ww::nvidia
