#include "frame/sequence.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.h"
#include "frame/json_position.h"

namespace ww::frame {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxDescriptionBytes = uint64_t{64} << 20;
constexpr size_t kMaxFrames = 1000000;

constexpr std::array<std::pair<std::string_view, DepthKind>, 3> kDepthNames = {{
    {"inverted", DepthKind::kInverted},
    {"regular", DepthKind::kRegular},
    {"linear-view-metres", DepthKind::kLinearView},
}};

// How a value shows in a message: short, whatever it is.
std::string shown(const Json* value) {
  if (value == nullptr) return "nothing";
  if (value->is_object()) return "an object";
  if (value->is_array()) return "a list of " + std::to_string(value->size());
  std::string text = value->dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

// A value of the document with the path that leads to it; null where the document has no such member.
class Node {
 public:
  Node(const Json* value, JsonPath path, const std::string& name, std::string_view text)
      : value_(value), path_(std::move(path)), name_(&name), text_(text) {}

  const Json* value() const { return value_; }
  bool absent() const { return value_ == nullptr || value_->is_null(); }

  Node member(const std::string& key) const {
    const Json* child = nullptr;
    if (value_ != nullptr && value_->is_object()) {
      const auto found = value_->find(key);
      if (found != value_->end()) child = &*found;
    }
    return step({key, 0}, child);
  }
  Node element(size_t index) const {
    const bool there = value_ != nullptr && value_->is_array() && index < value_->size();
    return step({"", index}, there ? &(*value_)[index] : nullptr);
  }

  Error error(const std::string& what, std::string expected, std::string fix) const {
    Error error = input_error(*name_, "field '" + path_text(path_) + "' " + what, std::move(fix));
    const TextPosition position = json_position(text_, path_);
    error.line = position.line;
    error.column = position.column;
    error.found = shown(value_);
    error.expected = std::move(expected);
    return error;
  }

  Result<float> number(double least, double most, const std::string& expected, const std::string& fix) const {
    if (value_ == nullptr) return error("is missing", expected, fix);
    if (!value_->is_number()) return error("is not a number", expected, fix);
    const double number = value_->get<double>();
    if (!(number >= least && number <= most)) return error("is out of range", expected, fix);
    return static_cast<float>(number);
  }
  Result<int> integer(int least, int most, const std::string& fix) const {
    const std::string expected = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    if (value_ == nullptr) return error("is missing", expected, fix);
    const bool whole = value_->is_number_integer() ||
                       (value_->is_number_float() && std::floor(value_->get<double>()) == value_->get<double>());
    if (!whole) return error("is not a whole number", expected, fix);
    const double number = value_->get<double>();
    if (!(number >= least && number <= most)) return error("is out of range", expected, fix);
    return static_cast<int>(number);
  }
  Result<bool> boolean(bool otherwise) const {
    if (value_ == nullptr) return otherwise;
    if (!value_->is_boolean()) return error("is neither true nor false", "true or false", "Write it without quotes");
    return value_->get<bool>();
  }
  // A file inside the sequence's folder. Optional ones may be absent (empty).
  Result<std::string> file(bool optional) const {
    const std::string expected = "the name of a file in the sequence's folder";
    if (optional && absent()) return std::string();
    if (value_ == nullptr) return error("is missing", expected, "Every frame needs color, depth and motion");
    if (!value_->is_string()) return error("is not a text", expected, "Write the file's name in quotes");
    const auto& text = value_->get_ref<const std::string&>();
    const std::string padded = "/" + text + "/";
    if (text.empty() || text.size() > 4000 || text.front() == '/' || text.find('\0') != std::string::npos ||
        padded.find("/../") != std::string::npos)
      return error("leads out of the folder or is no file name", expected, "Keep the planes beside sequence.json");
    return text;
  }

 private:
  Node step(PathStep next, const Json* child) const {
    JsonPath path = path_;
    path.push_back(std::move(next));
    return Node(child, std::move(path), *name_, text_);
  }

  const Json* value_;
  JsonPath path_;
  const std::string* name_;
  std::string_view text_;
};

Result<Size> read_size(const Node& node) {
  if (node.value() == nullptr || !node.value()->is_array() || node.value()->size() != 2)
    return node.error("is not a size", "[width, height] in pixels", "Write it as \"render\": [640, 360]");
  const std::string fix = "Choose a size that fits a picture";
  WW_ASSIGN(const int width, node.element(0).integer(1, kMaxImageSide, fix));
  WW_ASSIGN(const int height, node.element(1).integer(1, kMaxImageSide, fix));
  const Size size{width, height};
  if (size.pixels() > kMaxImagePixels)
    return node.error("is too large", "at most " + std::to_string(kMaxImagePixels) + " pixels in all", fix);
  return size;
}

Status read_depth(const Node& root, DepthConvention& depth) {
  const Node node = root.member("depth");
  const std::string expected = "\"inverted\", \"regular\" or \"linear-view-metres\"";
  const std::string fix = "Say how the game writes depth: inverted is 1 at the near plane, regular is 0 there";
  if (node.value() == nullptr) return node.error("is missing", expected, fix);
  if (!node.value()->is_string()) return node.error("is not a text", expected, fix);
  const auto& text = node.value()->get_ref<const std::string&>();
  bool known = false;
  for (const auto& [name, kind] : kDepthNames) {
    if (name != text) continue;
    depth.kind = kind;
    known = true;
  }
  if (!known) return node.error("is unknown", expected, fix);
  const Node near = root.member("near"), far = root.member("far");
  const std::string plane_fix = "Give the camera's near and far plane in metres, or depth as linear-view-metres";
  const bool linear = depth.kind == DepthKind::kLinearView;
  if (!linear || !near.absent()) {
    WW_ASSIGN(depth.near, near.number(1e-6, 1e6, "metres, greater than 0", plane_fix));
  }
  if (!linear || !far.absent()) {
    WW_ASSIGN(depth.far, far.number(1e-6, 1e12, "metres, greater than near", plane_fix));
    if (!linear && depth.far <= depth.near)
      return far.error("is not beyond near", "more than " + std::to_string(depth.near) + " metres", plane_fix);
  }
  return {};
}

Status read_frame(const Node& node, FrameEntry& frame) {
  if (!node.value()->is_object())
    return node.error("is not an object", "{\"color\": ..., \"depth\": ..., \"motion\": ..., \"jitter\": [x, y]}",
                      "Write one object a frame");
  WW_ASSIGN(frame.color, node.member("color").file(false));
  WW_ASSIGN(frame.depth, node.member("depth").file(false));
  WW_ASSIGN(frame.motion, node.member("motion").file(false));
  WW_ASSIGN(frame.reference, node.member("reference").file(true));
  const Node jitter = node.member("jitter");
  const std::string jitter_fix = "Give the offset of this frame's samples from the pixel centres, in render pixels";
  if (jitter.value() == nullptr || !jitter.value()->is_array() || jitter.value()->size() != 2)
    return jitter.error("is not a pair", "[jx, jy] in render pixels", jitter_fix);
  // Wrong units are a matter for a warning, not for a refusal; what no camera could mean is refused.
  WW_ASSIGN(frame.jitter_x, jitter.element(0).number(-16384, 16384, "a number in [-0.5, 0.5]", jitter_fix));
  WW_ASSIGN(frame.jitter_y, jitter.element(1).number(-16384, 16384, "a number in [-0.5, 0.5]", jitter_fix));
  if (const Node exposure = node.member("exposure"); !exposure.absent()) {
    WW_ASSIGN(const float factor, exposure.number(1e-12, 1e12, "a positive factor, or null",
                                                  "Give the factor on linear colour, or null to have it measured"));
    frame.exposure = factor;
  }
  WW_ASSIGN(frame.reset, node.member("reset").boolean(false));
  return {};
}

Result<Sequence> read_document(const Node& root, const std::string& folder) {
  if (!root.value()->is_object())
    return root.error("is not an object", "{\"render\": ..., \"frames\": [...]}", "See docs/sequence.md");
  Sequence sequence;
  sequence.folder = folder;
  WW_ASSIGN(sequence.render, read_size(root.member("render")));
  WW_ASSIGN(sequence.output, read_size(root.member("output")));
  if (sequence.output.width < sequence.render.width || sequence.output.height < sequence.render.height)
    return root.member("output").error(
        "is smaller than 'render'",
        "at least [" + std::to_string(sequence.render.width) + ", " + std::to_string(sequence.render.height) + "]",
        "Exchange the two, or choose a larger output");
  WW_ASSIGN(sequence.hdr, root.member("hdr").boolean(true));
  WW_TRY(read_depth(root, sequence.depth));
  if (const Node fov = root.member("fov_y"); !fov.absent()) {
    WW_ASSIGN(const float radians, fov.number(1e-3, 3.1415, "radians, between 0 and pi", "Convert it from degrees"));
    sequence.fov_y = radians;
  }
  const Node frames = root.member("frames");
  if (frames.value() == nullptr || !frames.value()->is_array() || frames.value()->empty() ||
      frames.value()->size() > kMaxFrames)
    return frames.error("is not a list of frames", "1 to " + std::to_string(kMaxFrames) + " objects",
                        "List every frame of the sequence");
  sequence.frames.resize(frames.value()->size());
  for (size_t i = 0; i < sequence.frames.size(); ++i) WW_TRY(read_frame(frames.element(i), sequence.frames[i]));
  sequence.frames[0].reset = true;
  return sequence;
}

}  // namespace

Result<Sequence> parse_sequence(std::string_view text, const std::string& name, const std::string& folder) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& exception) {
    Error error = input_error(name, "not valid JSON", "Correct the text there (a comma, a quote or a bracket, mostly)");
    const TextPosition position = position_of_offset(text, exception.byte == 0 ? 0 : exception.byte - 1);
    error.line = position.line;
    error.column = position.column;
    const std::string what = exception.what();
    const size_t colon = what.rfind(": ");
    error.found = text.empty() ? "an empty file" : colon == std::string::npos ? what : what.substr(colon + 2);
    return error;
  } catch (const Json::out_of_range& exception) {
    // "number overflow parsing '1e400'": the library gives no place, but it quotes the number.
    const std::string what = exception.what();
    const size_t open = what.find('\''), close = what.rfind('\'');
    Error error = input_error(name, "a number is too large", "Correct the number");
    if (close != std::string::npos && open < close) {
      error.found = what.substr(open + 1, close - open - 1);
      const TextPosition position = position_of_offset(text, text.find(error.found));
      error.line = position.line;
      error.column = position.column;
    }
    return error;
  } catch (const std::exception& exception) {
    Error error = input_error(name, "not valid JSON", "Correct the text");
    error.found = exception.what();
    return error;
  }
  return read_document(Node(&document, {}, name, text), folder);
}

Result<Sequence> read_sequence(const std::string& folder) {
  const std::string path = folder + "/sequence.json";
  auto bytes = read_file(path, kMaxDescriptionBytes);
  if (!bytes.ok()) {
    bytes.error().fix = "Give the folder of a sequence, one that holds sequence.json (docs/sequence.md)";
    return std::move(bytes.error());
  }
  return parse_sequence({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path, folder);
}

Status write_sequence(const Sequence& sequence) {
  Json document;
  document["render"] = {sequence.render.width, sequence.render.height};
  document["output"] = {sequence.output.width, sequence.output.height};
  document["hdr"] = sequence.hdr;
  for (const auto& [name, kind] : kDepthNames)
    if (kind == sequence.depth.kind) document["depth"] = name;
  if (sequence.depth.kind != DepthKind::kLinearView) {
    document["near"] = sequence.depth.near;
    document["far"] = sequence.depth.far;
  }
  if (sequence.fov_y) document["fov_y"] = *sequence.fov_y;
  document["frames"] = Json::array();
  for (const FrameEntry& frame : sequence.frames) {
    Json entry;
    entry["color"] = frame.color;
    entry["depth"] = frame.depth;
    entry["motion"] = frame.motion;
    if (!frame.reference.empty()) entry["reference"] = frame.reference;
    entry["jitter"] = {frame.jitter_x, frame.jitter_y};
    entry["exposure"] = frame.exposure ? Json(*frame.exposure) : Json(nullptr);
    entry["reset"] = frame.reset;
    document["frames"].push_back(std::move(entry));
  }
  return write_file(sequence.folder + "/sequence.json",
                    document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace ww::frame
