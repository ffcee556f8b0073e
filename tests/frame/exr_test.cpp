// OpenEXR in and out, against files put together byte by byte by data/make.py.
#include "frame/exr.h"
#include "frame/data_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "base/files.h"
#include "support/temporary_folder.h"

namespace ww::frame {
namespace {

// The patterns of data/make.py.
float red(int x, int y) {
  return static_cast<float>((x + 7 * y) % 64) / 64.0f * 4.0f;
}
float green(int x, int y) {
  return static_cast<float>((3 * x + 5 * y) % 32) / 32.0f;
}
float blue(int x, int y) {
  return static_cast<float>((5 * x + 3 * y) % 16) / 16.0f * 100.0f;
}

void expect_pattern(const Image& image) {
  ASSERT_EQ(image.size(), (Size{7, 5}));
  ASSERT_EQ(image.channels, 3);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x) {
      EXPECT_EQ(image.at(x, y, 0), red(x, y));
      EXPECT_EQ(image.at(x, y, 1), green(x, y));
      EXPECT_EQ(image.at(x, y, 2), blue(x, y));
    }
}

TEST(Exr, ReadsUncompressedHalf) {
  const auto image = read_exr(data_path("rgb_half.exr"), kRgb);
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  expect_pattern(*image);
}

TEST(Exr, ReadsMixedTypesAndIgnoresExtraChannels) {
  const auto image = read_exr(data_path("rgba_mixed.exr"), kRgb, Size{7, 5});
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  expect_pattern(*image);
}

TEST(Exr, ReadsCompressed) {
  const auto image = read_exr(data_path("stairs_zips.exr"), kRgb);
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  ASSERT_EQ(image->size(), (Size{64, 4}));
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 64; ++x) {
      EXPECT_EQ(image->at(x, y, 0), static_cast<float>(x / 8));
      EXPECT_EQ(image->at(x, y, 1), static_cast<float>(y));
      EXPECT_EQ(image->at(x, y, 2), 0.5f);
    }
}

TEST(Exr, ReadsFloatDepth) {
  const auto image = read_exr(data_path("depth_float.exr"), kDepthZ);
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  EXPECT_EQ(image->at(3, 4, 0), 3.6f);
}

TEST(Exr, InfoTellsTypes) {
  const auto info = read_exr_info(data_path("rgba_mixed.exr"));
  ASSERT_TRUE(info.ok());
  ASSERT_EQ(info->channels.size(), 4u);
  EXPECT_EQ(info->find("R")->type, SampleType::kFloat);
  EXPECT_EQ(info->find("G")->type, SampleType::kHalf);
  EXPECT_EQ(info->find("Q"), nullptr);
}

struct Refusal {
  const char* file;
  const char* words;
};

TEST(Exr, RefusesWithPlaceAndRemedy) {
  const Refusal refusals[] = {
      {"ids_uint.exr", "channel 'R' is missing"},
      {"cropped.exr", "data window and display window differ"},
      {"tiled_flag.exr", "found tiles"},
      {"multipart_flag.exr", "found several parts"},
      {"huge.exr", "illegal image size"},
      {"long_attribute.exr", "attribute 'note' of 2147483647 bytes"},
      {"rgb8.png", "not an OpenEXR file"},
      {"absent.exr", "cannot read: No such file"},
      {"depth_float.exr", "channel 'R' is missing"},
  };
  for (const Refusal& refusal : refusals) {
    const auto image = read_exr(data_path(refusal.file), kRgb);
    ASSERT_FALSE(image.ok()) << refusal.file;
    EXPECT_EQ(image.error().kind, ErrorKind::kInput);
    EXPECT_NE(image.error().to_string().find(refusal.words), std::string::npos) << image.error().to_string();
    EXPECT_EQ(image.error().file, data_path(refusal.file));
    EXPECT_FALSE(image.error().fix.empty());
  }
  const auto integers = read_exr(data_path("ids_uint.exr"), kDepthZ);
  ASSERT_FALSE(integers.ok());
  EXPECT_EQ(integers.error().found, "unsigned integers");
  const auto size = read_exr(data_path("rgb_half.exr"), kRgb, Size{8, 5});
  ASSERT_FALSE(size.ok());
  EXPECT_EQ(size.error().found, "7x5");
  EXPECT_EQ(size.error().expected, "8x5");
}

// Two sizes in one header: neither may decide alone how much memory the pixels get.
TEST(Exr, RefusesAnAttributeThatStandsTwice) {
  std::ifstream file(data_path("rgb_half.exr"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  const std::string head("dataWindow\0box2i\0\x10\0\0\0", 21);
  const size_t at = whole.find(head);
  ASSERT_NE(at, std::string::npos);
  std::string twice = whole.substr(0, at) + whole.substr(at, head.size() + 16) + whole.substr(at);
  const auto image = decode_exr({reinterpret_cast<const uint8_t*>(twice.data()), twice.size()}, "twice.exr", kRgb);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().found, "attribute 'dataWindow' twice");
}

TEST(Exr, EveryTruncationIsAnError) {
  for (const char* name : {"rgb_half.exr", "stairs_zips.exr"}) {
    const auto bytes = read_file(data_path(name));
    ASSERT_TRUE(bytes.ok());
    for (size_t length = 0; length < bytes->size(); ++length)
      EXPECT_FALSE(decode_exr(std::span(bytes->data(), length), "cut.exr", kRgb).ok()) << name << " at " << length;
  }
}

TEST(Exr, EveryFlippedByteIsReadOrRefused) {
  auto bytes = read_file(data_path("stairs_zips.exr"));
  ASSERT_TRUE(bytes.ok());
  for (uint8_t& byte : *bytes)
    for (const uint8_t change : {0x01, 0x80, 0xff}) {
      byte ^= change;
      (void)decode_exr(*bytes, "flipped.exr", kRgb, Size{64, 4});
      byte ^= change;
    }
}

TEST(Exr, RoundTripsAndRoundsHalves) {
  testing::TemporaryFolder folder;
  Image image(3, 2, 3);
  image.data = {0.1f,    1.0f / 3.0f, 70000.0f, -70000.0f, 1e-8f, 6e-8f,
                2049.0f, 2051.0f,     0.0f,     1,         2,     3,
                4,       5,           6,        7,         8,     std::numeric_limits<float>::infinity()};
  ASSERT_TRUE(write_exr(folder.file("half.exr"), image, kRgb, SampleType::kHalf).ok());
  const auto half = read_exr(folder.file("half.exr"), kRgb);
  ASSERT_TRUE(half.ok());
  // Nearest halves, by hand: 0.1 is 0x2e66, 1/3 is 0x3555; 2049 and 2051 lie midway and go to even.
  const float expected[] = {0.0999755859375f,       0.333251953125f, 65504.0f, -65504.0f, 0.0f,
                            5.9604644775390625e-8f, 2048.0f,         2052.0f};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(half->data[i], expected[i]) << i;
  EXPECT_EQ(half->data[17], std::numeric_limits<float>::infinity());
  ASSERT_TRUE(write_exr(folder.file("float.exr"), image, kRgb, SampleType::kFloat).ok());
  const auto full = read_exr(folder.file("float.exr"), kRgb);
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->data, image.data);
}

}  // namespace
}  // namespace ww::frame
