#pragma once

#include <string>

namespace ww::frame {

// The path of a file in tests/frame/data.
inline std::string data_path(const std::string& name) {
  return WARPWAVE_SOURCE_DIR "/tests/frame/data/" + name;
}

}  // namespace ww::frame
