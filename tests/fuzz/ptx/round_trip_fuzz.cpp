// Any bytes: what the printer makes of a module parses to the same text and the same module.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ptx/module_difference.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = ww::ptx::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!module.ok()) return 0;
  const std::string once = ww::ptx::print(**module);
  const auto again = ww::ptx::parse(once, "printed");
  if (!again.ok()) {
    std::fprintf(stderr, "%s\n%s\n", again.error().to_string().c_str(), once.c_str());
    std::abort();
  }
  if (ww::ptx::print(**again) != once) {
    std::fprintf(stderr, "%s\n----\n%s\n", once.c_str(), ww::ptx::print(**again).c_str());
    std::abort();
  }
  if (const std::string where = ww::ptx::first_difference(**module, **again); !where.empty()) {
    std::fprintf(stderr, "printed and parsed, the module differs at %s\n%s\n", where.c_str(), once.c_str());
    std::abort();
  }
  return 0;
}
