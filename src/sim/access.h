// From an address to bytes: state spaces, windows of the generic space, and the checks of the sanitizer.
#pragma once

#include <cstdint>

#include "sim/launch.h"

namespace ww::sim {

enum class Access : uint8_t { kRead, kWrite, kAtomic };

// The bytes of [address, address + bytes) in a space, or null after a fault was reported: misaligned (to `alignment`),
// out of bounds, freed, read-only, or never written (if that is checked). `bytes` at most 32.
uint8_t* locate_checked(Warp& warp, const Op& op, unsigned lane, ptx::Space space, uint64_t address, uint32_t bytes,
                        uint32_t alignment, Access access);

// The same with a quick way for global memory: the allocation that the instruction touched last.
inline uint8_t* locate(Warp& warp, const Op& op, unsigned lane, ptx::Space space, uint64_t address, uint32_t bytes,
                       uint32_t alignment, Access access) {
  Block& block = warp.block;
  if (!block.launch.check_uninitialized && (address & (alignment - 1)) == 0) {
    if (space == ptx::Space::kShared) {
      if (address < block.shared.size() && bytes <= block.shared.size() - address) return block.shared.data() + address;
    } else if (const Allocation* last = block.last_allocation[(reinterpret_cast<uintptr_t>(&op) / sizeof(Op)) % 64];
               last) {
      const uint64_t offset = address - last->base;
      if (offset < last->size && bytes <= last->size - offset && (access == Access::kRead || !last->read_only))
        return last->bytes.get() + offset;
    }
  }
  return locate_checked(warp, op, lane, space, address, bytes, alignment, access);
}

}  // namespace ww::sim
