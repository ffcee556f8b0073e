#include "base/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <utility>

namespace ww {
namespace {

// The temporary files that exist now. The lock is held wherever one comes or goes, so that holding it for good ends all
// writing. Neither is ever destroyed: threads may write until the process is gone.
struct Registry {
  std::mutex mutex;
  std::set<std::string> names;
  unsigned count = 0;
};

Registry& registry() {
  static auto* const registry = new Registry;
  return *registry;
}

}  // namespace

int write_all(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

TemporaryFile::TemporaryFile(std::string target) : target_(std::move(target)) {
  const std::lock_guard lock(registry().mutex);
  name_ = target_ + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(registry().count++);
  fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    code_ = errno;
    return;
  }
  exists_ = true;
  registry().names.insert(name_);
}

TemporaryFile::~TemporaryFile() {
  close();
  discard();
}

void TemporaryFile::write(std::span<const uint8_t> bytes) {
  if (code_ == 0) code_ = write_all(fd_, bytes);
}

void TemporaryFile::commit() {
  close();  // reports late write errors of network file systems
  if (code_ != 0) return;
  const std::lock_guard lock(registry().mutex);
  if (::rename(name_.c_str(), target_.c_str()) != 0) {
    code_ = errno;
    return;
  }
  exists_ = false;
  registry().names.erase(name_);
}

void TemporaryFile::close() {
  if (fd_ < 0) return;
  if (::close(fd_) != 0 && code_ == 0) code_ = errno;
  fd_ = -1;
}

void TemporaryFile::discard() {
  if (!exists_) return;
  const std::lock_guard lock(registry().mutex);
  ::unlink(name_.c_str());
  exists_ = false;
  registry().names.erase(name_);
}

void abandon_temporary_files() {
  registry().mutex.lock();
  for (const std::string& name : registry().names) ::unlink(name.c_str());
}

}  // namespace ww
