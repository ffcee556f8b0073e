// Any text as sequence.json: a legal description, or refused with a place and a remedy. Seeds: seeds/sequence.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frame/sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto sequence = ww::frame::parse_sequence(text, "sequence.json", "folder");
  if (!sequence.ok()) {
    if (sequence.error().fix.empty() || sequence.error().to_string().empty()) std::abort();
    return 0;
  }
  const auto legal = [](ww::Size s) {
    return s.width >= 1 && s.height >= 1 && s.width <= ww::kMaxImageSide && s.height <= ww::kMaxImageSide;
  };
  if (!legal(sequence->render) || !legal(sequence->output) || sequence->frames.empty()) std::abort();
  if (!sequence->frames[0].reset) std::abort();
  return 0;
}
