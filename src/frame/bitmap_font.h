// A tiny font for labels in pictures: 3x5 dots a letter, capitals only (small letters are drawn as capitals).
#pragma once

#include <string_view>

#include "frame/image.h"

namespace ww::frame {

inline constexpr int kGlyphWidth = 4;   // dots, with the gap
inline constexpr int kGlyphHeight = 5;  // dots

// Draws `text` in white into a 3-channel picture, its upper left corner at (x, y), each dot `scale` pixels wide. What
// lies outside is cut off; characters without a glyph are drawn as a full block.
void draw_text(Image& picture, int x, int y, std::string_view text, int scale);

}  // namespace ww::frame
