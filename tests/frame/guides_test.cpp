// Made-up sequences with one known mistake each: a textured plane that moves by a known amount.
#include "frame/guides.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ww::frame {
namespace {

constexpr int kWidth = 96, kHeight = 64;

// A smooth texture without period in the picture.
float texture(float x, float y) {
  return 0.5f + 0.2f * std::sin(0.23f * x + 0.11f * y) + 0.15f * std::sin(0.071f * x - 0.19f * y + 1.0f) +
         0.1f * std::sin(0.37f * x + 0.29f * y * y / 40.0f);
}

float jitter_of(int t) {
  return t % 2 == 0 ? 0.25f : -0.25f;
}

// Frame t of a plane that moves by (dx, dy) pixels a frame; its motion vectors are multiplied by (mx, my). Sampled with
// the jitter of frame t in x.
Frame moving(int t, float dx, float dy, float mx, float my) {
  Frame frame;
  frame.color = Image(kWidth, kHeight, 3);
  frame.depth = Image(kWidth, kHeight, 1);
  frame.motion = Image(kWidth, kHeight, 2);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const float value = texture(static_cast<float>(x) + jitter_of(t) - dx * static_cast<float>(t),
                                  static_cast<float>(y) - dy * static_cast<float>(t));
      for (int c = 0; c < 3; ++c) frame.color.at(x, y, c) = value;
      frame.depth.at(x, y, 0) = 0.01f + 0.0001f * static_cast<float>(y);
      frame.motion.at(x, y, 0) = -dx * mx;
      frame.motion.at(x, y, 1) = -dy * my;
    }
  return frame;
}

Sequence sequence_of(size_t frames) {
  Sequence sequence;
  sequence.render = {kWidth, kHeight};
  sequence.output = {2 * kWidth, 2 * kHeight};
  sequence.frames.resize(frames);
  for (size_t i = 0; i < frames; ++i) sequence.frames[i].jitter_x = jitter_of(static_cast<int>(i));
  sequence.frames[0].reset = true;
  return sequence;
}

// All warnings of a kind over the sequence, joined.
std::string warnings(const Sequence& sequence, const std::vector<Frame>& frames, const std::string& kind) {
  GuideChecker checker(sequence);
  std::string text;
  const auto take = [&](const std::vector<GuideWarning>& list) {
    for (const GuideWarning& warning : list)
      if (warning.kind == kind) text += warning.text + "\n";
  };
  take(checker.check_description());
  for (size_t i = 0; i < frames.size(); ++i) take(checker.add(i, frames[i], 1.0f));
  return text;
}

std::string motion_warning(float dx, float dy, float mx, float my) {
  std::vector<Frame> frames;
  for (int t = 0; t < 6; ++t) frames.push_back(moving(t, dx, dy, mx, my));
  return warnings(sequence_of(6), frames, "motion");
}

TEST(Guides, RightMotionIsSilent) {
  EXPECT_EQ(motion_warning(3.0f, 2.0f, 1.0f, 1.0f), "");
  EXPECT_EQ(motion_warning(0.0f, 0.0f, 1.0f, 1.0f), "");
  EXPECT_EQ(motion_warning(0.5f, -4.0f, 1.0f, 1.0f), "");
}

TEST(Guides, MistakesInMotionAreNamed) {
  const auto names = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_TRUE(names(motion_warning(3.0f, 2.0f, -1.0f, -1.0f), "negate both"));
  EXPECT_TRUE(names(motion_warning(3.0f, 2.5f, 1.0f, -1.0f), "negate Y"));
  EXPECT_TRUE(names(motion_warning(3.0f, 2.5f, -1.0f, 1.0f), "negate X"));
  EXPECT_TRUE(names(motion_warning(3.0f, 2.0f, 1.0f / kWidth, 1.0f / kHeight), "(UV): multiply X by the render width"));
  EXPECT_TRUE(names(motion_warning(3.0f, 2.0f, 2.0f / kWidth, -2.0f / kHeight), "(-1..1, y up): multiply"));
  EXPECT_TRUE(names(motion_warning(3.0f, 2.0f, 2.0f, 2.0f), "divide them by the upscaling factor"));
  EXPECT_TRUE(names(motion_warning(3.0f, 2.0f, 0.0f, 0.0f), "zero everywhere although the picture changes"));
}

TEST(Guides, MistakesInJitterAreNamed) {
  std::vector<Frame> frames;
  for (int t = 0; t < 6; ++t) frames.push_back(moving(t, 0.25f, 0.0f, 1.0f, 1.0f));
  Sequence sequence = sequence_of(6);
  EXPECT_EQ(warnings(sequence, frames, "motion"), "");
  for (FrameEntry& entry : sequence.frames) entry.jitter_x = -entry.jitter_x;
  EXPECT_NE(warnings(sequence, frames, "motion").find("the other sign"), std::string::npos);
  sequence = sequence_of(6);
  for (int t = 1; t < 6; ++t)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        frames[static_cast<size_t>(t)].motion.at(x, y, 0) += jitter_of(t) - jitter_of(t - 1);
  EXPECT_NE(warnings(sequence, frames, "motion").find("they contain the jitter"), std::string::npos);
}

TEST(Guides, ACutWithoutResetIsNamedOnce) {
  std::vector<Frame> frames;
  for (int t = 0; t < 6; ++t) frames.push_back(moving(t, 1.0f, 0.0f, 1.0f, 1.0f));
  for (int i = 3; i < 6; ++i)  // another picture from frame 3 on
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (int c = 0; c < 3; ++c)
          frames[static_cast<size_t>(i)].color.at(x, y, c) = (x / 24 + y / 16) % 2 == 0 ? 4.0f : 0.02f;
  Sequence sequence = sequence_of(6);
  const std::string text = warnings(sequence, frames, "reset");
  EXPECT_EQ(text.substr(0, 8), "frame 3 ");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  sequence.frames[3].reset = true;
  EXPECT_EQ(warnings(sequence, frames, "reset"), "");
}

TEST(Guides, Depth) {
  const auto text = [](DepthKind kind, float low, float high) {
    Sequence sequence = sequence_of(1);
    sequence.depth.kind = kind;
    Frame frame = moving(0, 0, 0, 1, 1);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        frame.depth.at(x, y, 0) = low + (high - low) * static_cast<float>(y) / (kHeight - 1);
    return warnings(sequence, {frame}, "depth");
  };
  EXPECT_EQ(text(DepthKind::kInverted, 0.0f, 0.05f), "");
  EXPECT_EQ(text(DepthKind::kRegular, 0.9f, 1.0f), "");
  EXPECT_EQ(text(DepthKind::kLinearView, 1.0f, 500.0f), "");
  EXPECT_NE(text(DepthKind::kInverted, 0.0f, 0.0f).find("zero everywhere"), std::string::npos);
  EXPECT_NE(text(DepthKind::kInverted, 0.5f, 0.5f).find("0.5 everywhere"), std::string::npos);
  EXPECT_NE(text(DepthKind::kInverted, 0.9f, 1.0f).find("probably \"regular\""), std::string::npos);
  EXPECT_NE(text(DepthKind::kRegular, 0.0f, 0.05f).find("probably \"inverted\""), std::string::npos);
  EXPECT_NE(text(DepthKind::kInverted, 1.0f, 500.0f).find("\"linear-view-metres\""), std::string::npos);
  EXPECT_NE(text(DepthKind::kLinearView, 0.0f, 0.05f).find("never exceeds 1"), std::string::npos);
  EXPECT_NE(text(DepthKind::kLinearView, -100.0f, -1.0f).find("negate it"), std::string::npos);
}

TEST(Guides, Jitter) {
  const auto text = [](const std::vector<float>& values) {
    Sequence sequence = sequence_of(values.size());
    for (size_t i = 0; i < values.size(); ++i) sequence.frames[i].jitter_x = sequence.frames[i].jitter_y = values[i];
    return warnings(sequence, {}, "jitter");
  };
  EXPECT_EQ(text({0.5f, -0.5f, 0.0f, 0.25f}), "");
  EXPECT_NE(text({0.9f, 0.5f, 0.0f, 0.25f}).find("subtract 0.5"), std::string::npos);
  EXPECT_NE(text({0.9f, -0.9f, 0.0f, 0.25f}).find("halve it"), std::string::npos);
  EXPECT_NE(text({300.0f, -0.9f, 0.0f, 0.25f}).find("in render pixels"), std::string::npos);
  EXPECT_NE(text({0.0f, 0.0f, 0.0f, 0.0f}).find("same in every frame"), std::string::npos);
}

TEST(Guides, SizesAndExposureAndValues) {
  Sequence sequence = sequence_of(1);
  EXPECT_EQ(warnings(sequence, {}, "sizes"), "");
  sequence.output = {300, 150};
  EXPECT_NE(warnings(sequence, {}, "sizes").find("scale 3.125 across, 2.344 down"), std::string::npos);
  sequence.render = {213, 120};  // 1.5 of it, rounded
  sequence.output = {320, 180};
  EXPECT_EQ(warnings(sequence, {}, "sizes"), "");

  sequence = sequence_of(1);
  Frame frame = moving(0, 0, 0, 1, 1);
  frame.repaired_color = 3;
  EXPECT_NE(warnings(sequence, {frame}, "values").find("3 colour values"), std::string::npos);
  GuideChecker dark(sequence);
  std::string text;
  for (const GuideWarning& warning : dark.add(0, frame, 1e-5f)) text += warning.text;
  EXPECT_NE(text.find("almost black at exposure 1e-05"), std::string::npos);
}

TEST(Guides, Ranges) {
  Image image(2, 2, 2);
  image.data = {1.0f, -5.0f, 2.0f, 3.0f, std::nanf(""), 4.0f, 6.0f, 0.0f};
  const ChannelRange first = measure_channel(image, 0), second = measure_channel(image, 1);
  EXPECT_EQ(first.least, 1.0f);
  EXPECT_EQ(first.largest, 6.0f);
  EXPECT_EQ(first.mean, 3.0);
  EXPECT_EQ(second.least, -5.0f);
  EXPECT_EQ(second.mean, 0.5);
}

}  // namespace
}  // namespace ww::frame
