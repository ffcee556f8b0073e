#include "gallery/picture_hashes.h"

#include <filesystem>
#include <span>

#include "base/sha256.h"
#include "frame/exr.h"

namespace ww::testing {

Result<std::map<std::string, std::string>> picture_hashes(const std::string& folder) {
  std::map<std::string, std::string> hashes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".exr") continue;
    WW_ASSIGN(const Image image, frame::read_exr(entry.path().string(), frame::kRgb));
    const auto* bytes = reinterpret_cast<const uint8_t*>(image.data.data());
    hashes[entry.path().filename().string()] = sha256_text(std::span(bytes, image.data.size() * sizeof(float)));
  }
  if (hashes.empty()) {
    Error missing(ErrorKind::kInput, "there is no *.exr in it");
    missing.file = folder;
    return missing;
  }
  return hashes;
}

}  // namespace ww::testing
