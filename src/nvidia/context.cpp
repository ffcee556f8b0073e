#include "nvidia/context.h"

namespace ww::nvidia {

std::string describe_gpu(const Driver& driver, CuDevice device) {
  char name[256] = {};
  int major = 0;
  int minor = 0;
  std::string description = driver.device_name(name, sizeof name - 1, device) == kCuSuccess ? name : "NVIDIA GPU";
  if (driver.device_attribute(&major, kCuComputeCapabilityMajor, device) == kCuSuccess &&
      driver.device_attribute(&minor, kCuComputeCapabilityMinor, device) == kCuSuccess) {
    description += ", sm_" + std::to_string(major) + std::to_string(minor);
  }
  return description + ", driver for CUDA " + std::to_string(driver.version / 1000) + "." +
         std::to_string(driver.version % 1000 / 10);
}

Result<std::shared_ptr<Context>> Context::open(int ordinal) {
  WW_ASSIGN(const Driver* api, driver());
  int count = 0;
  WW_TRY(api->check(api->device_count(&count), "counting the GPUs"));
  if (ordinal >= count) {
    Error error = usage_error("no such GPU", "Run `warpwave devices` to see what there is");
    error.found = "`nvidia:" + std::to_string(ordinal) + "`";
    error.expected = count == 0 ? "no NVIDIA GPU is here"
                                : "nvidia:0" + (count > 1 ? " to nvidia:" + std::to_string(count - 1) : std::string());
    return error;
  }
  CuDevice device = 0;
  CuContext context = nullptr;
  WW_TRY(api->check(api->device_get(&device, ordinal), "opening GPU " + std::to_string(ordinal)));
  WW_TRY(api->check(api->context_retain(&context, device), "making a context on GPU " + std::to_string(ordinal)));
  return std::shared_ptr<Context>(new Context(*api, ordinal, device, context));
}

Context::Context(const Driver& driver, int ordinal, CuDevice device, CuContext context)
    : driver_(driver),
      ordinal_(ordinal),
      device_(device),
      context_(context),
      description_(describe_gpu(driver, device)) {}

Context::~Context() {
  driver_.context_release(device_);
}

const Driver& Context::use() const {
  // It can only fail if the context is gone, which the call that follows reports.
  driver_.context_set_current(context_);
  return driver_;
}

}  // namespace ww::nvidia
