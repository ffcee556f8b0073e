// Whole files in and out. Reading is bounded; writing goes to a temporary name beside the target that is renamed when
// every byte is on its way, so that no reader ever sees half a file and a failure leaves what was there before.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww {

// The bytes of a regular file of at most `max_bytes`. kInput error: missing, not a file, no permission, too large.
Result<std::vector<uint8_t>> read_file(const std::string& path, uint64_t max_bytes = uint64_t{1} << 32);

// Replaces `path` by `bytes`. kRuntime error: folder missing or unwritable, disk full; nothing is left behind then.
Status write_file(const std::string& path, std::span<const uint8_t> bytes);
Status write_file(const std::string& path, std::string_view text);

// Makes the folder and those above it. kRuntime error when that can't be or a file of that name stands in the way.
Status make_folder(const std::string& path);

}  // namespace ww
