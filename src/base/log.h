// Messages to a person that are no errors. Libraries say them here; the program decides where they go (the command:
// spdlog to the standard error stream). Without a sink, warnings go to the standard error stream and the rest nowhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ww {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning };

using LogSink = std::function<void(LogLevel, std::string_view)>;

// Replaces the sink; an empty one restores the default. Call it before other threads log.
void set_log_sink(LogSink sink);

// One message, one line, without level or newline. From any thread.
void log(LogLevel level, std::string_view message);

inline void log_debug(std::string_view message) {
  log(LogLevel::kDebug, message);
}
inline void log_info(std::string_view message) {
  log(LogLevel::kInfo, message);
}
inline void log_warning(std::string_view message) {
  log(LogLevel::kWarning, message);
}

}  // namespace ww
