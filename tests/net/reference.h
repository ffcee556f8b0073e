// The upscaling network in plain C++ and f32, written from docs/network.md: no PTX, no fragments, no windows kept on
// chip. What the kernels and the trainer compute is judged by it.
#pragma once

#include <vector>

#include "frame/image.h"
#include "net/model.h"

namespace ww::net::reference {

// Tokens of a grid, row-major, `channels` floats each.
struct Grid {
  int width = 0, height = 0, channels = 0;
  std::vector<float> data;

  Grid() = default;
  Grid(int w, int h, int c) : width(w), height(h), channels(c), data(static_cast<size_t>(w) * h * c) {}
  float* at(int x, int y) { return data.data() + (static_cast<size_t>(y) * width + x) * channels; }
  const float* at(int x, int y) const { return data.data() + (static_cast<size_t>(y) * width + x) * channels; }
};

// One frame's inputs, as in FrameInputs, and what a frame leaves for the next.
struct Inputs {
  Image color, depth, motion;
  float jitter_x = 0.0f, jitter_y = 0.0f, exposure = 1.0f;
  bool reset = false;
  Size output;
  DepthConvention depth_convention;
};
struct State {
  bool valid = false;
  Image history;  // working domain RGB, gathered weight
  Grid latents, depth;
  float exposure = 1.0f;
};

struct Ingested {
  Grid features;  // 80
  Grid warped;    // 16: four pixels x (RGB, weight)
  Grid depth;     // 1
};

Ingested ingest(const Inputs& inputs, const State& state);

// The layer's output from its source's tokens (and, for an expansion, the skip's); the head for the last layer.
Grid layer(const Model& model, const ModelLayer& layer, const Grid& source, const Grid* skip, Size own);

struct Output {
  Image color;  // linear RGB
  State state;
};
Output reconstruct(const Inputs& inputs, const Ingested& ingested, const Grid& head);

// All layers in order; the last is the head.
std::vector<Grid> network(const Model& model, const Grid& features);

// A whole frame.
Output frame(const Model& model, const Inputs& inputs, const State& state);

}  // namespace ww::net::reference
