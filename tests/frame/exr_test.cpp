// OpenEXR in and out, against files put together byte by byte by data/make.py.
#include "frame/exr.h"

#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfOutputFile.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/files.h"
#include "frame/data_path.h"
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

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<Image> decode(const std::string& text) {
  return decode_exr({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "edited.exr", kRgb);
}

const std::string kWindowHead("dataWindow\0box2i\0\x10\0\0\0", 21);

// Two sizes in one header: neither may decide alone how much memory the pixels get.
TEST(Exr, RefusesAnAttributeThatStandsTwice) {
  const std::string whole = text_of(data_path("rgb_half.exr"));
  const size_t at = whole.find(kWindowHead);
  ASSERT_NE(at, std::string::npos);
  const auto image = decode(whole.substr(0, at) + whole.substr(at, kWindowHead.size() + 16) + whole.substr(at));
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().found, "attribute 'dataWindow' twice");
}

TEST(Exr, RefusesTwoChannelsOfOneNameAndTheLineOrderOfTiles) {
  const std::string whole = text_of(data_path("rgb_half.exr"));
  std::string channels = whole, order = whole;
  const size_t green = whole.find(std::string("G\0\1\0\0\0", 6));
  const std::string head("lineOrder\0lineOrder\0\1\0\0\0", 24);
  const size_t line_order = whole.find(head);
  ASSERT_NE(green, std::string::npos);
  ASSERT_NE(line_order, std::string::npos);
  channels[green] = 'B';
  order[line_order + head.size()] = 2;
  const auto twice = decode(channels), random = decode(order);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().found, "channel 'B' twice");
  ASSERT_FALSE(random.ok());
  EXPECT_EQ(random.error().found, "line order 2 of scan lines");
}

// The library takes a float of four bytes whatever length its attribute claims, and what follows for the next
// attribute: it has to meet neither.
TEST(Exr, AnAttributeOfTheWrongLengthHidesNoOther) {
  const std::string whole = text_of(data_path("rgb_half.exr"));
  const std::string head("pixelAspectRatio\0float\0\4\0\0\0", 27);
  const size_t at = whole.find(head);
  ASSERT_NE(at, std::string::npos);
  const std::string hidden = kWindowHead + std::string(16, '\0');  // a picture of one pixel
  std::string edited = whole;
  edited[at + head.size() - 4] = static_cast<char>(4 + hidden.size());
  edited.insert(at + head.size() + 4, hidden);
  const auto info = scan_exr_header({reinterpret_cast<const uint8_t*>(edited.data()), edited.size()}, "edited.exr");
  ASSERT_TRUE(info.ok()) << info.error().to_string();
  for (size_t line = 0; line < 5; ++line) {  // the table of chunks holds places in the file
    char* entry = edited.data() + info->header_bytes + 8 * line;
    uint64_t place = 0;
    std::memcpy(&place, entry, 8);
    place += hidden.size();
    std::memcpy(entry, &place, 8);
  }
  const auto image = decode(edited);
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  expect_pattern(*image);
}

// The library writes, both ways round; 37 lines are more than one chunk of every kind but DWAB.
TEST(Exr, ReadsEveryCompressionAndLineOrder) {
  constexpr int kWidth = 19, kHeight = 37;
  std::vector<Imath::half> pixels(3 * kWidth * kHeight);
  for (int i = 0; i < 3 * kWidth * kHeight; ++i)  // smooth, for the ones that lose something
    pixels[static_cast<size_t>(i)] = Imath::half(static_cast<float>(i % (3 * kWidth) + i / (3 * kWidth)) / 16.0f);
  testing::TemporaryFolder folder;
  for (int compression = Imf::NO_COMPRESSION; compression < Imf::NUM_COMPRESSION_METHODS; ++compression)
    for (const Imf::LineOrder order : {Imf::INCREASING_Y, Imf::DECREASING_Y}) {
      const std::string path = folder.file("written.exr");
      {
        Imf::Header header(kWidth, kHeight);
        header.compression() = static_cast<Imf::Compression>(compression);
        header.lineOrder() = order;
        Imf::FrameBuffer frame;
        for (size_t c = 0; c < 3; ++c) {
          header.channels().insert(kRgb[c], Imf::Channel(Imf::HALF));
          frame.insert(kRgb[c], Imf::Slice(Imf::HALF, reinterpret_cast<char*>(pixels.data() + c), 6, 6 * kWidth));
        }
        Imf::OutputFile file(path.c_str(), header, 0);
        file.setFrameBuffer(frame);
        file.writePixels(kHeight);
      }
      const auto image = read_exr(path, kRgb, Size{kWidth, kHeight});
      ASSERT_TRUE(image.ok()) << image.error().to_string();
      const bool lossless = compression < Imf::B44_COMPRESSION;  // PXR24 keeps halves whole
      for (size_t i = 0; i < pixels.size(); ++i)
        ASSERT_NEAR(image->data[i], static_cast<float>(pixels[i]), lossless ? 0.0f : 0.25f)
            << compression << " at " << i;
    }
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
