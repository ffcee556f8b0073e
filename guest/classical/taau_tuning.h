// The constants of taau.cu, found by measuring on held-out scenes (docs/classical.md).
#pragma once

namespace ww::tuning {

constexpr float kSharpness = 2.3f;  // of the kernel that gives a sample its weight: exp(-k d^2), d in output pixels
constexpr float kFallbackWeight = 0.1f;  // samples that an upsampled pixel without history counts as
constexpr float kMostSamples = 6.0f;     // samples that history counts as, at most
constexpr float kBoxSigmas = 1.25f;      // half width of the colour box in standard deviations
constexpr float kBoxSlack = 0.01f;       // ... and at least this much
constexpr float kDistrust = 1.0f;        // how fast history is forgotten that had to be moved into the box
constexpr float kDepthTolerance = 0.1f;  // relative depth by which the previous surface may be nearer
constexpr float kMovingLoss = 0.0f;      // share of the samples lost per output pixel of motion, each frame

}  // namespace ww::tuning
