#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ww::cli {

ProgressBar::ProgressBar(size_t total, bool quiet) : total_(total) {
  const char* terminal = std::getenv("TERM");
  enabled_ = !quiet && isatty(STDERR_FILENO) != 0 && (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::show(size_t done, const std::string& what) {
  if (!enabled_) return;
  constexpr size_t kWidth = 30;
  const size_t filled = total_ == 0 ? kWidth : std::min(kWidth, kWidth * done / total_);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r\033[K[%s] %zu/%zu %s", bar.c_str(), done, total_, what.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace ww::cli
