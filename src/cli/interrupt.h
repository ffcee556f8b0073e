// Ctrl-C. Long work asks `interrupted()` between steps and returns `interrupted_error()`, so that it ends in order.
#pragma once

#include <functional>

#include "base/error.h"

namespace ww::cli {

// Call first in main, before any other thread starts: a thread of its own waits for SIGINT. When one comes,
// interrupted() turns true; work that has not ended half a second later (a long launch) is cut off: `cut_off` runs and
// its value is the exit status.
void watch_for_interrupt(std::function<int()> cut_off);

bool interrupted();

Error interrupted_error();

}  // namespace ww::cli
