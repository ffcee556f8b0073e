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
};

struct ExrInfo {
  Size size;
  std::vector<ExrChannel> channels;  // in the order of the file (sorted by name)

  // The channel of that name, or null.
  const ExrChannel* find(std::string_view name) const;
};

// Checks magic number, kind (one part, scan lines), windows (data equals display, origin 0,0), sizes, channels, and
// that the file is long enough to hold its chunk table. `name` stands in messages. Errors are kInput.
Result<ExrInfo> scan_exr_header(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace ww::frame
