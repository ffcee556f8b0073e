// What `warpwave upscale` measures: quality and time by method, as a table and as JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frame/display.h"
#include "frame/image.h"

namespace ww::cli {

class UpscaleScores {
 public:
  explicit UpscaleScores(std::vector<std::string> methods);

  // One frame of one method. `reference` empty: only the time counts. since_reset: 0 at a reset. Both images linear.
  void add(const std::string& method, const Image& output, const Image& reference,
           const frame::DisplayTransform& transform, size_t since_reset, double seconds);

  // {"taau": {"psnr": ..., "psnr_warm": ..., "psnr_reset": ..., "ssim": ..., "seconds_per_frame": ...,
  // "first_frame_seconds": ...}, ...}; what could not be measured, and an infinite PSNR, is null.
  nlohmann::ordered_json json() const;

  // One line a method, aligned, with a head line. Without references only the times.
  std::vector<std::string> table() const;

  // PSNR of the method's last frame; nothing without reference.
  std::optional<double> last_psnr(const std::string& method) const;

 private:
  struct FrameScore {
    std::optional<double> psnr, ssim;
    size_t since_reset;
    double seconds;
  };
  // Means over the frames that a row of the table is about.
  struct Summary {
    std::optional<double> psnr, psnr_warm, psnr_reset, ssim;
    double seconds_per_frame = 0.0, first_frame_seconds = 0.0;
  };
  Summary summarize(const std::string& method) const;

  std::vector<std::string> methods_;
  std::map<std::string, std::vector<FrameScore>> frames_;
};

}  // namespace ww::cli
