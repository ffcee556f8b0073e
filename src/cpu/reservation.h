// A range of addresses that belongs to nobody: every access to it faults, until parts of it are opened.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ww::cpu {

class Reservation {
 public:
  Reservation() = default;
  ~Reservation();
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  // Sizes and offsets are multiples of kPage. False: the system has no such range.
  bool reserve(uint64_t bytes);
  // Makes a part readable and writable, zeroed on first use; closes it and gives its pages back. False: the system
  // refuses (no memory, or too many parts).
  bool open(uint64_t offset, uint64_t bytes);
  void close(uint64_t offset, uint64_t bytes);

  std::byte* begin() const { return begin_; }
  uint64_t size() const { return size_; }
  bool contains(uint64_t address) const { return address - reinterpret_cast<uint64_t>(begin_) < size_; }

  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t whole_pages(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

 private:
  std::byte* begin_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace ww::cpu
