// A file written piece by piece: under a temporary name that is renamed at the end, so that no reader ever sees half of
// it and a failure leaves what was there before. Devices, pipes and names of open files (/dev/stdout) are written to
// directly.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww {

class TemporaryFile;

class FileWriter {
 public:
  // kRuntime error: folder missing or unwritable, a folder of that name.
  static Result<std::unique_ptr<FileWriter>> open(const std::string& path);
  // Without `finish`: nothing is left behind.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Small pieces are gathered. What goes wrong is remembered for `finish`.
  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);
  // Writes what is left and renames. Call once. kRuntime error: disk full; nothing is left behind then.
  Status finish();

 private:
  explicit FileWriter(std::string path);
  void flush();
  void put(std::span<const uint8_t> bytes);

  std::string path_;
  std::unique_ptr<TemporaryFile> file_;  // null: `device_` is written to
  int device_ = -1;
  int code_ = 0;
  std::vector<uint8_t> gathered_;
};

// What a person can do when writing, or making a folder, fails with this errno.
std::string remedy_for_writing(int code);

}  // namespace ww
