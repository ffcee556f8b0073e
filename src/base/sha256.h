// SHA-256 (FIPS 180-4), for checking that a file is the one that was meant.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace ww {

std::array<uint8_t, 32> sha256(std::span<const uint8_t> bytes);

// The digest as 64 lower-case hexadecimal digits.
std::string sha256_text(std::span<const uint8_t> bytes);

}  // namespace ww
