// Any bytes as a PNG file: read, or refused with a remedy. Seeds: tests/frame/data/*.png.
#include <cstdint>
#include <cstdlib>

#include "frame/png.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto image = ww::frame::decode_png(std::span(data, size), "fuzz.png");
  if (!image.ok() && image.error().fix.empty()) std::abort();
  if (!image.ok()) return 0;
  for (const float value : image->data)
    if (!(value >= 0.0f && value <= 1.0f)) std::abort();
  return 0;
}
