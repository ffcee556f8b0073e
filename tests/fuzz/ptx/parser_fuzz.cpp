// Any bytes: the parser ends with a module or one error with a place, and the printer prints every module.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ptx/parser.h"
#include "ptx/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = ww::ptx::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!module.ok()) {
    if (module.error().line == 0) std::abort();
    return 0;
  }
  if (ww::ptx::print(**module).empty()) std::abort();
  return 0;
}
