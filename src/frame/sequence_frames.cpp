#include "frame/sequence_frames.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "frame/display.h"
#include "frame/exr.h"
#include "frame/png.h"

namespace ww::frame {
namespace {

bool is_png(const std::string& file) {
  if (file.size() < 4) return false;
  std::string ending = file.substr(file.size() - 4);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".png";
}

// Wrong sizes of a plane mostly have one of two causes; name the likely one.
void explain_size(const Sequence& sequence, const std::string& plane, Error& error) {
  if (error.message != "wrong image size") return;
  const Size other = plane == "reference" ? sequence.render : sequence.output;
  const std::string other_text = std::to_string(other.width) + "x" + std::to_string(other.height);
  if (error.found == other_text && sequence.render != sequence.output)
    error.fix = "The " + plane + " plane is at " + (plane == "reference" ? "render" : "output") +
                " size; write it at " + (plane == "reference" ? "output" : "render") +
                " size, or correct sequence.json";
}

Result<Image> load_color(const Sequence& sequence, const std::string& file, Size size, bool display_coded) {
  if (is_png(file)) {
    WW_ASSIGN(const Image coded, read_png(sequence.path_of(file), size));
    return linear_of_display_coded(coded);
  }
  WW_ASSIGN(Image image, read_exr(sequence.path_of(file), kRgb, size));
  return display_coded ? linear_of_display_coded(image) : std::move(image);
}

Status check_color(const Sequence& sequence, const std::string& file, Size size) {
  if (!is_png(file)) return check_exr(sequence.path_of(file), kRgb, size);
  WW_ASSIGN([[maybe_unused]] const Image image, read_png(sequence.path_of(file), size));
  return {};
}

// Names plane and frame in an error of one of its files.
Error plane_error(const Sequence& sequence, const char* plane, size_t index, Error error) {
  explain_size(sequence, plane, error);
  error.message += " (" + std::string(plane) + " of frame " + std::to_string(index) + ")";
  return error;
}

size_t repair(Image& image, bool color) {
  constexpr float kLargestHalf = 65504.0f;
  size_t repaired = 0;
  for (float& value : image.data) {
    if (std::isfinite(value) && !(color && value < 0.0f)) continue;
    value = color && value > 0.0f && std::isinf(value) ? kLargestHalf : 0.0f;
    ++repaired;
  }
  return repaired;
}

}  // namespace

Status check_planes(const Sequence& sequence) {
  for (size_t i = 0; i < sequence.frames.size(); ++i) {
    const FrameEntry& entry = sequence.frames[i];
    const std::pair<const char*, Status> planes[] = {
        {"color", check_color(sequence, entry.color, sequence.render)},
        {"depth", check_exr(sequence.path_of(entry.depth), kDepthZ, sequence.render)},
        {"motion", check_exr(sequence.path_of(entry.motion), kMotionXy, sequence.render)},
        {"reference", entry.reference.empty() ? Status() : check_color(sequence, entry.reference, sequence.output)},
    };
    for (const auto& [plane, status] : planes)
      if (!status.ok()) return plane_error(sequence, plane, i, status.error());
  }
  return {};
}

Result<Frame> load_frame(const Sequence& sequence, size_t index) {
  const FrameEntry& entry = sequence.frames[index];
  Frame frame;
  auto color = load_color(sequence, entry.color, sequence.render, !sequence.hdr);
  if (!color.ok() && is_png(entry.color) && color.error().message == "not a PNG file")
    color.error().fix = "Give the file the ending .exr if it is OpenEXR";
  struct Plane {
    const char* name;
    Result<Image> loaded;
    Image* target;
  };
  Plane planes[] = {
      {"color", std::move(color), &frame.color},
      {"depth", read_exr(sequence.path_of(entry.depth), kDepthZ, sequence.render), &frame.depth},
      {"motion", read_exr(sequence.path_of(entry.motion), kMotionXy, sequence.render), &frame.motion},
      {"reference",
       entry.reference.empty() ? Result<Image>(Image()) : load_color(sequence, entry.reference, sequence.output, false),
       &frame.reference},
  };
  for (Plane& plane : planes) {
    if (!plane.loaded.ok()) return plane_error(sequence, plane.name, index, std::move(plane.loaded.error()));
    *plane.target = std::move(plane.loaded.value());
  }
  frame.repaired_color = repair(frame.color, true);
  frame.repaired_guides = repair(frame.depth, false) + repair(frame.motion, false);
  return frame;
}

}  // namespace ww::frame
