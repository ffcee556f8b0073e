// Any bytes as an OpenEXR file: read, or refused with a remedy. Seeds: tests/frame/data/*.exr.
#include <cstdint>
#include <cstdlib>

#include "frame/exr.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(data, size);
  const auto info = ww::frame::scan_exr_header(bytes, "fuzz.exr");
  if (!info.ok()) {
    if (info.error().fix.empty()) std::abort();
    return 0;
  }
  if (info->size.pixels() > 1 << 20) return 0;  // legal, but slow
  for (const auto& channels : {ww::frame::kRgb, ww::frame::kDepthZ}) {
    const auto image = ww::frame::decode_exr(bytes, "fuzz.exr", channels);
    if (image.ok() ? image->size() != info->size : image.error().fix.empty()) std::abort();
  }
  return 0;
}
