// The shared memory of one block, with nothing around it: a 32-bit offset from its begin, taken with or without a sign,
// hits the block's memory or faults.
#pragma once

#include "cpu/reservation.h"

namespace ww::cpu {

class SharedWindow {
 public:
  static constexpr uint64_t kMost = 256 * 1024;

  // At most kMost bytes, ending at a page's end and aligned to 1024: bytes beyond the next multiple of 1024 fault.
  // Contents are arbitrary. Null: the system has no such memory.
  std::byte* place(uint64_t bytes) {
    constexpr uint64_t kBelow = uint64_t(1) << 31, kAbove = (uint64_t(1) << 32) + Reservation::kPage;
    if (range_.begin() == nullptr && (!range_.reserve(kBelow + kMost + kAbove) || !range_.open(kBelow, kMost)))
      return nullptr;
    return range_.begin() + kBelow + kMost - (bytes + 1023) / 1024 * 1024;
  }
  bool contains(uint64_t address) const { return range_.contains(address); }

 private:
  Reservation range_;
};

}  // namespace ww::cpu
