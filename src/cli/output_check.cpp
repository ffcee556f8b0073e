#include "cli/output_check.h"

#include <algorithm>
#include <cmath>

namespace ww::cli {
namespace {

bool is_constant(const Image& image) {
  const size_t channels = static_cast<size_t>(image.channels);
  for (size_t i = channels; i < image.data.size(); ++i)
    if (image.data[i] != image.data[i - channels]) return false;
  return true;
}

Error bad_output(const std::string& what, size_t frame, net::Upscaler& upscaler) {
  Error error = runtime_error("output of frame " + std::to_string(frame) + " is " + what,
                              "Try another device (`warpwave devices`) or --numerics exact");
  error.found = "the first such result in pass " + upscaler.suspect_pass() + " of " + std::string(upscaler.name());
  return error;
}

}  // namespace

Status check_output(const Image& output, const Image& input, size_t frame, net::Upscaler& upscaler) {
  const auto bad = std::find_if(output.data.begin(), output.data.end(), [](float v) { return !std::isfinite(v); });
  if (bad != output.data.end()) {
    const size_t pixel = static_cast<size_t>(bad - output.data.begin()) / static_cast<size_t>(output.channels);
    const size_t width = static_cast<size_t>(output.width);
    return bad_output("not finite at pixel " + std::to_string(pixel % width) + "," + std::to_string(pixel / width),
                      frame, upscaler);
  }
  if (is_constant(output) && !is_constant(input))
    return bad_output(output.data[0] == 0.0f ? "all zero" : "the same everywhere", frame, upscaler);
  return {};
}

}  // namespace ww::cli
