// Judges motion vectors by the pictures: if the previous picture moved along the vectors explains the current one
// clearly worse than along the same vectors with another sign or unit, that other convention is the likely one.
#include <algorithm>
#include <cmath>
#include <utility>

#include "frame/display.h"
#include "frame/guides.h"

namespace ww::frame {

// A convention that vectors and jitter may have been written in: what to multiply them by to get ours.
struct MotionJudge::Hypothesis {
  const char* mistake;  // null: as they are
  float sign_x, sign_y;
  enum Unit { kPixels, kPicture, kHalfPicture, kOutput, kNothing } unit;
  float jitter;
};

namespace {

constexpr double kWorst = 0.25;       // a difference counts at most this much
constexpr int kPairsNeeded = 3;       // pairs of frames before a verdict
constexpr double kClearlyLess = 0.7;  // ratio of errors that counts as clear
constexpr double kLeastGain = 0.004;  // ... and so much of the display range

// Display luma, averaged over 3x3 so that the jitter matters less.
Image smoothed_luma(const Image& color, float exposure, bool hdr) {
  const Image grey = luma(to_display(color, {hdr, exposure}));
  Image smooth(grey.width, grey.height, 1);
  for (int y = 0; y < grey.height; ++y)
    for (int x = 0; x < grey.width; ++x) {
      float sum = 0.0f;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
          sum += grey.at(std::clamp(x + i, 0, grey.width - 1), std::clamp(y + j, 0, grey.height - 1), 0);
      smooth.at(x, y, 0) = sum / 9.0f;
    }
  return smooth;
}

// Bilinear; NaN outside.
float sample(const Image& image, float x, float y) {
  if (!(x >= 0.0f && y >= 0.0f && x <= static_cast<float>(image.width - 1) &&
        y <= static_cast<float>(image.height - 1)))
    return std::nanf("");
  const int x0 = std::min(static_cast<int>(x), std::max(image.width - 2, 0));
  const int y0 = std::min(static_cast<int>(y), std::max(image.height - 2, 0));
  const int x1 = std::min(x0 + 1, image.width - 1), y1 = std::min(y0 + 1, image.height - 1);
  const float fx = x - static_cast<float>(x0), fy = y - static_cast<float>(y0);
  const float top = image.at(x0, y0, 0) + fx * (image.at(x1, y0, 0) - image.at(x0, y0, 0));
  const float bottom = image.at(x0, y1, 0) + fx * (image.at(x1, y1, 0) - image.at(x0, y1, 0));
  return top + fy * (bottom - top);
}

// Correlation of the two pictures' coarse structure: 16x16 cells.
double coarse_correlation(const Image& a, const Image& b) {
  constexpr int kCells = 16;
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (int j = 0; j < kCells; ++j)
    for (int i = 0; i < kCells; ++i) {
      const int x0 = a.width * i / kCells, x1 = std::max(x0 + 1, a.width * (i + 1) / kCells);
      const int y0 = a.height * j / kCells, y1 = std::max(y0 + 1, a.height * (j + 1) / kCells);
      double va = 0, vb = 0;
      for (int y = y0; y < std::min(y1, a.height); ++y)
        for (int x = x0; x < std::min(x1, a.width); ++x) {
          va += a.at(x, y, 0);
          vb += b.at(x, y, 0);
        }
      const double count = static_cast<double>(x1 - x0) * (y1 - y0);
      va /= count, vb /= count;
      sum_a += va, sum_b += vb, aa += va * va, bb += vb * vb, ab += va * vb;
    }
  const double n = kCells * kCells;
  const double var_a = aa / n - sum_a * sum_a / (n * n), var_b = bb / n - sum_b * sum_b / (n * n);
  if (var_a < 1e-6 || var_b < 1e-6) return 1.0;  // a flat picture says nothing
  return (ab / n - sum_a * sum_b / (n * n)) / std::sqrt(var_a * var_b);
}

}  // namespace

const std::vector<MotionJudge::Hypothesis>& MotionJudge::hypotheses() {
  using H = Hypothesis;
  static const std::vector<Hypothesis> all = {
      {nullptr, 1, 1, H::kPixels, 1},
      {"they point where the surface goes instead of where it was: negate both channels", -1, -1, H::kPixels, 1},
      {"they have y up instead of down: negate Y", 1, -1, H::kPixels, 1},
      {"they have x to the left: negate X", -1, 1, H::kPixels, 1},
      {"they are in fractions of the picture (UV): multiply X by the render width and Y by the render height", 1, 1,
       H::kPicture, 1},
      {"they are in fractions of the picture (UV) and of the other sign: multiply by minus the render size", -1, -1,
       H::kPicture, 1},
      {"they are in normalised device coordinates (-1..1): multiply X by half the render width and Y by half the "
       "render "
       "height",
       1, 1, H::kHalfPicture, 1},
      {"they are in normalised device coordinates (-1..1, y up): multiply X by half the render width and Y by minus "
       "half "
       "the render height",
       1, -1, H::kHalfPicture, 1},
      {"they are in normalised device coordinates (-1..1, y up) and of the other sign: multiply X by minus half the "
       "render width and Y by half the render height",
       -1, 1, H::kHalfPicture, 1},
      {"they are in output pixels: divide them by the upscaling factor", 1, 1, H::kOutput, 1},
      {"they contain the jitter: take the difference of the two frames' jitter out of them", 1, 1, H::kPixels, 0},
      {"or the jitter is: it seems to have the other sign", 1, 1, H::kPixels, -1},
      {"they do not belong to what moves in the picture: check that each frame has its own plane", 0, 0, H::kNothing,
       1},
  };
  return all;
}

MotionJudge::MotionJudge(const Sequence& sequence)
    : render_(sequence.render), output_(sequence.output), errors_(hypotheses().size(), 0.0) {}

MotionJudge::Verdict MotionJudge::add(const Frame& frame, const FrameEntry& entry, float exposure) {
  Image now = smoothed_luma(frame.color, exposure, true);
  // The sample of pixel x lies at x + jitter, in either frame. Jitter that can't be one is another warning's matter.
  const bool plausible = std::max(std::abs(entry.jitter_x), std::abs(entry.jitter_y)) <= 1.0f;
  const float jitter[2] = {plausible ? entry.jitter_x : 0.0f, plausible ? entry.jitter_y : 0.0f};
  const float jitter_x = jitter[0] - std::exchange(previous_jitter_[0], jitter[0]);
  const float jitter_y = jitter[1] - std::exchange(previous_jitter_[1], jitter[1]);
  if (entry.reset || previous_.empty()) {
    previous_ = std::move(now);
    return {};
  }
  const float width = static_cast<float>(render_.width), height = static_cast<float>(render_.height);
  const float scale_x = width / static_cast<float>(output_.width),
              scale_y = height / static_cast<float>(output_.height);
  const float units[][2] = {{1, 1}, {width, height}, {width / 2, height / 2}, {scale_x, scale_y}, {0, 0}};
  const int step = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(render_.pixels()) / 8192.0)));

  std::vector<double> errors(errors_.size(), 0.0);
  double points = 0.0;
  for (int y = step / 2; y < render_.height; y += step)
    for (int x = step / 2; x < render_.width; x += step) {
      const float mx = frame.motion.at(x, y, 0), my = frame.motion.at(x, y, 1);
      largest_motion_ = std::max(largest_motion_, static_cast<double>(std::hypot(mx, my)));
      points += 1.0;
      for (size_t h = 0; h < errors.size(); ++h) {
        const Hypothesis& hypothesis = hypotheses()[h];
        const float* unit = units[hypothesis.unit];
        const float before =
            sample(previous_, static_cast<float>(x) + mx * hypothesis.sign_x * unit[0] + jitter_x * hypothesis.jitter,
                   static_cast<float>(y) + my * hypothesis.sign_y * unit[1] + jitter_y * hypothesis.jitter);
        const double error = std::abs(static_cast<double>(before) - now.at(x, y, 0));
        errors[h] += error < kWorst ? error : kWorst;  // NaN: outside counts as worst
      }
    }
  const double best = *std::min_element(errors.begin(), errors.end()) / points;
  const bool is_cut = best > 0.08 && coarse_correlation(previous_, now) < 0.3;
  previous_ = std::move(now);
  if (is_cut) return {true};
  for (size_t h = 0; h < errors.size(); ++h) errors_[h] += errors[h] / points;
  ++pairs_;
  return {};
}

std::optional<std::string> MotionJudge::suspicion() const {
  if (pairs_ < kPairsNeeded) return std::nullopt;
  const double given = errors_[0] / pairs_;
  if (largest_motion_ == 0.0) {
    if (given < 0.03) return std::nullopt;
    return "motion is zero everywhere although the picture changes: write the motion vectors, or mark every frame "
           "reset";
  }
  size_t best = 0;
  for (size_t h = 1; h < errors_.size(); ++h)
    if (errors_[h] < errors_[best]) best = h;
  const double least = errors_[best] / pairs_;
  if (best == 0 || least > given * kClearlyLess || given - least < kLeastGain) return std::nullopt;
  return std::string("motion vectors seem wrong: ") + hypotheses()[best].mistake;
}

}  // namespace ww::frame
