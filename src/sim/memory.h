// Device memory with bounds: every allocation is known, red zones lie between them, addresses are never used twice.
//
// The generic address space has windows: shared memory of the block, local memory of the thread, kernel parameters; all
// else is global. `.const` variables are global memory that kernels may not write.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ww::sim {

constexpr uint64_t kSharedWindow = 0x0000'0002'0000'0000u;
constexpr uint64_t kLocalWindow = 0x0000'0003'0000'0000u;
constexpr uint64_t kParameterWindow = 0x0000'0004'0000'0000u;
constexpr uint64_t kWindowBytes = 0x0000'0001'0000'0000u;
constexpr uint64_t kGlobalBase = 0x0000'0070'0000'0000u;
constexpr uint64_t kFunctionBase = 0x0000'0006'0000'0000u;  // "addresses" of functions: base + 16 * index

struct Allocation {
  uint64_t base = 0, size = 0;
  std::unique_ptr<uint8_t[]> bytes;
  std::unique_ptr<uint8_t[]> written;  // one byte a byte, if uninitialised reads are checked
  bool freed = false;
  bool read_only = false;
  bool on_heap = false;  // of the kernels' malloc
  std::string name;      // of a variable; empty for allocations of the host
};

class GlobalMemory {
 public:
  explicit GlobalMemory(bool track_writes) : track_writes_(track_writes) {}

  // `size` > 0. Fresh bytes are 0xcd. Null if the host has no memory.
  Allocation* allocate(uint64_t size, uint64_t alignment = 256, std::string name = {});
  // Of the heap that kernels share: null if its 8 MB would not do.
  Allocation* allocate_from_heap(uint64_t size);
  // The live allocation that begins at `address`, or null.
  Allocation* begins_at(uint64_t address);
  void free(Allocation& allocation);

  // The live allocation that holds all of [address, address + size), or null.
  Allocation* find(uint64_t address, uint64_t size) {
    Allocation* candidate = before(address);
    if (!candidate || candidate->freed) return nullptr;
    const uint64_t offset = address - candidate->base;
    return offset < candidate->size && size <= candidate->size - offset ? candidate : nullptr;
  }
  // The last allocation, live or freed, that begins at or below `address`.
  Allocation* before(uint64_t address);
  // "12 bytes past the end of the 64-byte allocation at 0x...": why an access is wrong.
  std::string explain(uint64_t address, uint64_t size);

 private:
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;
  uint64_t next_ = kGlobalBase;
  uint64_t heap_used_ = 0;
  bool track_writes_;
};

}  // namespace ww::sim
