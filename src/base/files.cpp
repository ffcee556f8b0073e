#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file_writer.h"

namespace ww {
namespace {

// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string reason(int code) {
  return std::system_category().message(code);
}

std::string remedy_for_reading(int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return "Check the name and the folder";
    case EACCES:
    case EPERM:
      return "Give yourself permission to read it (chmod, or another user)";
    default:
      return "Check the disk that holds it";
  }
}

Error reading_error(const std::string& path, int code) {
  return input_error(path, "cannot read: " + reason(code), remedy_for_reading(code));
}

}  // namespace

Result<std::vector<uint8_t>> read_file(const std::string& path, uint64_t max_bytes) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return reading_error(path, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return reading_error(path, errno);
  if (!S_ISREG(info.st_mode)) {
    Error error = input_error(path, "cannot read", "Give the name of a file");
    error.found = S_ISDIR(info.st_mode) ? "a folder" : "a device or pipe";
    error.expected = "a file";
    return error;
  }
  if (static_cast<uint64_t>(info.st_size) > max_bytes) {
    Error error = input_error(path, "file is too large", "Check that this is the file that was meant");
    error.found = std::to_string(info.st_size) + " bytes";
    error.expected = "at most " + std::to_string(max_bytes);
    return error;
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0) {
      if (errno == EINTR) continue;
      return reading_error(path, errno);
    }
    if (got == 0) break;  // shortened while we read
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

Status write_file(const std::string& path, std::span<const uint8_t> bytes) {
  WW_ASSIGN(const std::unique_ptr<FileWriter> writer, FileWriter::open(path));
  writer->write(bytes);
  return writer->finish();
}

Status write_file(const std::string& path, std::string_view text) {
  return write_file(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

Status make_folder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) {
    Error error = runtime_error("cannot make the folder: " + code.message(), remedy_for_writing(code.value()));
    error.file = path;
    return error;
  }
  if (!std::filesystem::is_directory(path, code)) {
    Error error = runtime_error("cannot make the folder", "Remove the file, or choose another folder");
    error.file = path;
    error.found = "a file of that name";
    return error;
  }
  return {};
}

}  // namespace ww
