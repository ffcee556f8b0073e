#include "cli/trace_file.h"

#include <charconv>
#include <utility>

#include "base/log.h"

namespace ww::cli {
namespace {

Result<ThreadPosition> parse_thread(const std::string& text) {
  ThreadPosition at;
  const char* from = text.data();
  const char* const end = text.data() + text.size();
  constexpr std::string_view kBehind = ",,:,,";
  for (size_t i = 0; i < 6; ++i) {
    uint32_t& number = i < 3 ? at.block[i] : at.thread[i - 3];
    const auto [stop, problem] = std::from_chars(from, end, number);
    const bool good = problem == std::errc() && (i < 5 ? stop != end && *stop == kBehind[i] : stop == end);
    if (!good) {
      Error error = usage_error("a thread to trace can't be read", "Write block, colon, thread");
      error.found = "--trace-thread " + text;
      error.expected = "X,Y,Z:X,Y,Z, such as 0,0,0:5,0,0";
      return error;
    }
    from = stop + 1;
  }
  return at;
}

std::string spelled(const std::array<uint32_t, 3>& xyz) {
  return std::to_string(xyz[0]) + "," + std::to_string(xyz[1]) + "," + std::to_string(xyz[2]);
}

}  // namespace

Result<std::shared_ptr<TraceFile>> TraceFile::open(const std::string& path, const std::vector<std::string>& threads) {
  std::vector<ThreadPosition> positions;
  for (const std::string& text : threads) {
    WW_ASSIGN(const ThreadPosition at, parse_thread(text));
    positions.push_back(at);
  }
  if (positions.empty()) positions.emplace_back();
  WW_ASSIGN(auto file, FileWriter::open(path));
  std::shared_ptr<TraceFile> trace(new TraceFile(std::move(file)));
  trace->has_line_.resize(positions.size());
  trace->threads_ = std::move(positions);
  return trace;
}

TraceOptions TraceFile::options() {
  return {threads_, [this](size_t thread, std::string_view line) {
            has_line_[thread] = true;
            file_->write(line);
          }};
}

Status TraceFile::finish() {
  for (size_t i = 0; i < threads_.size(); ++i)
    if (!has_line_[i])
      log_warning("--trace-thread " + spelled(threads_[i].block) + ":" + spelled(threads_[i].thread) +
                  ": this thread ran nothing. Choose one inside of the launch's grid and block");
  return file_->finish();
}

}  // namespace ww::cli
