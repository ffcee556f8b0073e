// warpwave compare: how close two pictures, or the pictures of two folders, are.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/number_checks.h"
#include "frame/display.h"
#include "frame/exr.h"
#include "frame/metrics.h"
#include "frame/png.h"

namespace ww::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  std::string a, b;
  float exposure = 1.0f;
  double least_psnr = 0.0;  // 0: any difference is one
  double most_ulps = 0.0;
};

// A picture with what is needed to compare it.
struct Picture {
  Image image;
  frame::ChannelNames channels;
  frame::SampleType type = frame::SampleType::kFloat;  // of the first channel
  bool display_coded = false;
};

struct Comparison {
  double psnr = 0.0, ssim = 0.0, largest = 0.0;
  frame::UlpReport ulps;
};

bool is_png(const std::string& path) {
  return fs::path(path).extension() == ".png";
}

// The channels that both files have, colour in its usual order first; what only one has is not compared.
Result<frame::ChannelNames> shared_channels(const std::string& a, const std::string& b) {
  if (is_png(a) || is_png(b)) return frame::kRgb;
  WW_ASSIGN(const frame::ExrInfo first, frame::read_exr_info(a));
  WW_ASSIGN(const frame::ExrInfo second, frame::read_exr_info(b));
  frame::ChannelNames names;
  const auto add = [&](const std::string& name) {
    if (first.find(name) != nullptr && second.find(name) != nullptr &&
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (const std::string& name : frame::kRgb) add(name);
  for (const frame::ExrChannel& channel : first.channels) add(channel.name);
  if (!names.empty()) return names;
  return input_error(b, "the two files have no channel in common", "Compare pictures of the same kind");
}

Result<Picture> read_picture(const std::string& path, const frame::ChannelNames& channels) {
  Picture picture;
  picture.channels = channels;
  picture.display_coded = is_png(path);
  if (picture.display_coded) {
    WW_ASSIGN(picture.image, frame::read_png(path));
    return picture;
  }
  WW_ASSIGN(const frame::ExrInfo info, frame::read_exr_info(path));
  WW_ASSIGN(picture.image, frame::read_exr(path, channels));
  picture.type = info.find(channels[0])->type;
  return picture;
}

bool is_color(const Picture& picture) {
  return picture.channels == frame::kRgb;
}

std::string describe(const Picture& picture) {
  return std::to_string(picture.image.width) + "x" + std::to_string(picture.image.height);
}

Result<Comparison> compare_files(const std::string& a, const std::string& b, float exposure) {
  WW_ASSIGN(const frame::ChannelNames channels, shared_channels(a, b));
  WW_ASSIGN(const Picture first, read_picture(a, channels));
  WW_ASSIGN(const Picture second, read_picture(b, channels));
  if (first.image.size() != second.image.size()) {
    Error error = input_error(b, "the two pictures differ in size", "Compare pictures of the same size");
    error.found = describe(second);
    error.expected = describe(first) + " as in " + a;
    return error;
  }
  Comparison result;
  if (is_color(first)) {
    const frame::DisplayTransform transform{true, exposure};
    const Image shown_a = first.display_coded ? first.image : frame::to_display(first.image, transform);
    const Image shown_b = second.display_coded ? second.image : frame::to_display(second.image, transform);
    result.psnr = frame::psnr(shown_a, shown_b);
    result.ssim = frame::ssim(frame::luma(shown_a), frame::luma(shown_b));
  } else {
    double peak = 0.0;  // depth and motion have no white; take the first picture's largest magnitude
    for (const float value : first.image.data) peak = std::max(peak, std::abs(static_cast<double>(value)));
    result.psnr = frame::psnr(first.image, second.image, peak);
    result.ssim = std::nan("");
  }
  result.largest = frame::largest_difference(first.image, second.image);
  result.ulps = frame::compare_ulps(first.image.data, second.image.data, first.type);
  return result;
}

// Pairs of files: the two themselves, or those of the same name in the two folders.
Result<std::vector<std::pair<std::string, std::string>>> find_pairs(const std::string& a, const std::string& b) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::error_code code;
  for (const std::string& path : {a, b})
    if (!fs::exists(path, code)) return input_error(path, "cannot read: no such file or folder", "Check the name");
  if (fs::is_directory(a, code) != fs::is_directory(b, code))
    return usage_error("one is a folder and the other a file", "Give two files or two folders");
  if (!fs::is_directory(a, code)) {
    pairs.emplace_back(a, b);
    return pairs;
  }
  std::vector<std::string> names;
  for (fs::directory_iterator it(a, code), end; !code && it != end; it.increment(code)) {
    const std::string extension = it->path().extension().string();
    // A PNG beside an EXR of the same name is a view of the same picture.
    const bool is_view = is_png(it->path()) && fs::exists(fs::path(it->path()).replace_extension(".exr"));
    if ((extension == ".exr" || extension == ".png") && !is_view && it->path().filename() != "sheet.png")
      names.push_back(it->path().filename().string());
  }
  if (code) return input_error(a, "cannot read the folder: " + code.message(), "Check its permissions");
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!fs::exists(b + "/" + name, code))
      return input_error(b + "/" + name, "picture is missing", "The other folder has " + a + "/" + name);
    pairs.emplace_back(a + "/" + name, b + "/" + name);
  }
  if (pairs.empty()) return input_error(a, "the folder holds no pictures", "Give a folder with EXR or PNG files");
  return pairs;
}

nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const Comparison& c) {
  nlohmann::ordered_json json;
  json["psnr"] = number(c.psnr);
  json["ssim"] = number(c.ssim);
  json["largest_difference"] = number(c.largest);
  json["ulps"] = {{"count", c.ulps.count},       {"identical", c.ulps.identical}, {"within_1", c.ulps.within_1},
                  {"within_4", c.ulps.within_4}, {"finite", c.ulps.finite},       {"largest", number(c.ulps.largest)}};
  return json;
}

std::string line_of(const std::string& name, const Comparison& c) {
  const auto share = [&](uint64_t part) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(c.ulps.count);
  };
  char psnr[32] = "infinite", ssim[32] = "-";
  if (!std::isinf(c.psnr)) std::snprintf(psnr, sizeof psnr, "%.2f dB", c.psnr);
  if (!std::isnan(c.ssim)) std::snprintf(ssim, sizeof ssim, "%.4f", c.ssim);
  char text[256];
  std::snprintf(text, sizeof text,
                ": PSNR %s, SSIM %s, largest difference %.4g; %.3f%% identical, %.3f%% within 1 ulp, %.3f%% within "
                "4, largest %.4g ulp, %.3f%% finite",
                psnr, ssim, c.largest, share(c.ulps.identical), share(c.ulps.within_1), share(c.ulps.within_4),
                c.ulps.largest, share(c.ulps.finite));
  return name + text;
}

// A NaN never passes, not even against another.
bool accepted(const Comparison& c, const CompareOptions& options) {
  if (c.ulps.finite != c.ulps.count) return false;
  if (options.least_psnr > 0.0) return c.psnr >= options.least_psnr;
  return c.ulps.largest <= options.most_ulps;
}

Status run_compare(const CompareOptions& options, Context& context) {
  WW_ASSIGN(const auto pairs, find_pairs(options.a, options.b));
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  size_t different = 0, colored = 0;  // colored: those that have an SSIM
  double psnr_sum = 0.0, ssim_sum = 0.0, largest = 0.0;
  frame::UlpReport ulps;
  std::string first_different;
  for (const auto& [a, b] : pairs) {
    if (interrupted()) return interrupted_error();
    WW_ASSIGN(const Comparison comparison, compare_files(a, b, options.exposure));
    const std::string name = fs::path(a).filename().string();
    print(context, line_of(name, comparison));
    nlohmann::ordered_json entry = json_of(comparison);
    entry["name"] = name;
    files.push_back(std::move(entry));
    psnr_sum += comparison.psnr;
    if (!std::isnan(comparison.ssim)) {
      ssim_sum += comparison.ssim;
      ++colored;
    }
    largest = std::max(largest, comparison.largest);
    ulps.add(comparison.ulps);
    if (accepted(comparison, options)) continue;
    if (different++ == 0) first_different = b;
  }
  const double count = static_cast<double>(pairs.size());
  const double ssim = colored == 0 ? std::nan("") : ssim_sum / static_cast<double>(colored);
  const Comparison all{psnr_sum / count, ssim, largest, ulps};
  if (pairs.size() > 1) print(context, line_of("all " + std::to_string(pairs.size()), all));
  const nlohmann::ordered_json summary = json_of(all);
  for (const auto& [key, value] : summary.items()) context.report[key] = value;
  context.report["files"] = std::move(files);
  if (different == 0) return {};
  Error error =
      runtime_error("the pictures differ (" + std::to_string(different) + " of " + std::to_string(pairs.size()) + ")",
                    "Allow a difference with --min-psnr or --max-ulps if it is meant to be there");
  error.file = first_different;
  return error;
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = add_command(
      app, context, "compare", "PSNR, SSIM, largest difference and differences in ulps of two pictures or folders",
      "warpwave compare out/cpu out/sim --min-psnr 80", [options, &context] { return run_compare(*options, context); });
  command->add_option("a", options->a, "Picture (EXR or PNG) or folder of pictures")->required()->type_name("A");
  command->add_option("b", options->b, "The one to compare with it")->required()->type_name("B");
  command->add_option("--exposure", options->exposure, "Factor on linear colour before the display transform")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--min-psnr", options->least_psnr, "Accept pictures of at least this PSNR (dB)")
      ->check(above_zero());
  command->add_option("--max-ulps", options->most_ulps, "Accept differences of at most this many ulps")
      ->check(zero_or_more());
}

}  // namespace ww::cli
