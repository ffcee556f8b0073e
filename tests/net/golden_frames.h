// The frames of tests/net/data/golden.safetensors (train/golden.py): inputs, and what PyTorch computed from them with
// the shipped model.
#pragma once

#include <cstring>
#include <string>

#include "net/safetensors.h"
#include "net/upscaler.h"
#include "reference.h"

namespace ww::net {

class GoldenFrames {
 public:
  static constexpr int kFrames = 4;
  static constexpr Size kOutput{61, 35};  // from 37x21

  static Result<GoldenFrames> open(const std::string& path) {
    GoldenFrames golden;
    WW_ASSIGN(golden.file_, SafeTensors::open(path));
    return golden;
  }

  // A tensor [height, width, channels]; it must be there.
  reference::Grid grid(const std::string& name) const {
    const Tensor& t = *file_.find(name);
    reference::Grid grid(static_cast<int>(t.shape.at(1)), static_cast<int>(t.shape.at(0)),
                         static_cast<int>(t.shape.at(2)));
    std::memcpy(grid.data.data(), t.bytes.data(), t.bytes.size());
    return grid;
  }
  Image image(const std::string& name) const {
    reference::Grid grid = this->grid(name);
    Image image(grid.width, grid.height, grid.channels);
    image.data = std::move(grid.data);
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

// The same inputs as an upscaler takes them; `in` must outlive the result.
inline FrameInputs borrow(const reference::Inputs& in) {
  FrameInputs f;
  f.color = &in.color;
  f.depth = &in.depth;
  f.motion = &in.motion;
  f.jitter_x = in.jitter_x;
  f.jitter_y = in.jitter_y;
  f.exposure = in.exposure;
  f.reset = in.reset;
  f.render = in.color.size();
  f.output = in.output;
  f.depth_convention = in.depth_convention;
  return f;
}

}  // namespace ww::net
