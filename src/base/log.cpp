#include "base/log.h"

#include <cstdio>
#include <mutex>
#include <utility>

namespace ww {
namespace {

std::mutex& sink_lock() {
  static std::mutex lock;
  return lock;
}

LogSink& current_sink() {
  static LogSink sink;
  return sink;
}

}  // namespace

void set_log_sink(LogSink sink) {
  const std::lock_guard<std::mutex> guard(sink_lock());
  current_sink() = std::move(sink);
}

void log(LogLevel level, std::string_view message) {
  const std::lock_guard<std::mutex> guard(sink_lock());
  if (current_sink()) {
    current_sink()(level, message);
  } else if (level == LogLevel::kWarning) {
    std::fprintf(stderr, "warning: %.*s\n", static_cast<int>(message.size()), message.data());
  }
}

}  // namespace ww
