// A bounded walk over the header of an OpenEXR file, before the library sees it: a hostile header is refused here with
// place and remedy, and nothing is allocated by what it claims. Layout: "OpenEXR File Layout" (openexr.com).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "frame/image.h"

namespace ww::frame {

enum class SampleType : uint8_t { kUint = 0, kHalf = 1, kFloat = 2 };  // the numbers of the file format

struct ExrChannel {
  std::string name;
  SampleType type = SampleType::kHalf;
  bool linear = false;  // pLinear: how B44 packed it
};

struct ExrInfo {
  Size size;
  std::vector<ExrChannel> channels;  // in the order of the file (sorted by name)
  uint8_t compression = 0;           // the number of the file format
  uint8_t line_order = 0;            // 0: increasing y, 1: decreasing y
  size_t header_bytes = 0;           // where the table of chunks begins

  // The channel of that name, or null.
  const ExrChannel* find(std::string_view name) const;
};

// Checks magic number, kind (one part, scan lines), windows (data equals display, origin 0,0), sizes, channels, and
// that the file is long enough to hold its chunk table. `name` stands in messages. Errors are kInput.
Result<ExrInfo> scan_exr_header(std::span<const uint8_t> bytes, const std::string& name);

// A header that says the same and no more: magic number, version and the attributes that every file has. The library
// reads it in place of the file's own, so it meets no attribute that was not checked here.
std::vector<uint8_t> plain_exr_header(const ExrInfo& info);

}  // namespace ww::frame
