// OpenEXR in and out. Reads scan-line files with half or float channels and extra channels beside the ones asked for;
// writes ZIP-compressed scan lines. No exception of the library leaves this file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frame/exr_header.h"

namespace ww::frame {

// Channel names in the order in which they become the channels of an Image.
using ChannelNames = std::vector<std::string>;

inline const ChannelNames kRgb = {"R", "G", "B"};
inline const ChannelNames kMotionXy = {"X", "Y"};
inline const ChannelNames kDepthZ = {"Z"};

// The named channels of the file, converted to float (exact for half). With `expected` another size is an error.
// Errors (kInput): all of scan_exr_header, missing or integer channel, wrong size, damaged pixel data.
Result<Image> read_exr(const std::string& path, const ChannelNames& channels, std::optional<Size> expected = {});

// The same from bytes in memory; `name` stands in messages.
Result<Image> decode_exr(std::span<const uint8_t> bytes, const std::string& name, const ChannelNames& channels,
                         std::optional<Size> expected = {});

// Size and channels alone, without reading the pixels.
Result<ExrInfo> read_exr_info(const std::string& path);

// Whether read_exr would find the channels and the size it is asked for; damaged pixels are not seen.
Status check_exr(const std::string& path, const ChannelNames& channels, Size expected);

// Writes image.channels channels called `channels`. As half, values round to nearest even, and finite ones beyond
// +-65504 become +-65504. Errors (kRuntime): those of write_file.
Status write_exr(const std::string& path, const Image& image, const ChannelNames& channels, SampleType type);

}  // namespace ww::frame
