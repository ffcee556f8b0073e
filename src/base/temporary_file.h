// A file under a temporary name beside its target, renamed when it is whole. Whichever way the process ends in order
// (an error, a destructor, `abandon_temporary_files` before an early exit), nothing of an unfinished one is left.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ww {

class TemporaryFile {
 public:
  // Opens `target`.part-PID-N for writing; code() says whether that was possible.
  explicit TemporaryFile(std::string target);
  // Removes the file unless it was committed.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // The errno of the first step that failed; 0: none. Later steps do nothing.
  int code() const { return code_; }
  const std::string& name() const { return name_; }

  void write(std::span<const uint8_t> bytes);
  // Closes the file and renames it to the target.
  void commit();

 private:
  void close();
  void discard();

  std::string target_;
  std::string name_;
  int fd_ = -1;
  int code_ = 0;
  bool exists_ = false;
};

// Writes all of `bytes`; 0 or an errno.
int write_all(int fd, std::span<const uint8_t> bytes);

// For a process that is about to _exit while other threads may still write: removes every temporary file. From then on
// a thread that would make or rename one waits for ever.
void abandon_temporary_files();

}  // namespace ww
