#include "sim/access.h"

#include <algorithm>

#include "base/hexadecimal.h"

namespace ww::sim {
namespace {

const char* verb(Access access) {
  return access == Access::kRead ? "read" : access == Access::kWrite ? "write" : "atomic access";
}

// Checks or records which bytes were written. `written` may be null.
bool check_written(uint8_t* written, uint32_t bytes, Access access) {
  if (!written) return true;
  if (access != Access::kWrite)
    for (uint32_t i = 0; i < bytes; ++i)
      if (written[i] == 0) return false;
  if (access != Access::kRead) std::fill(written, written + bytes, uint8_t{1});
  return true;
}

}  // namespace

uint8_t* locate_checked(Warp& warp, const Op& op, unsigned lane, ptx::Space space, uint64_t address, uint32_t bytes,
                        uint32_t alignment, Access access) {
  Block& block = warp.block;
  const auto what = [&](const char* place, uint64_t shown) {
    return std::string(verb(access)) + " of " + std::to_string(bytes) + " bytes of " + place + " memory at " +
           hexadecimal(shown);
  };
  const uint64_t given = address;
  if (space == ptx::Space::kGeneric || space == ptx::Space::kNone) {
    if (address >= kSharedWindow && address < kSharedWindow + kWindowBytes) {
      space = ptx::Space::kShared;
      address -= kSharedWindow;
    } else if (address >= kLocalWindow && address < kLocalWindow + kWindowBytes) {
      space = ptx::Space::kLocal;
      address -= kLocalWindow;
    } else if (address >= kParameterWindow && address < kParameterWindow + kWindowBytes) {
      space = ptx::Space::kParam;
      address -= kParameterWindow;
    } else {
      space = ptx::Space::kGlobal;
    }
  }
  if ((address & (alignment - 1)) != 0) {
    warp.fault(op, lane,
               "misaligned " +
                   what(space == ptx::Space::kShared  ? "shared"
                        : space == ptx::Space::kLocal ? "local"
                                                      : "global",
                        given) +
                   " (needs a multiple of " + std::to_string(alignment) + ")");
    return nullptr;
  }
  uint8_t* found = nullptr;
  uint8_t* written = nullptr;
  switch (space) {
    case ptx::Space::kShared: {
      Block* owner = &block;
      if (address >> kRankShift != 0 && (address >> kRankShift) <= block.cluster.size()) {
        owner = &block.cluster.block(uint32_t(address >> kRankShift) - 1);
        address &= kOffsetMask;
        if (owner->live_threads == 0) {
          warp.fault(op, lane, what("shared", given) + " of a block of the cluster that has ended",
                     "Let the block wait at barrier.cluster until others have done with its memory");
          return nullptr;
        }
      }
      if (address >= owner->shared.size() || bytes > owner->shared.size() - address) {
        warp.fault(op, lane,
                   "out-of-bounds " + what("shared", given) + " (the block has " +
                       std::to_string(owner->shared.size()) + " bytes)");
        return nullptr;
      }
      found = owner->shared.data() + address;
      if (!owner->shared_written.empty()) written = owner->shared_written.data() + address;
      break;
    }
    case ptx::Space::kLocal: {
      LocalMemory& local = block.locals[warp.thread_of(lane)];
      if (address >= local.top || bytes > local.top - address) {
        warp.fault(
            op, lane,
            "out-of-bounds " + what("local", given) + " (the thread has " + std::to_string(local.top) + " bytes)");
        return nullptr;
      }
      found = local.bytes.data() + address;
      if (!local.written.empty()) written = local.written.data() + address;
      break;
    }
    case ptx::Space::kParam: {
      const auto& parameters = block.launch.parameters;
      if (access != Access::kRead || address >= parameters.size() || bytes > parameters.size() - address) {
        warp.fault(op, lane,
                   std::string(access == Access::kRead ? "out-of-bounds " : "illegal ") + what("parameter", given));
        return nullptr;
      }
      return reinterpret_cast<uint8_t*>(const_cast<std::byte*>(parameters.data())) + address;
    }
    default: {
      GlobalMemory& memory = block.launch.memory;
      Allocation* allocation = memory.find(address, bytes);
      if (!allocation) {
        const Allocation* below = memory.before(address);
        const bool freed = below && below->freed && address - below->base < below->size;
        warp.fault(op, lane,
                   std::string(freed ? "use after free: " : "out-of-bounds ") + what("global", given) + ": " +
                       memory.explain(address, bytes));
        return nullptr;
      }
      if (allocation->read_only && access != Access::kRead) {
        warp.fault(op, lane, "illegal " + what("constant", given));
        return nullptr;
      }
      block.last_allocation[(reinterpret_cast<uintptr_t>(&op) / sizeof(Op)) % 64] = allocation;
      found = allocation->bytes.get() + (address - allocation->base);
      if (allocation->written) written = allocation->written.get() + (address - allocation->base);
      break;
    }
  }
  if (!check_written(written, bytes, access)) {
    warp.fault(op, lane,
               "uninitialised " +
                   what(space == ptx::Space::kShared  ? "shared"
                        : space == ptx::Space::kLocal ? "local"
                                                      : "global",
                        given) +
                   ": nobody wrote all of these bytes");
    return nullptr;
  }
  return found;
}

}  // namespace ww::sim
