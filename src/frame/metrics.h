// How close two pictures are: PSNR, SSIM, largest difference, and differences counted in units of the last place.
#pragma once

#include <cstdint>
#include <span>

#include "frame/exr_header.h"
#include "frame/image.h"

namespace ww::frame {

// Peak signal-to-noise ratio in dB over all elements. Infinity if identical, NaN if anything is not finite. The images
// have the same size and channels.
double psnr(const Image& a, const Image& b, double peak = 1.0);

// Structural similarity of two 1-channel images in 0..1 (Wang et al. 2004, "Image quality assessment: from error
// visibility to structural similarity"): 11x11 Gaussian of sigma 1.5, K1 = 0.01, K2 = 0.03, mean over the positions
// where the window lies inside. NaN if a side is below 11 or anything is not finite.
double ssim(const Image& a, const Image& b);

// Largest absolute difference of two elements; infinity if a non-finite element differs.
double largest_difference(const Image& a, const Image& b);

// Differences of two tensors in units of the last place. A unit is that of the larger magnitude, but never smaller than
// the one at 2^-10, so that signs of near-zeros do not dominate. Two NaN count as identical; a non-finite value against
// anything else counts as infinitely far.
struct UlpReport {
  uint64_t count = 0;
  uint64_t identical = 0;
  uint64_t within_1 = 0;  // includes identical
  uint64_t within_4 = 0;  // includes within_1
  uint64_t finite = 0;    // both elements finite
  double largest = 0.0;   // units

  void add(const UlpReport& other);
};

// type: kHalf (10 fraction bits) or kFloat (23). a and b are of one length.
UlpReport compare_ulps(std::span<const float> a, std::span<const float> b, SampleType type);

}  // namespace ww::frame
