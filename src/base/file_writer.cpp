#include "base/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/temporary_file.h"

namespace ww {
namespace {

constexpr size_t kGathered = 64 * 1024;  // bytes, before they are written

// Names of what the process has open (/dev/stdout, /dev/fd/3). They may lead to a regular file, but renaming would
// replace the name in /dev.
bool is_descriptor(const std::string& path) {
  return path.starts_with("/dev/") || path.starts_with("/proc/");
}

// A link stays; the file that it leads to is replaced.
std::string behind_links(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::is_symlink(path, problem)) return path;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, problem);
  return problem ? path : real.string();
}

}  // namespace

std::string remedy_for_writing(int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return "Make the folder first, or choose another one";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Choose a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "Free some space, or write to another disk";
    default:
      return "Check the disk, or write to another one";
  }
}

static Error writing_error(const std::string& path, int code) {
  Error error = runtime_error("cannot write: " + std::system_category().message(code), remedy_for_writing(code));
  error.file = path;
  return error;
}

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {}

FileWriter::~FileWriter() {
  if (device_ >= 0) ::close(device_);
}

Result<std::unique_ptr<FileWriter>> FileWriter::open(const std::string& path) {
  std::unique_ptr<FileWriter> writer(new FileWriter(path));
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return writing_error(path, EISDIR);
  if (is_descriptor(path) || (exists && !S_ISREG(info.st_mode))) {
    // Appending: an open file may have been written to already.
    writer->device_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (writer->device_ < 0) return writing_error(path, errno);
    return writer;
  }
  writer->file_ = std::make_unique<TemporaryFile>(behind_links(path));
  if (const int code = writer->file_->code(); code != 0) return writing_error(path, code);
  return writer;
}

void FileWriter::write(std::span<const uint8_t> bytes) {
  if (gathered_.size() + bytes.size() > kGathered) flush();
  if (bytes.size() > kGathered) return put(bytes);
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
}

void FileWriter::write(std::string_view text) {
  write(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

void FileWriter::flush() {
  put(gathered_);
  gathered_.clear();
}

void FileWriter::put(std::span<const uint8_t> bytes) {
  if (file_ != nullptr) {
    file_->write(bytes);
  } else if (code_ == 0) {
    code_ = write_all(device_, bytes);
  }
}

Status FileWriter::finish() {
  flush();
  if (file_ != nullptr) {
    file_->commit();
    code_ = file_->code();
  }
  if (code_ != 0) return writing_error(path_, code_);
  return {};
}

}  // namespace ww
