// Any bytes as a safetensors file: tensors inside the file, or refused with a remedy. Seeds:
// tests/fuzz/net/seeds/safetensors.
#include <cstdint>
#include <cstdlib>

#include "net/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tensors = ww::net::parse_safetensors({data, size}, "fuzz.safetensors");
  if (!tensors.ok()) {
    if (tensors.error().fix.empty()) std::abort();
    return 0;
  }
  unsigned sum = 0;  // every byte of every tensor can be read; the sum never gets as far as ~0
  for (const auto& [name, tensor] : *tensors)
    for (const uint8_t byte : tensor.bytes) sum += byte;
  return sum == ~0u ? -1 : 0;
}
