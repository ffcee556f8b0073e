// The functions that compiled code may call, by the names that the vectoriser gives them ("cpu.match.any.b32" for
// ww.match.any.b32).
#pragma once

#include <span>
#include <string_view>

#include "cpu/warp_context.h"
#include "device/device.h"

namespace ww::cpu {

// Null if there is none. `isa`: mma functions exist once a level.
const void* runtime_function(HostIsa isa, std::string_view name);

// Names that LLVM's code generator calls by itself (memcpy, fma, division of 128 bits).
std::span<const std::string_view> runtime_library_calls();

}  // namespace ww::cpu
