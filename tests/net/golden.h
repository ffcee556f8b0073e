// The frames of tests/net/data/golden.safetensors (train/golden.py), which PyTorch computed with the shipped model.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "net/safetensors.h"
#include "reference.h"

namespace ww::net {

class Golden {
 public:
  static constexpr int kFrames = 4;
  static constexpr Size kRender{37, 21}, kOutput{61, 35};

  Golden() {
    auto opened = SafeTensors::open(std::string(WARPWAVE_SOURCE_DIR) + "/tests/net/data/golden.safetensors");
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().to_string());
    if (opened.ok()) file_ = std::move(*opened);
  }

  // A tensor [height, width, channels].
  reference::Grid grid(const std::string& name) const {
    const Tensor* t = file_.find(name);
    EXPECT_NE(t, nullptr) << name;
    reference::Grid grid(static_cast<int>(t->shape.at(1)), static_cast<int>(t->shape.at(0)),
                         static_cast<int>(t->shape.at(2)));
    std::memcpy(grid.data.data(), t->bytes.data(), t->bytes.size());
    return grid;
  }
  Image image(const std::string& name) const {
    reference::Grid grid = this->grid(name);
    Image image(grid.width, grid.height, grid.channels);
    image.data = grid.data;
    return image;
  }
  float number(const std::string& name, size_t index = 0) const {
    float value = 0.0f;
    std::memcpy(&value, file_.find(name)->bytes.data() + 4 * index, 4);
    return value;
  }
  reference::Inputs inputs(int frame) const {
    const std::string prefix = std::to_string(frame) + ".";
    reference::Inputs in;
    in.color = image(prefix + "color");
    in.depth = image(prefix + "depth");
    in.motion = image(prefix + "motion");
    in.jitter_x = number(prefix + "jitter", 0);
    in.jitter_y = number(prefix + "jitter", 1);
    in.exposure = number(prefix + "exposure");
    in.reset = frame == 0;
    in.output = kOutput;
    return in;
  }

 private:
  SafeTensors file_;
};

inline Model shipped_model() {
  auto model = load_model(std::string(WARPWAVE_SOURCE_DIR) + "/models/upscaler/model.json");
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().to_string());
  return std::move(*model);
}

}  // namespace ww::net
