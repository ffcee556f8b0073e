// samples/gallery is what `warpwave scene gallery --compact` makes: two of its frames are rendered again on the
// interpreter and compared plane by plane. References are left out: they take 64 samples a pixel, and the golden cases
// of the renderer cover their kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "device/registry.h"
#include "frame/sequence_frames.h"
#include "net/scene_renderer.h"

namespace ww {
namespace {

// The largest difference of two pictures; infinity if their shapes differ.
float largest_difference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return INFINITY;
  float largest = 0;
  for (size_t i = 0; i < a.data.size(); ++i) largest = std::max(largest, std::fabs(a.data[i] - b.data[i]));
  return largest;
}

TEST(Samples, GalleryIsWhatTheRendererMakes) {
  const auto sequence = frame::read_sequence(std::string(WARPWAVE_SOURCE_DIR) + "/samples/gallery");
  ASSERT_TRUE(sequence.ok()) << sequence.error().to_string();
  ASSERT_EQ(sequence->frames.size(), 12u);
  ASSERT_EQ(sequence->render, (Size{320, 180}));
  ASSERT_EQ(sequence->output, (Size{640, 360}));

  auto device = open_device("sim", {});
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  for (const size_t index : {size_t{0}, size_t{7}}) {
    net::SceneOptions options;
    options.family = "gallery";
    options.seed = 95;
    options.render = sequence->render;
    options.output = sequence->output;
    options.samples = 0;
    auto renderer = net::SceneRenderer::make(**device, options);
    ASSERT_TRUE(renderer.ok()) << renderer.error().to_string();
    auto made = (*renderer)->render(static_cast<int>(index));
    ASSERT_TRUE(made.ok()) << made.error().to_string();
    net::make_compact(*made);
    const auto stored = frame::load_frame(*sequence, index);
    ASSERT_TRUE(stored.ok()) << stored.error().to_string();
    constexpr float kHalfStep = 6e-8f;  // of the smallest halves, which the file rounds to
    EXPECT_LE(largest_difference(made->color, stored->color), kHalfStep);
    EXPECT_EQ(largest_difference(made->depth, stored->depth), 0.0f);
    EXPECT_EQ(largest_difference(made->motion, stored->motion), 0.0f);
    EXPECT_FLOAT_EQ(made->exposure, *sequence->frames[index].exposure);
    EXPECT_FLOAT_EQ(made->jitter_x, sequence->frames[index].jitter_x);
    EXPECT_FLOAT_EQ(made->jitter_y, sequence->frames[index].jitter_y);
    EXPECT_EQ(made->reset, sequence->frames[index].reset);
  }
}

}  // namespace
}  // namespace ww
