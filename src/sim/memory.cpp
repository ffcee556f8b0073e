#include "sim/memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/hexadecimal.h"
#include "device/device.h"

namespace ww::sim {

namespace {
constexpr uint64_t kRedZone = 256;
}  // namespace

Allocation* GlobalMemory::allocate(uint64_t size, uint64_t alignment, std::string name) {
  auto allocation = std::make_unique<Allocation>();
  allocation->bytes.reset(new (std::nothrow) uint8_t[size]);
  if (track_writes_) allocation->written.reset(new (std::nothrow) uint8_t[size]());
  if (!allocation->bytes || (track_writes_ && !allocation->written)) return nullptr;
  std::memset(allocation->bytes.get(), 0xcd, size);
  alignment = std::max<uint64_t>(alignment, 256);
  next_ = (next_ + alignment - 1) / alignment * alignment;
  allocation->base = next_;
  allocation->size = size;
  allocation->name = std::move(name);
  next_ += size + kRedZone;
  Allocation* result = allocation.get();
  allocations_.emplace(result->base, std::move(allocation));
  return result;
}

Allocation* GlobalMemory::allocate_from_heap(uint64_t size) {
  if (size == 0 || size > kHeapBytes - heap_used_) return nullptr;
  Allocation* allocation = allocate(size);
  if (allocation == nullptr) return nullptr;
  allocation->on_heap = true;
  heap_used_ += size;
  return allocation;
}

Allocation* GlobalMemory::begins_at(uint64_t address) {
  const auto found = allocations_.find(address);
  return found == allocations_.end() || found->second->freed ? nullptr : found->second.get();
}

void GlobalMemory::free(Allocation& allocation) {
  if (allocation.on_heap) heap_used_ -= allocation.size;
  allocation.freed = true;
  allocation.bytes.reset();
  allocation.written.reset();
}

Allocation* GlobalMemory::before(uint64_t address) {
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return nullptr;
  return std::prev(next)->second.get();
}

std::string GlobalMemory::explain(uint64_t address, uint64_t size) {
  if (address < 4096) return "a null pointer";
  const auto describe = [](const Allocation& a) {
    return std::to_string(a.size) + "-byte " + (a.name.empty() ? "allocation" : "variable '" + a.name + "'") + " at " +
           hexadecimal(a.base);
  };
  const auto next = allocations_.upper_bound(address);
  if (next != allocations_.end() && next->first - address <= kRedZone)
    return std::to_string(next->first - address) + " bytes before the " + describe(*next->second);
  Allocation* below = before(address);
  if (!below) return "no allocation is near";
  const uint64_t offset = address - below->base;
  if (offset < below->size)
    return below->freed ? "inside the freed " + describe(*below)
                        : std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                              " run over the end of the " + describe(*below);
  if (offset - below->size < 1 << 20)
    return std::to_string(offset - below->size) + " bytes past the end of the " + (below->freed ? "freed " : "") +
           describe(*below);
  return "no allocation is near";
}

}  // namespace ww::sim
