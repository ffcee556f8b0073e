// A picture sheet: several pictures of one frame side by side, each with a label, for people to look at.
#pragma once

#include <string>
#include <vector>

#include "frame/image.h"

namespace ww::frame {

struct SheetPanel {
  std::string label;
  Image picture;  // display-coded RGB; all panels of a sheet have one size
};

// Rows of three panels. Panels beyond 960x540 show their middle only.
Image make_sheet(const std::vector<SheetPanel>& panels);

// Enlarges without filtering, as the pixels are: for the input of a sheet.
Image enlarge(const Image& picture, Size size);

// The largest channel's absolute difference times `gain`, from black over red and yellow to white.
Image error_picture(const Image& a, const Image& b, float gain);

}  // namespace ww::frame
