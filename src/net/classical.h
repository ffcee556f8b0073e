// The classical upscalers: one kernel a frame. bilinear and lanczos look at the current frame alone, taau gathers
// frames.
#pragma once

#include <memory>
#include <string_view>

#include "net/upscaler.h"

namespace ww::net {

// method: "bilinear", "lanczos" or "taau".
Result<std::unique_ptr<Upscaler>> make_classical(std::string_view method, Device& device);

}  // namespace ww::net
