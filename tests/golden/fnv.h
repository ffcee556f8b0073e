// FNV-1a, 64 bits (Fowler, Noll and Vo): tells texts apart, and seeds generators by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace ww::golden {

constexpr uint64_t kFnvBasis = 0xcbf29ce484222325u, kFnvPrime = 0x100000001b3u;

constexpr uint64_t fnv1a(std::string_view text) {
  uint64_t hash = kFnvBasis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return hash;
}

}  // namespace ww::golden
