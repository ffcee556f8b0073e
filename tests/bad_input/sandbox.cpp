#include "bad_input/sandbox.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/files.h"
#include "frame/exr.h"
#include "frame/png.h"
#include "frame/sequence.h"

namespace ww::bad_input {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void expect(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().to_string());
}

std::string slurp(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes.ok()) throw std::runtime_error(bytes.error().to_string());
  return {bytes->begin(), bytes->end()};
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// A textured plane that moves by half a pixel a frame.
void make_sequence(const std::string& folder, int frames) {
  constexpr int kWidth = 16, kHeight = 12;
  expect(make_folder(folder));
  frame::Sequence sequence;
  sequence.folder = folder;
  sequence.render = {kWidth, kHeight};
  sequence.output = {2 * kWidth, 2 * kHeight};
  const auto texture = [](float x, float y) {
    return 0.5f + 0.3f * std::sin(0.8f * x) * std::cos(0.6f * y + 0.3f * x);
  };
  for (int t = 0; t < frames; ++t) {
    const float shift = 0.5f * static_cast<float>(t), jx = t % 2 == 0 ? 0.25f : -0.25f,
                jy = t % 3 == 0 ? 0.25f : -0.125f;
    Image color(kWidth, kHeight, 3), depth(kWidth, kHeight, 1, 0.01f), motion(kWidth, kHeight, 2);
    Image reference(2 * kWidth, 2 * kHeight, 3);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const float u = static_cast<float>(x) + 0.5f + jx - shift, v = static_cast<float>(y) + 0.5f + jy;
        for (int c = 0; c < 3; ++c) color.at(x, y, c) = texture(u, v) * (1.0f + 0.2f * static_cast<float>(c));
        depth.at(x, y, 0) += 0.001f * static_cast<float>(y);
        motion.at(x, y, 0) = -0.5f;
      }
    for (int y = 0; y < 2 * kHeight; ++y)
      for (int x = 0; x < 2 * kWidth; ++x)
        for (int c = 0; c < 3; ++c)
          reference.at(x, y, c) =
              texture((static_cast<float>(x) + 0.5f) / 2 - shift, (static_cast<float>(y) + 0.5f) / 2) *
              (1.0f + 0.2f * static_cast<float>(c));
    const std::string digits = std::to_string(t);
    const std::string number = "_" + std::string(4 - digits.size(), '0') + digits + ".exr";
    frame::FrameEntry entry{
        "color" + number, "depth" + number, "motion" + number, "reference" + number, jx, jy, 1.0f, t == 0};
    expect(write_exr(sequence.path_of(entry.color), color, frame::kRgb, frame::SampleType::kHalf));
    expect(write_exr(sequence.path_of(entry.depth), depth, frame::kDepthZ, frame::SampleType::kFloat));
    expect(write_exr(sequence.path_of(entry.motion), motion, frame::kMotionXy, frame::SampleType::kFloat));
    expect(write_exr(sequence.path_of(entry.reference), reference, frame::kRgb, frame::SampleType::kHalf));
    sequence.frames.push_back(entry);
  }
  expect(frame::write_sequence(sequence));
}

void write_text(const std::string& path, const json& step) {
  std::string text;
  if (step.contains("hex"))
    text = bytes_of_hex(step.at("hex"));
  else if (step.contains("lines"))
    for (const std::string line : step.at("lines")) text += line + "\n";
  else
    for (int i = 0; i < step.value("repeat", 1); ++i) text += step.at("text").get<std::string>();
  expect(write_file(path, std::string_view(text)));
}

void patch(const std::string& path, const json& step) {
  std::string text = slurp(path);
  const std::string bytes = bytes_of_hex(step.at("hex"));
  const int64_t at = step.at("at");
  const size_t start = at < 0 ? text.size() - static_cast<size_t>(-at) : static_cast<size_t>(at);
  text.replace(start, bytes.size(), bytes);
  expect(write_file(path, std::string_view(text)));
}

void replace(const std::string& path, const json& step) {
  std::string text = slurp(path);
  const std::string old = step.at("old");
  const size_t at = text.find(old);
  if (at == std::string::npos) throw std::runtime_error(path + " does not contain '" + old + "'");
  text.replace(at, old.size(), step.at("new").get<std::string>());
  expect(write_file(path, std::string_view(text)));
}

void make_exr(const std::string& path, const json& step) {
  const frame::ChannelNames channels = step.at("channels");
  const float value =
      step.at("value").is_string() ? std::numeric_limits<float>::quiet_NaN() : step.at("value").get<float>();
  const Image image(step.at("size").at(0), step.at("size").at(1), static_cast<int>(channels.size()), value);
  expect(write_exr(path, image, channels,
                   step.value("type", "float") == "half" ? frame::SampleType::kHalf : frame::SampleType::kFloat));
}

using Step = std::function<void(const std::string& path, const json& step)>;

const std::map<std::string, Step>& steps() {
  static const std::map<std::string, Step> table = {
      {"sequence", [](const std::string& path, const json& step) { make_sequence(path, step.value("frames", 5)); }},
      {"write", write_text},
      {"copy",
       [](const std::string& path, const json& step) {
         fs::copy_file(WARPWAVE_SOURCE_DIR "/" + step.at("from").get<std::string>(), path);
       }},
      {"folder", [](const std::string& path, const json&) { expect(make_folder(path)); }},
      {"remove", [](const std::string& path, const json&) { fs::remove_all(path); }},
      {"truncate", [](const std::string& path, const json& step) { fs::resize_file(path, step.at("bytes")); }},
      {"patch", patch},
      {"replace", replace},
      {"exr", make_exr},
      {"mode",
       [](const std::string& path, const json& step) {
         fs::permissions(path, static_cast<fs::perms>(std::stoi(step.at("octal").get<std::string>(), nullptr, 8)));
       }},
  };
  return table;
}

}  // namespace

void do_step(const std::string& folder, const json& step) {
  for (const auto& [name, action] : steps()) {
    if (!step.contains(name)) continue;
    action(folder + "/" + step.at(name).get<std::string>(), step);
    return;
  }
  throw std::runtime_error("unknown step " + step.dump());
}

std::string leftovers(const std::string& folder) {
  std::string names;
  for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied))
    if (entry.path().filename().string().find(".part-") != std::string::npos) names += entry.path().string() + " ";
  return names;
}

std::string check_whole(const std::string& path) {
  const std::string extension = fs::path(path).extension();
  if (extension == ".json") {
    std::ifstream file(path);
    return json::accept(file) ? "" : path + " is no whole JSON file";
  }
  if (extension == ".png") {
    const auto image = frame::read_png(path);
    return image.ok() ? "" : image.error().to_string();
  }
  const auto info = frame::read_exr_info(path);
  if (!info.ok()) return info.error().to_string();
  frame::ChannelNames channels;
  for (const frame::ExrChannel& channel : info->channels) channels.push_back(channel.name);
  const auto image = frame::read_exr(path, channels);
  return image.ok() ? "" : image.error().to_string();
}

}  // namespace ww::bad_input
