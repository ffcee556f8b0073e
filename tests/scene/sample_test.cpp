// samples/gallery is what `warpwave scene gallery --compact` makes: the command renders its frames again on the cpu
// device, and the reference of the first, and every plane has the sample's bits.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "frame/metrics.h"
#include "frame/sequence_frames.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace ww {
namespace {

// The sequence that the command makes with these options on top of the sample's.
Result<frame::Sequence> make_again(const testing::TemporaryFolder& folder, const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"scene", "gallery", "--compact", "--device", "cpu", "-o", "made", "--quiet"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const testing::Outcome outcome = testing::run_command(folder.path(), arguments);
  if (outcome.exit != 0) return runtime_error("`warpwave scene` failed: " + outcome.errors);
  return frame::read_sequence(folder.file("made"));
}

void expect_same_bits(const Image& made, const Image& stored, const std::string& what) {
  ASSERT_EQ(made.width, stored.width) << what;
  ASSERT_EQ(made.height, stored.height) << what;
  ASSERT_EQ(made.channels, stored.channels) << what;
  ASSERT_EQ(made.data.size(), stored.data.size()) << what;
  size_t different = 0;
  for (size_t i = 0; i < made.data.size(); ++i)
    different += std::memcmp(&made.data[i], &stored.data[i], sizeof(float)) != 0;
  EXPECT_EQ(different, 0u) << what << ": elements of other bits, by up to " << frame::largest_difference(made, stored);
}

void expect_same_frame(const frame::Sequence& made, size_t made_index, const frame::Sequence& stored, size_t index,
                       bool with_reference) {
  const std::string number = "frame " + std::to_string(index) + " ";
  const auto a = frame::load_frame(made, made_index);
  const auto b = frame::load_frame(stored, index);
  ASSERT_TRUE(a.ok()) << a.error().to_string();
  ASSERT_TRUE(b.ok()) << b.error().to_string();
  expect_same_bits(a->color, b->color, number + "color");
  expect_same_bits(a->depth, b->depth, number + "depth");
  expect_same_bits(a->motion, b->motion, number + "motion");
  if (with_reference) expect_same_bits(a->reference, b->reference, number + "reference");
  EXPECT_EQ(made.frames[made_index].exposure, stored.frames[index].exposure) << number;
  EXPECT_EQ(made.frames[made_index].jitter_x, stored.frames[index].jitter_x) << number;
  EXPECT_EQ(made.frames[made_index].jitter_y, stored.frames[index].jitter_y) << number;
  EXPECT_EQ(made.frames[made_index].reset, stored.frames[index].reset) << number;
}

class Samples : public ::testing::Test {
 protected:
  void SetUp() override {
    auto read = frame::read_sequence(std::string(WARPWAVE_SOURCE_DIR) + "/samples/gallery");
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    stored_ = std::move(*read);
    ASSERT_EQ(stored_.frames.size(), 12u);
    ASSERT_EQ(stored_.render, (Size{320, 180}));
    ASSERT_EQ(stored_.output, (Size{640, 360}));
  }

  frame::Sequence stored_;
  testing::TemporaryFolder folder_;
};

// All frames in one run, without references, which are most of the work.
TEST_F(Samples, EveryFrame) {
  const auto made = make_again(folder_, {"--samples", "0"});
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  EXPECT_EQ(made->render, stored_.render);
  EXPECT_EQ(made->output, stored_.output);
  ASSERT_EQ(made->frames.size(), stored_.frames.size());
  for (size_t i = 0; i < stored_.frames.size(); ++i) expect_same_frame(*made, i, stored_, i, false);
}

TEST_F(Samples, ReferenceOfTheFirstFrame) {
  const auto made = make_again(folder_, {"--frames", "1"});
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  ASSERT_EQ(made->frames.size(), 1u);
  expect_same_frame(*made, 0, stored_, 0, true);
}

}  // namespace
}  // namespace ww
