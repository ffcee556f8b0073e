// A progress bar on the standard error stream: on a terminal only, and none with --quiet.
#pragma once

#include <cstddef>
#include <string>

namespace ww::cli {

class ProgressBar {
 public:
  ProgressBar(size_t total, bool quiet);
  ~ProgressBar();  // leaves a clean line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` of `total` are done; `what` is being worked on.
  void show(size_t done, const std::string& what);
  // Takes the bar off the screen, so that other lines can be printed.
  void clear();

 private:
  size_t total_;
  bool enabled_;
  bool drawn_ = false;
};

}  // namespace ww::cli
