// The one parameter of every classical upscaler, read by the kernels and filled by the host (src/net/classical.cpp):
// plain types of the same size on both sides, no padding.
#pragma once

struct ClassicalFrame {
  // Textures by handle. Texel coordinates, clamp to edge.
  unsigned long long color;           // render size, linear RGB, point
  unsigned long long color_linear;    // the same, linear filter
  unsigned long long depth;           // render size, as the game has it, point
  unsigned long long motion;          // render size, previous position minus this one in render pixels, point
  unsigned long long history;         // output size, what `target` was in the previous frame, point
  unsigned long long previous_depth;  // render size, point
  // Surface of four floats, output size: linear RGB, and how many samples a pixel has gathered.
  unsigned long long target;
  int render_width;
  int render_height;
  int output_width;
  int output_height;
  float scale_x;  // output pixels a render pixel
  float scale_y;
  float jitter_x;  // render pixels: sample (x, y) lies at (x + 0.5 + jitter_x, y + 0.5 + jitter_y)
  float jitter_y;
  float exposure;
  float near;  // metres
  float far;
  int depth_kind;  // ww::DepthKind: 0 inverted, 1 regular, 2 linear metres
  int reset;       // 1: history and previous_depth must not be used
  int reserved;
};

// Threads a block in x and y.
#define WW_CLASSICAL_BLOCK_X 16
#define WW_CLASSICAL_BLOCK_Y 8
