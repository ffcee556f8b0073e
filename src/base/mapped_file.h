// A file's bytes mapped read-only into memory: nothing is copied, and pages nobody touches are never read.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace ww {

// Owns the mapping. The file must not be cut short while it lives.
class MappedFile {
 public:
  // A regular file. kInput error: missing, not a file, no permission, larger than max_bytes. An empty file maps to an
  // empty span.
  static Result<MappedFile> open(const std::string& path, uint64_t max_bytes);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const uint8_t> bytes() const { return {static_cast<const uint8_t*>(address_), size_}; }

 private:
  void* address_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ww
