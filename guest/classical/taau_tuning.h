// The constants of taau.cu, found by measuring on twelve scenes of the training families (docs/classical.md).
#pragma once

namespace ww::tuning {

constexpr float kSharpness = 2.3f;  // of the kernel that gives a sample its weight: exp(-k d^2), d in output pixels
constexpr float kFallbackWeight = 0.3f;  // samples that an upsampled pixel without history counts as
constexpr float kMostSamples = 6.0f;     // samples that history counts as, at most
constexpr float kBoxSigmas = 2.0f;       // half width of the colour box in standard deviations
constexpr float kBoxSlack = 0.02f;       // ... and at least this much
constexpr float kDistrust = 0.3f;        // how fast history is forgotten that had to be moved into the box
constexpr float kDepthTolerance = 0.1f;  // relative depth by which the previous surface may be nearer

}  // namespace ww::tuning
