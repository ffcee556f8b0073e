#include "cpu/device_heap.h"

#include "device/device.h"

namespace ww::cpu {

Status DeviceHeap::prepare(DeviceMemory& memory) {
  if (base_ != 0) return {};
  WW_ASSIGN(base_, memory.allocate(kHeapBytes));
  free_[base_] = kHeapBytes;
  return {};
}

uint64_t DeviceHeap::allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > kHeapBytes) return 0;
  const uint64_t taken = (bytes + 15) / 16 * 16 + 16;  // 16 closed bytes behind
  const std::lock_guard lock(mutex_);
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [address, size] = *range;
    if (size < taken) continue;
    free_.erase(range);
    if (size > taken) free_[address + taken] = size - taken;
    live_[address] = taken;
    return address;
  }
  return 0;
}

bool DeviceHeap::free(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  uint64_t size = found->second;
  live_.erase(found);
  // Joined with free neighbours.
  auto next = free_.lower_bound(address);
  if (next != free_.end() && address + size == next->first) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += size;
      return true;
    }
  }
  free_[address] = size;
  return true;
}

}  // namespace ww::cpu
