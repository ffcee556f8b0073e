#include "frame/guides.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "frame/display.h"

namespace ww::frame {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

float median(const Image& image) {
  std::vector<float> values = image.data;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string jitter_fix(float least, float most) {
  if (least >= 0.0f && most <= 1.0f) return "subtract 0.5: it seems to be counted from the pixel's corner";
  if (std::max(-least, most) <= 1.0f) return "halve it: it seems to be in half pixels";
  return "give it in render pixels, as the offset of the sample from the pixel's centre";
}

}  // namespace

ChannelRange measure_channel(const Image& image, int channel) {
  ChannelRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 0.0};
  double sum = 0.0, count = 0.0;
  for (size_t i = static_cast<size_t>(channel); i < image.data.size(); i += static_cast<size_t>(image.channels)) {
    const float value = image.data[i];
    if (!std::isfinite(value)) continue;
    range.least = std::min(range.least, value);
    range.largest = std::max(range.largest, value);
    sum += value;
    count += 1.0;
  }
  range.mean = count > 0.0 ? sum / count : 0.0;
  return range;
}

GuideChecker::GuideChecker(const Sequence& sequence) : sequence_(sequence), judge_(sequence) {}

void GuideChecker::warn(std::vector<GuideWarning>& out, const std::string& kind, std::string text) {
  if (said_.insert(kind).second) out.push_back({kind, std::move(text)});
}

std::vector<GuideWarning> GuideChecker::check_description() {
  std::vector<GuideWarning> out;
  const Size render = sequence_.render, output = sequence_.output;
  const double scale_x = static_cast<double>(output.width) / render.width;
  const double scale_y = static_cast<double>(output.height) / render.height;
  // Half a pixel of rounding on each side, and one percent.
  const double slack = 0.5 / render.width + 0.5 / render.height + 0.01;
  if (std::abs(scale_x / scale_y - 1.0) > slack)
    warn(out, "sizes",
         "render and output size disagree in shape (scale " + number(scale_x) + " across, " + number(scale_y) +
             " down): check `render` and `output` in sequence.json");

  float least = 1e9f, most = -1e9f;
  bool all_same = true;
  for (const FrameEntry& frame : sequence_.frames) {
    least = std::min({least, frame.jitter_x, frame.jitter_y});
    most = std::max({most, frame.jitter_x, frame.jitter_y});
    all_same =
        all_same && frame.jitter_x == sequence_.frames[0].jitter_x && frame.jitter_y == sequence_.frames[0].jitter_y;
  }
  constexpr float kRounding = 1e-4f;
  if (least < -0.5f - kRounding || most > 0.5f + kRounding)
    warn(out, "jitter",
         "jitter is out of range (" + number(least) + " to " + number(most) +
             ", expected -0.5 to 0.5): " + jitter_fix(least, most));
  else if (all_same && sequence_.frames.size() >= 4)
    warn(out, "jitter",
         "jitter is the same in every frame, so that frames add nothing to each other: offset the camera a little each "
         "frame, and write the offset");
  return out;
}

void GuideChecker::check_depth(std::vector<GuideWarning>& out, size_t index, const Image& depth) {
  const ChannelRange range = measure_channel(depth, 0);
  const std::string where = " (frame " + std::to_string(index) + ")";
  const DepthKind kind = sequence_.depth.kind;
  if (range.least == 0.0f && range.largest == 0.0f) {
    warn(out, "depth", "depth is zero everywhere" + where + ": write the depth buffer before it is cleared");
  } else if (range.least == range.largest) {
    warn(out, "depth",
         "depth is " + number(range.least) + " everywhere" + where + ": write the depth buffer of the frame");
  } else if (kind == DepthKind::kLinearView && range.least < 0.0f) {
    warn(out, "depth", "depth has negative metres" + where + ": negate it if the camera looks along -z");
  } else if (kind == DepthKind::kLinearView && range.largest <= 1.0f && sequence_.depth.far > 10.0f) {
    warn(out, "depth",
         "depth in metres never exceeds 1" + where +
             ": if it is the depth buffer, say \"inverted\" or \"regular\", with near and far");
  } else if (kind != DepthKind::kLinearView && (range.least < 0.0f || range.largest > 1.0f)) {
    warn(out, "depth",
         "depth is outside 0..1 (" + number(range.least) + " to " + number(range.largest) + ")" + where +
             ": if it is in metres, say \"linear-view-metres\"");
  } else if (kind == DepthKind::kInverted && median(depth) > 0.9f && range.largest < 1.0f + 1e-6f) {
    warn(out, "depth", "most of the depth is next to 1, the near plane" + where + ": it is probably \"regular\"");
  } else if (kind == DepthKind::kRegular && median(depth) < 0.1f) {
    warn(out, "depth", "most of the depth is next to 0, the near plane" + where + ": it is probably \"inverted\"");
  }
}

void GuideChecker::check_exposure(std::vector<GuideWarning>& out, size_t index, const Frame& frame, float exposure) {
  if (!sequence_.hdr) {
    if (measure_channel(frame.color, 0).largest > 1.0f + 1e-3f)
      warn(out, "exposure",
           "colour of frame " + std::to_string(index) + " exceeds 1 although `hdr` is false: say `hdr` true");
    return;
  }
  const double mean = measure_channel(luma(to_display(frame.color, {true, exposure})), 0).mean;
  if (mean < 0.01 || mean > 0.97)
    warn(out, "exposure",
         "frame " + std::to_string(index) + " is almost " + (mean < 0.5 ? "black" : "white") + " at exposure " +
             number(exposure) + ": exposure is a factor on linear colour (not stops); null has it measured");
}

std::vector<GuideWarning> GuideChecker::add(size_t index, const Frame& frame, float exposure) {
  std::vector<GuideWarning> out;
  if (frame.repaired_color + frame.repaired_guides > 0)
    warn(out, "values",
         "frame " + std::to_string(index) + " has " + std::to_string(frame.repaired_color) +
             " colour values that are negative or not finite and " + std::to_string(frame.repaired_guides) +
             " guide values that are not finite: they were replaced; check the shaders that write them");
  check_depth(out, index, frame.depth);
  check_exposure(out, index, frame, exposure);
  if (judge_.add(frame, sequence_.frames[index], sequence_.hdr ? exposure : 1.0f).is_cut)
    warn(out, "reset",
         "frame " + std::to_string(index) +
             " has nothing in common with the one before: if it is a camera cut, set its `reset`");
  if (const auto suspicion = judge_.suspicion()) warn(out, "motion", *suspicion);
  return out;
}

}  // namespace ww::frame
