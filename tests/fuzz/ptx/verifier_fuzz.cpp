// Any module that parses: the verifier ends, with success or one error with a place.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ptx/parser.h"
#include "ptx/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = ww::ptx::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!module.ok()) return 0;
  const auto status = ww::ptx::verify(**module);
  if (!status.ok() && status.error().line == 0) std::abort();
  return 0;
}
