#include "frame/sheet.h"

#include <algorithm>
#include <cmath>

#include "frame/bitmap_font.h"

namespace ww::frame {
namespace {

constexpr int kColumns = 3;
constexpr int kGap = 4;
constexpr Size kLargestPanel{960, 540};

}  // namespace

Image make_sheet(const std::vector<SheetPanel>& panels) {
  if (panels.empty()) return {};
  const Size full = panels[0].picture.size();
  const Size shown{std::min(full.width, kLargestPanel.width), std::min(full.height, kLargestPanel.height)};
  const int left = (full.width - shown.width) / 2, top = (full.height - shown.height) / 2;
  const int scale = shown.width >= 480 ? 3 : shown.width >= 240 ? 2 : 1;
  const int label = (kGlyphHeight + 3) * scale;
  const int columns = std::min<int>(kColumns, static_cast<int>(panels.size()));
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  Image sheet(columns * (shown.width + kGap) + kGap, rows * (shown.height + label + kGap) + kGap, 3, 0.12f);
  for (size_t i = 0; i < panels.size(); ++i) {
    const int x0 = kGap + static_cast<int>(i) % columns * (shown.width + kGap);
    const int y0 = kGap + static_cast<int>(i) / columns * (shown.height + label + kGap);
    draw_text(sheet, x0, y0 + scale, panels[i].label, scale);
    for (int y = 0; y < shown.height; ++y)
      std::copy_n(panels[i].picture.pixel(left, top + y), 3 * shown.width, sheet.pixel(x0, y0 + label + y));
  }
  return sheet;
}

Image enlarge(const Image& picture, Size size) {
  Image large(size.width, size.height, picture.channels);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      std::copy_n(picture.pixel(static_cast<int>(int64_t{x} * picture.width / size.width),
                                static_cast<int>(int64_t{y} * picture.height / size.height)),
                  picture.channels, large.pixel(x, y));
  return large;
}

Image error_picture(const Image& a, const Image& b, float gain) {
  Image picture(a.width, a.height, 3);
  for (size_t i = 0; i < static_cast<size_t>(a.size().pixels()); ++i) {
    float largest = 0.0f;
    for (size_t c = 0; c < 3; ++c) largest = std::max(largest, std::abs(a.data[3 * i + c] - b.data[3 * i + c]));
    for (size_t c = 0; c < 3; ++c)
      picture.data[3 * i + c] = std::clamp(3.0f * gain * largest - static_cast<float>(c), 0.0f, 1.0f);
  }
  return picture;
}

}  // namespace ww::frame
