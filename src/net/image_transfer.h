// Host pictures to device images and back.
#pragma once

#include <memory>

#include "base/result.h"
#include "device/device.h"
#include "frame/image.h"

namespace ww::net {

// Creates an image of that size; format kF32 or kF16.
Result<std::unique_ptr<DeviceImage>> create_image(Device& device, Size size, uint32_t channels, ChannelFormat format);

// Copies `source` into `target`, which has the same size. Channels that only the target has become 0, those that only
// the source has are dropped. To kF16: rounded to nearest even, limited to +-65504.
Status upload_image(DeviceImage& target, const Image& source);

// Fills every channel with NaN, so that a texel nobody wrote is seen.
Status poison_image(DeviceImage& target);

// The first `channels` channels of `source` (kF32 or kF16) as floats.
Result<Image> download_image(DeviceImage& source, int channels);

}  // namespace ww::net
