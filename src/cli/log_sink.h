// Where the libraries' messages go: spdlog, on the standard error stream.
#pragma once

namespace ww::cli {

// Warnings always; information unless `quiet`; details with `verbose`.
void install_log_sink(bool quiet, bool verbose);

}  // namespace ww::cli
