// A sequence on disk: a folder with sequence.json and one file a plane a frame (docs/sequence.md). This part reads,
// checks and writes the description; sequence_frames.h loads the planes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frame/image.h"

namespace ww::frame {

struct FrameEntry {
  // File names relative to the sequence's folder, '/' between folders.
  std::string color;
  std::string depth;
  std::string motion;
  std::string reference;  // empty: none
  float jitter_x = 0.0f;  // render pixels; outside [-0.5, 0.5] is legal but suspicious
  float jitter_y = 0.0f;
  std::optional<float> exposure;  // a positive factor on linear colour; absent: to be measured
  bool reset = false;
};

struct Sequence {
  std::string folder;
  Size render;
  Size output;      // at least render on both sides
  bool hdr = true;  // false: colour is display-coded sRGB in 0..1
  DepthConvention depth;
  std::optional<float> fov_y;  // radians
  std::vector<FrameEntry> frames;

  std::string path_of(const std::string& file) const { return folder + "/" + file; }
};

// Reads FOLDER/sequence.json. Every field is checked; errors (kInput) name file, line, column, field, what was found
// and expected, and what to do. Unknown fields are ignored. The first frame is a reset even where the file says
// otherwise.
Result<Sequence> read_sequence(const std::string& folder);

// The same from text; `name` stands in messages.
Result<Sequence> parse_sequence(std::string_view text, const std::string& name, const std::string& folder);

// Writes FOLDER/sequence.json (the folder exists). Errors (kRuntime): those of write_file.
Status write_sequence(const Sequence& sequence);

}  // namespace ww::frame
