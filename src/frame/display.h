// Display space: what metrics, losses and pictures for people are measured in. For HDR colour: c * exposure, then
// c / (1 + max(r, g, b)), then the sRGB curve (IEC 61966-2-1). For colour of `hdr: false`, linear 0..1: the curve
// alone.
#pragma once

#include "frame/image.h"

namespace ww::frame {

// The sRGB curve and its inverse. Values below 0 become 0; a NaN stays one.
float srgb_encode(float linear);
float srgb_decode(float coded);

// How one frame is shown.
struct DisplayTransform {
  bool hdr = true;
  float exposure = 1.0f;  // positive; used where hdr
};

// Linear RGB (3 channels) to display-coded RGB in 0..1. Not finite in: NaN out.
Image to_display(const Image& linear, const DisplayTransform& transform);

// Display-coded RGB (0..1) to linear RGB, each channel through srgb_decode.
Image linear_of_display_coded(const Image& coded);

// Rec. 709 luma (0.2126, 0.7152, 0.0722) of each pixel of an RGB image, 1 channel.
Image luma(const Image& rgb);

}  // namespace ww::frame
