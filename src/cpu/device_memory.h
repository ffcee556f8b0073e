// The cpu device's global memory: allocations and module variables, each on pages of its own with closed pages around.
//
// All of it lies in one reserved range, apart from what the process owns, so that most wild addresses of a kernel fault
// rather than hit the heap: those beyond an allocation's end (rounded up to 256 bytes), in a freed one, or between two.
// An allocation ends at a page's end; the bytes in front of it on its first page can be hit.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "cpu/reservation.h"

namespace ww::cpu {

class DeviceMemory {
 public:
  static Result<std::unique_ptr<DeviceMemory>> create();

  // `bytes` > 0; the alignment is a power of two, at least 256. Fresh memory is not always zeroed.
  Result<uint64_t> allocate(uint64_t bytes, uint64_t alignment = 256);
  // False: no live allocation begins there.
  bool free(uint64_t address);

  // Bytes from `address` to the end of the live allocation that holds it; 0: none does.
  uint64_t bytes_from(uint64_t address) const;
  // Where an address lies, for messages: "12 bytes past the end of the 64-byte allocation at 0x7f...".
  std::string explain(uint64_t address) const;

 private:
  struct Allocation {
    uint64_t bytes = 0;
    uint64_t offset = 0, pages = 0;  // of its open pages in the range
  };

  Reservation range_;
  std::map<uint64_t, Allocation> live_;       // by address
  std::map<uint64_t, uint64_t> free_ranges_;  // offset: bytes
};

}  // namespace ww::cpu
