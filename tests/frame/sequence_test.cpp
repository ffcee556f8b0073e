#include "frame/sequence.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "frame/display.h"
#include "frame/exr.h"
#include "frame/png.h"
#include "frame/sequence_frames.h"
#include "support/temporary_folder.h"

namespace ww::frame {
namespace {

constexpr char kGood[] = R"({
  "render": [320, 180], "output": [640, 360], "hdr": true, "depth": "inverted", "near": 0.1, "far": 1000.0,
  "frames": [
    { "color": "c0.exr", "depth": "d0.exr", "motion": "m0.exr", "reference": "r0.exr",
      "jitter": [0.25, -0.5], "exposure": 2, "reset": true },
    { "color": "sub/c1.exr", "depth": "d1.exr", "motion": "m1.exr", "jitter": [0, 0], "exposure": null }
  ] })";

TEST(Sequence, Parses) {
  const auto sequence = parse_sequence(kGood, "sequence.json", "folder");
  ASSERT_TRUE(sequence.ok()) << sequence.error().to_string();
  EXPECT_EQ(sequence->render, (Size{320, 180}));
  EXPECT_EQ(sequence->output, (Size{640, 360}));
  EXPECT_TRUE(sequence->hdr);
  EXPECT_EQ(sequence->depth.kind, DepthKind::kInverted);
  EXPECT_EQ(sequence->depth.near, 0.1f);
  EXPECT_EQ(sequence->depth.far, 1000.0f);
  EXPECT_FALSE(sequence->fov_y.has_value());
  ASSERT_EQ(sequence->frames.size(), 2u);
  EXPECT_EQ(sequence->frames[0].jitter_y, -0.5f);
  EXPECT_EQ(sequence->frames[0].exposure, 2.0f);
  EXPECT_TRUE(sequence->frames[0].reset);
  EXPECT_FALSE(sequence->frames[1].exposure.has_value());
  EXPECT_FALSE(sequence->frames[1].reset);
  EXPECT_TRUE(sequence->frames[1].reference.empty());
  EXPECT_EQ(sequence->path_of(sequence->frames[1].color), "folder/sub/c1.exr");
}

struct Mistake {
  const char* from;
  const char* to;
  const char* message;  // start of Error::to_string()
};

TEST(Sequence, NamesPlaceFieldFoundAndExpected) {
  const Mistake mistakes[] = {
      {"[320, 180]", "[0, 180]", "s.json:2:14: field 'render[0]' is out of range; found 0, expected a whole number"},
      {"[320, 180]", "[320, 99999999999]", "s.json:2:19: field 'render[1]' is out of range"},
      {"[320, 180]", "[320.5, 180]", "s.json:2:14: field 'render[0]' is not a whole number; found 320.5"},
      {"[320, 180]", "\"320x180\"", "s.json:2:13: field 'render' is not a size; found \"320x180\""},
      {"[640, 360]", "[640, 100]", "s.json:2:35: field 'output' is smaller than 'render'"},
      {"[640, 360]", "[16384, 16384]", "s.json:2:35: field 'output' is too large"},
      {"true, \"depth\"", "\"yes\", \"depth\"", "s.json:2:54: field 'hdr' is neither true nor false; found \"yes\""},
      {"\"inverted\"", "\"reversed\"", "s.json:2:69: field 'depth' is unknown; found \"reversed\""},
      {"\"near\": 0.1,", "", "s.json:1:1: field 'near' is missing"},
      {"\"far\": 1000.0", "\"far\": 0.05", "s.json:2:101: field 'far' is not beyond near"},
      {"\"far\": 1000.0", "\"far\": \"inf\"", "s.json:2:101: field 'far' is not a number"},
      {"\"m0.exr\"", "\"../m0.exr\"", "s.json:4:55: field 'frames[0].motion' leads out of the folder"},
      {"\"m0.exr\"", "\"/m0.exr\"", "s.json:4:55: field 'frames[0].motion' leads out of the folder"},
      {"\"m0.exr\"", "7", "s.json:4:55: field 'frames[0].motion' is not a text"},
      {"\"depth\": \"d1.exr\", ", "", "s.json:6:5: field 'frames[1].depth' is missing"},
      {"[0.25, -0.5]", "[0.25]", "s.json:5:17: field 'frames[0].jitter' is not a pair"},
      {"[0.25, -0.5]", "[0.25, null]", "s.json:5:24: field 'frames[0].jitter[1]' is not a number"},
      {"\"exposure\": 2", "\"exposure\": -2", "s.json:5:43: field 'frames[0].exposure' is out of range"},
      {"\"exposure\": 2", "\"exposure\": 1e400", "s.json:5:43: a number is too large; found 1e400"},
      {"\"reset\": true", "\"reset\": 1", "s.json:5:55: field 'frames[0].reset' is neither true nor false"},
      {"] }", "], }", "s.json:7:6: not valid JSON"},
      {"\"frames\": [", "\"scenes\": [", "s.json:1:1: field 'frames' is not a list of frames"},
  };
  for (const Mistake& mistake : mistakes) {
    std::string text = kGood;
    const std::string from = mistake.from, to = mistake.to;
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto sequence = parse_sequence(text, "s.json", ".");
    ASSERT_FALSE(sequence.ok()) << mistake.to;
    EXPECT_EQ(sequence.error().kind, ErrorKind::kInput);
    EXPECT_EQ(sequence.error().to_string().substr(0, std::string(mistake.message).size()), mistake.message)
        << sequence.error().to_string();
    EXPECT_FALSE(sequence.error().fix.empty());
  }
}

TEST(Sequence, RefusesWhatIsNoJson) {
  for (const std::string text : {"", "[]", "nul", "\xff\xfe", "{\"render\":"}) {
    const auto sequence = parse_sequence(text, "s.json", ".");
    ASSERT_FALSE(sequence.ok()) << text;
    EXPECT_EQ(sequence.error().kind, ErrorKind::kInput);
  }
  EXPECT_FALSE(parse_sequence(std::string(1000000, '['), "s.json", ".").ok()) << "deep nesting";
}

TEST(Sequence, WritesWhatItReads) {
  testing::TemporaryFolder folder;
  auto sequence = parse_sequence(kGood, "s.json", folder.path());
  ASSERT_TRUE(sequence.ok());
  sequence->fov_y = 1.0f;
  ASSERT_TRUE(write_sequence(*sequence).ok());
  const auto back = read_sequence(folder.path());
  ASSERT_TRUE(back.ok()) << back.error().to_string();
  EXPECT_EQ(back->render, sequence->render);
  EXPECT_EQ(back->depth.far, 1000.0f);
  EXPECT_EQ(back->fov_y, 1.0f);
  ASSERT_EQ(back->frames.size(), 2u);
  EXPECT_EQ(back->frames[0].jitter_x, 0.25f);
  EXPECT_EQ(back->frames[1].color, "sub/c1.exr");
  EXPECT_FALSE(back->frames[1].exposure.has_value());
}

// A sequence of one frame whose planes are the pictures of data/make.py.
class FrameLoading : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"rgb_half.exr", "depth_float.exr", "rgb8.png", "stairs_zips.exr"})
      std::filesystem::copy_file(WARPWAVE_SOURCE_DIR "/tests/frame/data/" + std::string(name), folder_.file(name));
    Image motion(7, 5, 2);
    motion.at(1, 2, 1) = -3.0f;
    ASSERT_TRUE(write_exr(folder_.file("motion.exr"), motion, kMotionXy, SampleType::kFloat).ok());
    sequence_.folder = folder_.path();
    sequence_.render = {7, 5};
    sequence_.output = {64, 5};
    sequence_.frames.resize(1);
    sequence_.frames[0].color = "rgb_half.exr";
    sequence_.frames[0].depth = "depth_float.exr";
    sequence_.frames[0].motion = "motion.exr";
  }

  testing::TemporaryFolder folder_;
  Sequence sequence_;
};

TEST_F(FrameLoading, LoadsPlanes) {
  const auto frame = load_frame(sequence_, 0);
  ASSERT_TRUE(frame.ok()) << frame.error().to_string();
  EXPECT_EQ(frame->color.at(1, 1, 0), 0.5f);  // ((1 + 7) % 64) / 64 * 4
  EXPECT_EQ(frame->depth.at(3, 4, 0), 3.6f);
  EXPECT_EQ(frame->motion.at(1, 2, 1), -3.0f);
  EXPECT_TRUE(frame->reference.empty());
  EXPECT_EQ(frame->repaired_color, 0u);
}

TEST_F(FrameLoading, PngIsDisplayCoded) {
  sequence_.hdr = false;
  sequence_.frames[0].color = "rgb8.png";
  const auto frame = load_frame(sequence_, 0);
  ASSERT_TRUE(frame.ok()) << frame.error().to_string();
  EXPECT_EQ(frame->color.at(6, 4, 0), srgb_decode(180.0f / 255.0f));
}

TEST_F(FrameLoading, WrongSizeNamesPlaneAndFrame) {
  sequence_.render = {7, 4};
  const auto frame = load_frame(sequence_, 0);
  ASSERT_FALSE(frame.ok());
  EXPECT_NE(frame.error().to_string().find("wrong image size (color of frame 0); found 7x5, expected 7x4"),
            std::string::npos)
      << frame.error().to_string();
  sequence_.render = {64, 4};
  sequence_.output = {7, 5};
  const auto swapped = load_frame(sequence_, 0);
  ASSERT_FALSE(swapped.ok());
  EXPECT_NE(swapped.error().fix.find("The color plane is at output size"), std::string::npos);
}

}  // namespace
}  // namespace ww::frame
