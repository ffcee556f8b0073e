// Whether an upscaled frame can be one at all: a kernel that did not run, or ran wrong, mostly leaves NaN or one value.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "net/upscaler.h"

namespace ww::cli {

// An error (kRuntime) that names frame and pass if `output` is not finite somewhere, all zero, or constant while the
// input's colour is not.
Status check_output(const Image& output, const Image& input, size_t frame, net::Upscaler& upscaler);

}  // namespace ww::cli
