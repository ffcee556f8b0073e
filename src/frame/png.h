// PNG in and out through libpng: display-coded colour of sequences with `hdr: false`, and pictures for people.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "frame/image.h"

namespace ww::frame {

// RGB in 0..1 as coded in the file (no gamma applied), 8 or 16 bits a channel; grey, palette and low bit depths are
// expanded, alpha is dropped. With `expected` another size is an error. Errors (kInput): no PNG, damaged, too large.
Result<Image> read_png(const std::string& path, std::optional<Size> expected = {});

// The same from bytes in memory; `name` stands in messages.
Result<Image> decode_png(std::span<const uint8_t> bytes, const std::string& name, std::optional<Size> expected = {});

// Writes 1 (grey) or 3 (RGB) channels, display-coded; values are clamped to 0..1 (NaN to 0) and rounded to the nearest
// of 2^bits - 1 steps. bits: 8 or 16. Errors (kRuntime): those of write_file.
Status write_png(const std::string& path, const Image& image, int bits = 8);

}  // namespace ww::frame
