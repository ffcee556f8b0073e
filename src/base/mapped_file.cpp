#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ww {

Result<MappedFile> MappedFile::open(const std::string& path, uint64_t max_bytes) {
  const auto failed = [&](const std::string& what) {
    return input_error(path, what, "Give the path of a file that can be read");
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return failed(std::string("cannot open the file: ") + std::strerror(errno));
  struct Closer {
    int file;
    ~Closer() { ::close(file); }
  } closer{file};
  struct stat info {};
  if (fstat(file, &info) != 0) return failed(std::string("cannot look at the file: ") + std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return failed("not a regular file");
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > max_bytes) {
    Error error = failed("the file is too large");
    error.found = std::to_string(size) + " bytes";
    error.expected = "at most " + std::to_string(max_bytes) + " bytes";
    return error;
  }
  MappedFile mapped;
  if (size == 0) return mapped;
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (address == MAP_FAILED) return failed(std::string("cannot map the file: ") + std::strerror(errno));
  mapped.address_ = address;
  mapped.size_ = size;
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (address_ != nullptr) munmap(address_, size_);
}

}  // namespace ww
