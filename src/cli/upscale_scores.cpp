#include "cli/upscale_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "frame/metrics.h"

namespace ww::cli {
namespace {

constexpr size_t kWarm = 4;  // frames after a reset from which on a method counts as warm

class Mean {
 public:
  void add(const std::optional<double>& value) {
    if (!value || std::isnan(*value)) return;
    sum_ += *value;
    ++count_;
  }
  std::optional<double> get() const { return count_ == 0 ? std::nullopt : std::optional(sum_ / count_); }

 private:
  double sum_ = 0.0;
  int count_ = 0;
};

nlohmann::ordered_json json_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string cell(const std::optional<double>& value, const char* format) {
  if (!value) return "-";
  if (std::isinf(*value)) return "identical";
  char text[32];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

}  // namespace

UpscaleScores::UpscaleScores(std::vector<std::string> methods) : methods_(std::move(methods)) {}

void UpscaleScores::add(const std::string& method, const Image& output, const Image& reference,
                        const frame::DisplayTransform& transform, size_t since_reset, double seconds) {
  FrameScore score{{}, {}, since_reset, seconds};
  if (!reference.empty()) {
    const Image a = frame::to_display(output, transform), b = frame::to_display(reference, transform);
    score.psnr = frame::psnr(a, b);
    score.ssim = frame::ssim(frame::luma(a), frame::luma(b));
  }
  frames_[method].push_back(score);
}

UpscaleScores::Summary UpscaleScores::summarize(const std::string& method) const {
  Summary summary;
  const auto found = frames_.find(method);
  if (found == frames_.end()) return summary;
  const std::vector<FrameScore>& frames = found->second;
  Mean psnr, warm, reset, ssim;
  double seconds = 0.0;
  for (const FrameScore& frame : frames) {
    seconds += frame.seconds;
    (frame.since_reset == 0 ? reset : psnr).add(frame.psnr);
    if (frame.since_reset >= kWarm) warm.add(frame.psnr);
    if (frame.since_reset > 0) ssim.add(frame.ssim);
  }
  summary.psnr = psnr.get();
  summary.psnr_warm = warm.get();
  summary.psnr_reset = reset.get();
  summary.ssim = ssim.get();
  summary.first_frame_seconds = frames[0].seconds;
  // The first frame compiles kernels; it tells nothing about the others.
  const bool several = frames.size() > 1;
  summary.seconds_per_frame =
      several ? (seconds - frames[0].seconds) / static_cast<double>(frames.size() - 1) : frames[0].seconds;
  return summary;
}

nlohmann::ordered_json UpscaleScores::json() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const std::string& method : methods_) {
    if (!frames_.contains(method)) continue;
    const Summary summary = summarize(method);
    nlohmann::ordered_json& entry = all[method];
    entry["psnr"] = json_number(summary.psnr);
    entry["psnr_warm"] = json_number(summary.psnr_warm);
    entry["psnr_reset"] = json_number(summary.psnr_reset);
    entry["ssim"] = json_number(summary.ssim);
    entry["seconds_per_frame"] = summary.seconds_per_frame;
    entry["first_frame_seconds"] = summary.first_frame_seconds;
    entry["frames"] = frames_.at(method).size();
  }
  return all;
}

std::vector<std::string> UpscaleScores::table() const {
  std::vector<std::vector<std::string>> rows;
  bool measured = false;
  for (const std::string& method : methods_) {
    const Summary s = summarize(method);
    measured = measured || s.psnr || s.psnr_reset;
    rows.push_back({method, cell(s.psnr, "%.2f dB"), cell(s.psnr_warm, "%.2f dB"), cell(s.ssim, "%.4f"),
                    cell(s.seconds_per_frame, "%.3f")});
  }
  rows.insert(rows.begin(), {"method", "PSNR", "PSNR warm", "SSIM", "s/frame"});
  if (!measured)
    for (auto& row : rows) row.erase(row.begin() + 1, row.begin() + 4);
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + pad : "  " + pad + row[i];
    }
    lines.push_back(line);
  }
  return lines;
}

std::optional<double> UpscaleScores::last_psnr(const std::string& method) const {
  const auto found = frames_.find(method);
  return found == frames_.end() || found->second.empty() ? std::nullopt : found->second.back().psnr;
}

}  // namespace ww::cli
