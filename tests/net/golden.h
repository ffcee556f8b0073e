// The golden frames and the shipped model, for tests: what can't be opened fails the test.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "golden_frames.h"
#include "net/model.h"

namespace ww::net {

class Golden : public GoldenFrames {
 public:
  Golden() {
    auto opened = open(std::string(WARPWAVE_SOURCE_DIR) + "/tests/net/data/golden.safetensors");
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().to_string());
    if (opened.ok()) static_cast<GoldenFrames&>(*this) = std::move(*opened);
  }
};

inline Model shipped_model() {
  auto model = load_model(std::string(WARPWAVE_SOURCE_DIR) + "/models/upscaler/model.json");
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().to_string());
  return std::move(*model);
}

}  // namespace ww::net
