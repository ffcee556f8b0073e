#include "cpu/reservation.h"

#include <sys/mman.h>

namespace ww::cpu {

static constexpr int kNobody = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

Reservation::~Reservation() {
  if (begin_ != nullptr) munmap(begin_, size_);
}

bool Reservation::reserve(uint64_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_NONE, kNobody, -1, 0);
  if (memory == MAP_FAILED) return false;
  if (begin_ != nullptr) munmap(begin_, size_);
  begin_ = static_cast<std::byte*>(memory);
  size_ = bytes;
  return true;
}

bool Reservation::open(uint64_t offset, uint64_t bytes) {
  return mprotect(begin_ + offset, bytes, PROT_READ | PROT_WRITE) == 0;
}

void Reservation::close(uint64_t offset, uint64_t bytes) {
  // A fresh mapping in place drops the pages too. If the system refuses, the part stays open, which harms nobody.
  (void)mmap(begin_ + offset, bytes, PROT_NONE, kNobody | MAP_FIXED, -1, 0);
}

}  // namespace ww::cpu
