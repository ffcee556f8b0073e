// Loads the planes of one frame of a sequence, checked against the description and brought to one form: linear RGB
// colour, finite values.
#pragma once

#include <string>
#include <vector>

#include "frame/image.h"
#include "frame/sequence.h"

namespace ww::frame {

struct Frame {
  Image color;      // linear RGB at render size, whatever the file's coding
  Image depth;      // 1 channel at render size
  Image motion;     // 2 channels at render size
  Image reference;  // linear RGB at output size; empty if the sequence has none for this frame
  // Elements that were NaN or infinite, or negative colour, and were replaced by 0 (infinite colour by 65504).
  size_t repaired_color = 0;
  size_t repaired_guides = 0;
};

// Looks at every plane's header without reading pixels, so that a missing or wrong plane late in a long sequence is
// said at once. Errors (kInput) as for load_frame.
Status check_planes(const Sequence& sequence);

// Frame `index` of the sequence. Colour and reference are EXR or, by the name's ending, PNG (display-coded). Errors
// (kInput): those of read_exr and read_png, and planes whose size is not the description's.
Result<Frame> load_frame(const Sequence& sequence, size_t index);

}  // namespace ww::frame
