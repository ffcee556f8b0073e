// The parameters of the network's kernels, read by the kernels and filled by the host (src/net/network.cpp): plain
// types of the same size on both sides, no padding. docs/network.md is the reference.
#pragma once

// ingest and reconstruct: everything about one frame.
struct NetworkFrame {
  // Textures by handle: texel coordinates, point, clamp to edge.
  unsigned long long color;    // render size, linear RGB
  unsigned long long depth;    // render size, as the game has it
  unsigned long long motion;   // render size, previous position minus this one in render pixels
  unsigned long long history;  // output size: working-domain RGB and gathered weight of the frame before
  // Surfaces.
  unsigned long long next_history;  // output size, four halves: what `history` is for the next frame
  unsigned long long target;        // output size, four floats: linear RGB and 1
  // Global memory, one entry a token of 2x2 output pixels, row-major.
  unsigned long long features;      // 80 halves: ingest to the first layer
  unsigned long long warped;        // 4 pixels x (RGB, weight) halves: history where this frame needs it
  unsigned long long head;          // 72 halves: last layer to reconstruct
  unsigned long long latents;       // 8 halves, of the frame before
  unsigned long long next_latents;  // 8 halves
  unsigned long long token_depth;   // float, metres, of the frame before
  unsigned long long next_token_depth;
  int render_width, render_height;
  int output_width, output_height;
  int token_width, token_height;
  float step_x, step_y;      // render pixels an output pixel
  float jitter_x, jitter_y;  // render pixels: sample (x, y) lies at (x + 0.5 + jitter_x, y + 0.5 + jitter_y)
  float exposure;
  float exposure_ratio;  // this frame's exposure / that of the frame before
  float inverse_near;    // 1 / metres
  float inverse_far;     // 0 for infinity
  int depth_kind;        // ww::DepthKind: 0 inverted, 1 regular, 2 linear metres
  int has_history;       // 0: history, latents and token_depth must not be used
};

// One window layer, or one expansion. Tokens are rows of `channels` halves; weights are in fragment order
// (src/net/fragments.h), biases are floats.
struct NetworkLayer {
  unsigned long long input;   // tokens of the source grid
  unsigned long long skip;    // expansion: tokens of the own grid that are added
  unsigned long long output;  // tokens of the own grid; the last layer: the head
  unsigned long long load;    // weights that make the layer's tokens from the source's
  unsigned long long mix;     // position: mixing matrices; attention: query, key and value weights
  unsigned long long bias;    // attention: logits added by position
  unsigned long long proj;
  unsigned long long up, up_bias, down;
  unsigned long long head, head_bias;
  int width, height;                // own grid
  int source_width, source_height;  // grid of the source
  int shift;                        // windows start at multiples of 8 minus this
  int reserved;
};

#define WW_NETWORK_FEATURES 80
#define WW_NETWORK_HEAD 72
#define WW_NETWORK_LATENTS 8
#define WW_NETWORK_WINDOW 8
// Threads: a window layer or an expansion has 128 (four warps, 64 tokens); ingest and reconstruct 16 x 8, one a token.
#define WW_NETWORK_LAYER_THREADS 128
#define WW_NETWORK_BLOCK_X 16
#define WW_NETWORK_BLOCK_Y 8
