// Ctrl-C. Long work asks `interrupted()` between steps and returns `interrupted_error()`, so that it ends in order.
#pragma once

#include <functional>

#include "base/error.h"

namespace ww::cli {

// Call first in main, before any other thread starts: a thread of its own waits for SIGINT, SIGTERM and SIGHUP (those
// that the parent process did not have ignored, as nohup does). When one comes, interrupted() turns true; work that has
// not ended half a second later (a long launch) is cut off: `cut_off` runs on that thread, beside the work, and the
// process ends with exit status 130. Files that are being written then are removed.
void watch_for_interrupt(std::function<void()> cut_off);

bool interrupted();

Error interrupted_error();

}  // namespace ww::cli
