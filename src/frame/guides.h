// Looks at the guides of a sequence (depth, motion, jitter, exposure, resets) for what games get wrong most often, and
// says each thing once, with the likely fix. Nothing here stops an upscale.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frame/image.h"
#include "frame/sequence.h"
#include "frame/sequence_frames.h"

namespace ww::frame {

// Of one channel. least > largest if it has no finite element.
struct ChannelRange {
  float least = 0.0f;
  float largest = 0.0f;
  double mean = 0.0;  // of the finite elements
};
ChannelRange measure_channel(const Image& image, int channel);

// One suspicion: which kind ("depth", "motion", "jitter", "sizes", "reset", "exposure", "values"), and the sentence for
// a person, remedy included.
struct GuideWarning {
  std::string kind;
  std::string text;
};

// How well the previous picture, moved along the motion vectors, explains the current one. See guide_motion.cpp.
class MotionJudge {
 public:
  explicit MotionJudge(const Sequence& sequence);

  struct Verdict {
    bool is_cut = false;  // the two pictures have nothing in common
  };
  // Frames in order, with their entries; `exposure` is the factor that is used. Looks only where frame is no reset.
  Verdict add(const Frame& frame, const FrameEntry& entry, float exposure);

  // The likely mistake in the motion vectors, once enough frames have been seen.
  std::optional<std::string> suspicion() const;

 private:
  struct Hypothesis;
  static const std::vector<Hypothesis>& hypotheses();

  Size render_, output_;
  float previous_jitter_[2] = {0.0f, 0.0f};
  Image previous_;              // smoothed display luma
  std::vector<double> errors_;  // one a hypothesis: sum of mean errors
  int pairs_ = 0;
  double largest_motion_ = 0.0;
};

class GuideChecker {
 public:
  explicit GuideChecker(const Sequence& sequence);

  // What can be said of the description alone: sizes, jitter, resets.
  std::vector<GuideWarning> check_description();

  // What frame `index` adds. Frames come in order.
  std::vector<GuideWarning> add(size_t index, const Frame& frame, float exposure);

 private:
  void warn(std::vector<GuideWarning>& out, const std::string& kind, std::string text);
  void check_depth(std::vector<GuideWarning>& out, size_t index, const Image& depth);
  void check_exposure(std::vector<GuideWarning>& out, size_t index, const Frame& frame, float exposure);

  const Sequence& sequence_;
  MotionJudge judge_;
  std::set<std::string> said_;
};

}  // namespace ww::frame
