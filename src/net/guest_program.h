// The PTX of guest programs, held inside the program so that the command needs no files beside it.
#pragma once

#include <string_view>

namespace ww::net {

// The PTX text of guest/.../NAME.cu, or empty if it is not one of those that src/net/CMakeLists.txt embeds.
std::string_view guest_program(std::string_view name);

}  // namespace ww::net
