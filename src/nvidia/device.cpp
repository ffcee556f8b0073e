#include "nvidia/device.h"

#include "nvidia/image.h"
#include "nvidia/module.h"

namespace ww::nvidia {
namespace {

// More dynamic shared memory than this has to be asked for (CUDA C++ programming guide, "Shared Memory" of each SM).
constexpr uint32_t kDefaultSharedBytes = 48 * 1024;

}  // namespace

Status NvidiaDevice::check(CuResult result, const std::string& what) const {
  Status status = context_->use().check(result, what);
  if (!status.ok()) status.error().kernel = last_kernel_;
  return status;
}

Result<DeviceAddress> NvidiaDevice::allocate(uint64_t bytes) {
  CuPointer address = 0;
  WW_TRY(check(context_->use().allocate(&address, bytes), "allocating " + std::to_string(bytes) + " bytes"));
  return address;
}

Status NvidiaDevice::free(DeviceAddress address) {
  return check(context_->use().free(address), "freeing memory");
}

Status NvidiaDevice::upload(DeviceAddress destination, std::span<const std::byte> source) {
  return check(context_->use().copy_to_device(destination, source.data(), source.size()), "copying to the GPU");
}

Status NvidiaDevice::download(std::span<std::byte> destination, DeviceAddress source) {
  return check(context_->use().copy_to_host(destination.data(), source, destination.size()), "copying from the GPU");
}

Status NvidiaDevice::fill(DeviceAddress destination, uint8_t value, uint64_t bytes) {
  return check(context_->use().fill(destination, value, bytes), "filling memory");
}

Result<std::unique_ptr<DeviceImage>> NvidiaDevice::create_image(const ImageDescription& description) {
  return Image::create(context_, description);
}

Result<std::unique_ptr<DeviceModule>> NvidiaDevice::load_module(std::string ptx, std::string name) {
  return Module::load(context_, std::move(ptx), name);
}

Status NvidiaDevice::launch(DeviceKernel& kernel, const Launch& launch) {
  const Kernel& ours = static_cast<Kernel&>(kernel);
  const KernelInfo& info = ours.info();
  if (launch.parameters.size() != info.parameter_bytes) {
    Error error = usage_error("the parameter block has the wrong size", "Lay it out as the kernel's parameters say");
    error.kernel = info.name;
    error.found = std::to_string(launch.parameters.size()) + " bytes";
    error.expected = std::to_string(info.parameter_bytes);
    return error;
  }
  const Driver& api = context_->use();
  last_kernel_ = info.name;
  if (launch.dynamic_shared_bytes + info.static_shared_bytes > kDefaultSharedBytes) {
    WW_TRY(check(api.function_set_attribute(ours.function(), kCuMaxDynamicSharedSizeBytes,
                                            static_cast<int>(launch.dynamic_shared_bytes)),
                 "asking for " + std::to_string(launch.dynamic_shared_bytes) + " bytes of dynamic shared memory"));
  }
  // The driver copies the parameters before the call returns.
  if (launch.cooperative) {
    std::vector<void*> parameters;
    for (const uint32_t offset : info.parameter_offsets)
      parameters.push_back(const_cast<std::byte*>(launch.parameters.data() + offset));
    return check(
        api.launch_cooperative(ours.function(), launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                               launch.block.y, launch.block.z, launch.dynamic_shared_bytes, nullptr, parameters.data()),
        "launching a cooperative grid");
  }
  size_t bytes = launch.parameters.size();
  void* extra[] = {kCuLaunchParamBufferPointer, const_cast<std::byte*>(launch.parameters.data()),
                   kCuLaunchParamBufferSize, &bytes, kCuLaunchParamEnd};
  return check(api.launch(ours.function(), launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                          launch.block.z, launch.dynamic_shared_bytes, nullptr, nullptr, bytes == 0 ? nullptr : extra),
               "launching");
}

Status NvidiaDevice::synchronize() {
  return check(context_->use().context_synchronize(), "running");
}

}  // namespace ww::nvidia
