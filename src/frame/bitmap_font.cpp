#include "frame/bitmap_font.h"

#include <array>
#include <cctype>
#include <cstdint>

namespace ww::frame {
namespace {

// Five octal digits, one a row from the top, each three dots from the left.
struct Glyph {
  char character;
  uint16_t rows;
};
constexpr Glyph kGlyphs[] = {
    {' ', 000000}, {'0', 075557}, {'1', 026227}, {'2', 071747}, {'3', 071717}, {'4', 055711}, {'5', 074717},
    {'6', 074757}, {'7', 071122}, {'8', 075757}, {'9', 075717}, {'A', 025755}, {'B', 065656}, {'C', 034443},
    {'D', 065556}, {'E', 074647}, {'F', 074644}, {'G', 034553}, {'H', 055755}, {'I', 072227}, {'J', 011152},
    {'K', 055655}, {'L', 044447}, {'M', 057755}, {'N', 065555}, {'O', 025552}, {'P', 065644}, {'Q', 025563},
    {'R', 065655}, {'S', 034216}, {'T', 072222}, {'U', 055557}, {'V', 055552}, {'W', 055775}, {'X', 055255},
    {'Y', 055222}, {'Z', 071247}, {'.', 000002}, {',', 000024}, {'-', 000700}, {'+', 002720}, {':', 002020},
    {'/', 011244}, {'%', 051245}, {'(', 012221}, {')', 042224}, {'=', 007070}, {'_', 000007}, {'|', 022222},
};

constexpr std::array<uint16_t, 128> by_character() {
  std::array<uint16_t, 128> rows{};
  rows.fill(077777);
  for (const Glyph& glyph : kGlyphs) rows[static_cast<size_t>(glyph.character)] = glyph.rows;
  return rows;
}

void fill(Image& picture, int x0, int y0, int side) {
  for (int y = y0 < 0 ? 0 : y0; y < y0 + side && y < picture.height; ++y)
    for (int x = x0 < 0 ? 0 : x0; x < x0 + side && x < picture.width; ++x)
      for (int c = 0; c < 3; ++c) picture.at(x, y, c) = 1.0f;
}

}  // namespace

void draw_text(Image& picture, int x, int y, std::string_view text, int scale) {
  static constexpr std::array<uint16_t, 128> glyphs = by_character();
  for (const char raw : text) {
    const auto code = static_cast<unsigned char>(std::toupper(static_cast<unsigned char>(raw)));
    const uint16_t rows = code < 128 ? glyphs[code] : glyphs[0];
    for (int dot = 0; dot < 15; ++dot)
      if (rows >> (14 - dot) & 1) fill(picture, x + dot % 3 * scale, y + dot / 3 * scale, scale);
    x += kGlyphWidth * scale;
  }
}

}  // namespace ww::frame
