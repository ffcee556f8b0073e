// One interface for whatever turns a frame at render size into a frame at output size: the network and the classical
// baselines. An upscaler owns its history and its device memory; it is fed the frames of one sequence in order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frame/image.h"

namespace ww {
class Device;
}

namespace ww::net {

// One frame as the host has it. Images are borrowed for the length of the call. Guides are never null; all are of
// size `render`. Units as in docs/sequence.md.
struct FrameInputs {
  const Image* color = nullptr;   // linear RGB, 3 channels, finite, one sample a pixel at (x + 0.5 + jx, y + 0.5 + jy)
  const Image* depth = nullptr;   // 1 channel, as `depth_convention` says
  const Image* motion = nullptr;  // 2 channels, render pixels, previous position minus position now, jitter excluded
  float jitter_x = 0.0f;          // in [-0.5, 0.5], render pixels
  float jitter_y = 0.0f;
  float exposure = 1.0f;  // a positive factor on linear colour
  bool reset = false;     // history must not be used: first frame, camera cut
  Size render;
  Size output;  // at least render on both sides
  DepthConvention depth_convention;
};

// What the caller may choose. Paths are as the user gave them.
struct UpscalerOptions {
  std::string model;   // model.json of the network; empty: the shipped one
  bool exact = false;  // --numerics exact
};

class Upscaler {
 public:
  virtual ~Upscaler() = default;

  // "network", "bilinear", "lanczos", "taau".
  virtual std::string_view name() const = 0;

  // Loads and compiles what a frame of these sizes needs and allocates its buffers, so that the first frame is not
  // slower than the others. Calling it again with other sizes drops the history. upscale() calls it where needed.
  virtual Status prepare(Size render, Size output) = 0;

  // Linear RGB (3 channels) at inputs.output. A frame of other sizes than the one before acts as a reset.
  // Errors: the device's (kernel and launch named). Outputs are poisoned with NaN before the launch that writes them,
  // so that an element nobody wrote is seen by the caller.
  virtual Result<Image> upscale(const FrameInputs& inputs) = 0;

  // After a frame came out all zero, constant or not finite: the first pass whose result looks like that, for the
  // message. An upscaler of several passes looks at its intermediate results here; nothing is lost if that is slow.
  virtual std::string suspect_pass() { return std::string(name()); }
};

// The upscaler called `method` on `device`, which must outlive it. Unknown method: kUsage, with the names there are.
Result<std::unique_ptr<Upscaler>> make_upscaler(std::string_view method, Device& device,
                                                const UpscalerOptions& options);

// "network", "bilinear", "lanczos", "taau", in the order in which tables show them.
const std::vector<std::string>& upscaler_names();

}  // namespace ww::net
