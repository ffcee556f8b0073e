// Golden files: the recorded outputs of one case. Little-endian: "WWGOLD1\n", u32 number of outputs, u32 zero; then for
// each u64 bytes and the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/run_case.h"

namespace ww::golden {

Result<Outputs> read_golden(const std::string& path);
Status write_golden(const std::string& path, const Outputs& outputs);

// FNV-1a, 64 bits, in hexadecimal: tells whether PTX is still the text that was recorded.
std::string hash_of(std::string_view text);

}  // namespace ww::golden
