// Numbers as messages show addresses: 0x7f00.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace ww {

// "0x" and lower-case digits, no leading zeros.
inline std::string hexadecimal(uint64_t value) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, value, 16).ptr);
}

}  // namespace ww
