// docs/instructions.md, from the instruction table.
#pragma once

#include <string>

namespace ww::ptx {

std::string instructions_markdown();

}  // namespace ww::ptx
