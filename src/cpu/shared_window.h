// The shared memory of one block, or of the blocks of a cluster, with nothing around it: a 32-bit offset from the begin
// of the first, taken with or without a sign, hits a block's memory or faults.
#pragma once

#include "cpu/reservation.h"
#include "cpu/warp_context.h"

namespace ww::cpu {

class SharedWindow {
 public:
  static constexpr uint64_t kMost = 256 * 1024;

  // At most kMost bytes for each block, 1 << kRankShift from one to the next, ending at a page's end and aligned to
  // 1024: bytes beyond the next multiple of 1024 fault. All of it has the same upper 32 bits of addresses. Contents are
  // arbitrary. Null: the system has no such memory.
  std::byte* place(uint64_t bytes, uint32_t blocks = 1) {
    constexpr uint64_t kBelow = uint64_t(1) << 31, kAbove = (uint64_t(1) << 32) + Reservation::kPage;
    if (range_.begin() == nullptr) {
      if (!range_.reserve(kBelow + kSlack + kMost + kAbove)) return nullptr;
      // Behind a multiple of all that the blocks of a cluster can span.
      const uint64_t begin = reinterpret_cast<uint64_t>(range_.begin()) + kBelow;
      first_ = kBelow + (kSlack - begin % kSlack);
    }
    while (open_ < blocks)
      if (!range_.open(first_ + (uint64_t(open_++) << kRankShift), kMost)) return nullptr;
    return range_.begin() + first_ + kMost - (bytes + 1023) / 1024 * 1024;
  }
  bool contains(uint64_t address) const { return range_.contains(address); }

 private:
  static constexpr uint64_t kSlack = uint64_t(16) << kRankShift;
  Reservation range_;
  uint64_t first_ = 0;  // of the first block's memory
  uint32_t open_ = 0;   // blocks
};

}  // namespace ww::cpu
