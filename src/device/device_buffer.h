// Global memory of a device, freed with its owner.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "device/device.h"

namespace ww {

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), address_(std::exchange(other.address_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~DeviceBuffer() {
    if (device_ == nullptr) return;
    if (const Status freed = device_->free(address_); !freed.ok()) return;  // nothing a destructor could do about it
  }

  // `bytes` > 0, every byte 0xff: as halves and floats that is NaN, so that a value nobody wrote is seen.
  static Result<DeviceBuffer> create(Device& device, uint64_t bytes) {
    DeviceBuffer buffer;
    WW_ASSIGN(buffer.address_, device.allocate(bytes));
    buffer.device_ = &device;
    WW_TRY(device.fill(buffer.address_, 0xff, bytes));
    return buffer;
  }

  // A copy of `source`, which is not empty.
  template <typename T>
  static Result<DeviceBuffer> create_from(Device& device, std::span<const T> source) {
    WW_ASSIGN(DeviceBuffer buffer, create(device, source.size_bytes()));
    WW_TRY(device.upload(buffer.address_, std::as_bytes(source)));
    return buffer;
  }

  DeviceAddress address() const { return address_; }

 private:
  Device* device_ = nullptr;
  DeviceAddress address_ = 0;
};

}  // namespace ww
