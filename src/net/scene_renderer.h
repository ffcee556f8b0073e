// Runs the scene renderer (guest/scene) on a device: frames of made-up games, with references.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "frame/image.h"

namespace ww::net {

struct SceneOptions {
  std::string family;          // one of scene_names()
  uint32_t seed = 0;           // which scene of the family
  Size render, output;         // output at least as large as render
  uint32_t samples = 64;       // a pixel of the reference; 0: no reference
  bool particles = true;       // drawn without motion and depth, as games do
  bool cuts = true;            // the camera may cut, every few seconds
  bool motion_errors = false;  // some moving objects claim to stand still
};

struct SceneFrame {
  Image color;                       // linear RGB at render size, one sample a pixel
  Image depth;                       // inverted, between kSceneNear and kSceneFar
  Image motion;                      // render pixels, place in the frame before minus place in this one
  Image reference;                   // linear RGB at output size; empty if none was asked for
  float jitter_x = 0, jitter_y = 0;  // render pixels, in [-0.5, 0.5]
  float exposure = 1;
  float fov_y = 1;     // radians
  bool reset = false;  // a camera cut lies before this frame
};

// Rounds the planes so that they compress well on disk: colour and reference to 8 bits of mantissa, depth to 15, motion
// to 1/1024 pixel. That is finer than what games store (their usual colour format has 6 bits of mantissa).
void make_compact(SceneFrame& frame);

extern const float kSceneNear, kSceneFar;  // metres

// Names of the scene families.
std::vector<std::string> scene_names();

// The number of a family. Error (kUsage): unknown name, with those there are.
Result<uint32_t> scene_number(const std::string& name);

class SceneRenderer {
 public:
  // `device` outlives the renderer. Errors: kUsage for an unknown family, those of the device.
  static Result<std::unique_ptr<SceneRenderer>> make(Device& device, const SceneOptions& options);
  virtual ~SceneRenderer() = default;

  // Frame `index` (from 0) of the sequence. A function of options and index alone. Errors: those of the device.
  virtual Result<SceneFrame> render(int index) = 0;
};

}  // namespace ww::net
