// The heap behind malloc and free of kernels: kHeapBytes of device memory.
//
// Blocks lie apart by 16 bytes or more and are aligned to 16. What is written outside of one is not seen (--device sim
// sees it).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "base/result.h"
#include "cpu/device_memory.h"

namespace ww::cpu {

class DeviceHeap {
 public:
  // Takes the bytes from device memory; once is enough. Before a kernel runs that allocates.
  Status prepare(DeviceMemory& memory);

  // `bytes` > 0. 0: no room. Any thread may call.
  uint64_t allocate(uint64_t bytes);
  // False: `address` is no live block.
  bool free(uint64_t address);

 private:
  std::mutex mutex_;
  uint64_t base_ = 0;
  std::map<uint64_t, uint64_t> free_, live_;  // address: bytes
};

}  // namespace ww::cpu
