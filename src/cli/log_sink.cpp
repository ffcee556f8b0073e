#include "cli/log_sink.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/log.h"

namespace ww::cli {

void install_log_sink(bool quiet, bool verbose) {
  const auto logger = spdlog::stderr_color_mt("warpwave");
  logger->set_pattern("%n: %^%l%$: %v");
  logger->set_level(verbose ? spdlog::level::debug : quiet ? spdlog::level::warn : spdlog::level::info);
  set_log_sink([logger](LogLevel level, std::string_view message) {
    constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn};
    logger->log(kLevels[static_cast<int>(level)], "{}", message);
  });
}

}  // namespace ww::cli
