// A kernel's parameters as one block of bytes, each at its natural alignment, in the order of the PTX signature.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace ww::testing {

template <typename... T>
std::vector<std::byte> kernel_parameters(T... values) {
  std::vector<std::byte> bytes;
  const auto add = [&](auto value) {
    bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value + sizeof value);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  };
  (add(values), ...);
  return bytes;
}

}  // namespace ww::testing
