// --trace and --trace-thread: the file that a device's trace goes to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file_writer.h"
#include "base/result.h"
#include "device/device.h"

namespace ww::cli {

class TraceFile {
 public:
  // `threads` as "block.x,block.y,block.z:thread.x,thread.y,thread.z"; empty: thread 0,0,0 of block 0,0,0. kUsage: a
  // thread that can't be read; kRuntime: a file that can't be written.
  static Result<std::shared_ptr<TraceFile>> open(const std::string& path, const std::vector<std::string>& threads);

  // For the device that is traced; it must be used no longer than this lives.
  TraceOptions options();

  // When the device has done its work: puts the file in its place. Threads without a line are warned of. kRuntime: the
  // disk is full.
  Status finish();

 private:
  explicit TraceFile(std::unique_ptr<FileWriter> file) : file_(std::move(file)) {}

  std::unique_ptr<FileWriter> file_;
  std::vector<ThreadPosition> threads_;
  std::vector<bool> has_line_;  // by thread
};

}  // namespace ww::cli
