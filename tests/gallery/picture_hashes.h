// Hashes of the pictures that `warpwave upscale` wrote: of their values, not of the files, whose bytes depend on the
// compressor.
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace ww::testing {

// File name -> SHA-256, in hexadecimal, of the R, G, B values of every *.exr in `folder` as little-endian f32, row by
// row. Errors: those of read_exr; a folder without pictures.
Result<std::map<std::string, std::string>> picture_hashes(const std::string& folder);

}  // namespace ww::testing
