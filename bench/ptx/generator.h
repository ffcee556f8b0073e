// PTX text of any size, in the manner of what compilers write: straight code, loops, memory, shuffles, calls.
#pragma once

#include <cstddef>
#include <string>

namespace ww::bench {

// A legal module of at least `bytes` bytes; the same size gives the same text.
std::string generate_module(size_t bytes);

}  // namespace ww::bench
