// Exposure for sequences that give none: the log-average luminance of the colour plane (Reinhard et al. 2002,
// "Photographic Tone Reproduction for Digital Images", equation 1), brought to middle grey, smoothed over frames.
#pragma once

#include <optional>

#include "frame/image.h"

namespace ww::frame {

// The factor that brings the plane's log-average luminance to 0.18: 0.18 / 2^mean(log2(L + 2^-14)), L the Rec. 709
// luminance of linear RGB with negative and non-finite values as 0. Limited to 2^-16 .. 2^16.
float measure_exposure(const Image& color);

// Follows a sequence, frame by frame.
class ExposureMeter {
 public:
  // The factor to use for this frame. In log2, a quarter of the way from the last factor to the measured one; all the
  // way at a reset and at the first frame.
  float next(const Image& color, bool reset);

 private:
  std::optional<float> log2_factor_;
};

}  // namespace ww::frame
