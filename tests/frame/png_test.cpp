// PNG in and out, against files that Pillow wrote (data/make.py).
#include "frame/png.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/files.h"
#include "frame/data_path.h"
#include "support/temporary_folder.h"

namespace ww::frame {
namespace {

TEST(Png, ReadsEightBitsAndDropsAlpha) {
  for (const char* name : {"rgb8.png", "rgba8.png"}) {
    const auto image = read_png(data_path(name), Size{7, 5});
    ASSERT_TRUE(image.ok()) << image.error().to_string();
    ASSERT_EQ(image->channels, 3);
    EXPECT_EQ(image->at(6, 4, 0), 180.0f / 255.0f);
    EXPECT_EQ(image->at(6, 4, 1), 200.0f / 255.0f);
    EXPECT_EQ(image->at(6, 4, 2), 10.0f / 255.0f);
  }
}

TEST(Png, ReadsSixteenBitGrey) {
  const auto image = read_png(data_path("grey16.png"));
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  for (int c = 0; c < 3; ++c) EXPECT_EQ(image->at(5, 3, c), (5 * 257 + 3 * 4096) / 65535.0f);
}

TEST(Png, ReadsPalette) {
  const auto image = read_png(data_path("palette.png"));
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  EXPECT_EQ(image->at(0, 0, 0), 0.0f);
  EXPECT_EQ(image->at(1, 0, 1), 100.0f / 255.0f);
  EXPECT_EQ(image->at(1, 1, 2), 200.0f / 255.0f);
}

TEST(Png, RefusesWithPlaceAndRemedy) {
  const auto wrong = read_png(data_path("rgb_half.exr"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "not a PNG file");
  const auto size = read_png(data_path("rgb8.png"), Size{5, 7});
  ASSERT_FALSE(size.ok());
  EXPECT_EQ(size.error().found, "7x5");
  const auto bytes = read_file(data_path("rgb8.png"));
  ASSERT_TRUE(bytes.ok());
  for (size_t length = 0; length + 12 < bytes->size(); ++length)
    EXPECT_FALSE(decode_png(std::span(bytes->data(), length), "cut.png").ok()) << length;
}

TEST(Png, ABombIsRefusedBeforeItIsUnpacked) {
  auto bytes = read_file(data_path("rgb8.png"));
  ASSERT_TRUE(bytes.ok());
  // IHDR of 16000 x 8000 with its CRC, computed with Python's zlib.crc32.
  const uint8_t header[] = {0, 0, 0x3e, 0x80, 0, 0, 0x1f, 0x40, 8, 2, 0, 0, 0, 0xb6, 0x3e, 0x64, 0x15};
  std::copy(std::begin(header), std::end(header), bytes->begin() + 16);
  const auto image = decode_png(*bytes, "bomb.png");
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.error().message.find("more pixels than its length"), std::string::npos) << image.error().to_string();
}

TEST(Png, RoundTripsAndClamps) {
  testing::TemporaryFolder folder;
  Image image(2, 2, 3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  image.data = {0.0f, 1.0f, 0.5f, -1.0f, 2.0f, nan, 0.25f, 0.75f, 0.1f, 0.2f, 0.3f, 0.4f};
  for (const int bits : {8, 16}) {
    ASSERT_TRUE(write_png(folder.file("a.png"), image, bits).ok());
    const auto back = read_png(folder.file("a.png"));
    ASSERT_TRUE(back.ok());
    const float step = bits == 8 ? 255.0f : 65535.0f;
    const float expected[] = {0.0f, 1.0f, (bits == 8 ? 128.0f : 32768.0f) / step, 0.0f,
                              1.0f, 0.0f, (bits == 8 ? 64.0f : 16384.0f) / step};
    for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(back->data[i], expected[i]) << bits << " " << i;
  }
}

}  // namespace
}  // namespace ww::frame
