// Temporal anti-aliasing and upsampling: gathers the jittered samples of many frames at output resolution.
//
// Per output pixel: the motion of the nearest surface in 3x3, history through Catmull-Rom, kept inside the colour
// distribution of the current neighbourhood, forgotten where a nearer surface has moved away, and blended with the
// current samples by how many samples each side stands for. That number travels in the history's fourth channel.
#include "sampling.h"
#include "taau_tuning.h"

using namespace ww;

namespace {

// Metres along the view axis.
WW_DEVICE float view_depth(const ClassicalFrame& frame, float depth) {
  if (frame.depth_kind == 2) return depth;
  const float d = frame.depth_kind == 0 ? depth : 1.0f - depth;  // 1 at near, 0 at far
  return frame.near * frame.far / (frame.near + d * (frame.far - frame.near));
}

// What the 3x3 samples around a pixel say.
struct Neighbourhood {
  Rgb mean, deviation;  // YCoCg, compressed
  Rgb sharp;            // average by the sharp kernel, compressed RGB
  Rgb smooth;           // bilinear-like average, compressed RGB
  float samples;        // weight of `sharp`
  float depth;          // least view depth
  s32 near_x, near_y;   // where it was seen
};

WW_DEVICE Neighbourhood look_around(const ClassicalFrame& frame, float2 p) {
  const float cx = floor(p.x), cy = floor(p.y);
  Neighbourhood n;
  Rgb sum{0.0f, 0.0f, 0.0f}, squares{0.0f, 0.0f, 0.0f};
  n.sharp = n.smooth = Rgb{0.0f, 0.0f, 0.0f};
  n.samples = 0.0f;
  n.depth = kInfinity;
  n.near_x = s32(cx);
  n.near_y = s32(cy);
  float smooth_weights = 0.0f, weights = 0.0f;
  for (s32 j = -1; j <= 1; ++j) {
    for (s32 i = -1; i <= 1; ++i) {
      const s32 x = s32(cx) + i, y = s32(cy) + j;
      const Rgb c = compress(rgb_of(render_texel(frame, frame.color, x, y)), frame.exposure);
      const Rgb yc = ycocg_of_rgb(c);
      const float dx = cx + float(i) + 0.5f - p.x, dy = cy + float(j) + 0.5f - p.y;

      const float box = exp(-1.0f * (dx * dx + dy * dy));
      sum = add_scaled(sum, yc, box);
      squares = add_scaled(squares, yc * yc, box);
      weights += box;

      const float ox = dx * frame.scale_x, oy = dy * frame.scale_y;
      const float w = exp(-tuning::kSharpness * (ox * ox + oy * oy));
      n.sharp = add_scaled(n.sharp, c, w);
      n.samples += w;

      const float tent = max(1.0f - abs(dx), 0.0f) * max(1.0f - abs(dy), 0.0f);
      n.smooth = add_scaled(n.smooth, c, tent);
      smooth_weights += tent;

      const float depth = view_depth(frame, render_texel(frame, frame.depth, x, y).x);
      if (depth < n.depth) {
        n.depth = depth;
        n.near_x = x;
        n.near_y = y;
      }
    }
  }
  n.mean = sum * (1.0f / weights);
  const Rgb variance = max(squares * (1.0f / weights) - n.mean * n.mean, Rgb{0.0f, 0.0f, 0.0f});
  n.deviation = {sqrt(variance.r), sqrt(variance.g), sqrt(variance.b)};
  n.smooth = n.smooth * (1.0f / smooth_weights);
  n.sharp = n.samples > 1.0e-6f ? n.sharp * (1.0f / n.samples) : n.smooth;
  return n;
}

struct History {
  Rgb color;      // compressed RGB
  float samples;  // how many it stands for
};

// Weights of the Catmull-Rom spline for the four texels around a fraction.
WW_DEVICE void catmull_rom(float f, float (&w)[4]) {
  w[0] = f * (-0.5f + f * (1.0f - 0.5f * f));
  w[1] = 1.0f + f * f * (-2.5f + 1.5f * f);
  w[2] = f * (0.5f + f * (2.0f - 1.5f * f));
  w[3] = f * f * (-0.5f + 0.5f * f);
}

// History at a position in output pixels.
WW_DEVICE History fetch_history(const ClassicalFrame& frame, float2 p) {
  const float left = floor(p.x - 0.5f), top = floor(p.y - 0.5f);
  float wx[4], wy[4];
  catmull_rom(p.x - 0.5f - left, wx);
  catmull_rom(p.y - 0.5f - top, wy);
  Rgb sum{0.0f, 0.0f, 0.0f}, least{2.0f, 2.0f, 2.0f}, most{-1.0f, -1.0f, -1.0f};
  float samples = kInfinity;
#pragma unroll
  for (s32 j = 0; j < 4; ++j) {
#pragma unroll
    for (s32 i = 0; i < 4; ++i) {
      const float4 texel =
          edge_texel(frame.history, s32(left) + i - 1, s32(top) + j - 1, frame.output_width, frame.output_height);
      const Rgb c = compress(rgb_of(texel), frame.exposure);
      sum = add_scaled(sum, c, wx[i] * wy[j]);
      if ((i == 1 || i == 2) && (j == 1 || j == 2)) {
        least = min(least, c);
        most = max(most, c);
        samples = min(samples, texel.w);
      }
    }
  }
  return {min(max(sum, least), most), samples};
}

// True where the previous frame showed a surface clearly nearer than this one: what is seen now was hidden then.
WW_DEVICE bool was_hidden(const ClassicalFrame& frame, float2 p, float depth) {
  const s32 x = s32(floor(p.x - 0.5f)), y = s32(floor(p.y - 0.5f));
  float farthest = 0.0f;
  for (s32 j = 0; j < 2; ++j)
    for (s32 i = 0; i < 2; ++i)
      farthest = max(farthest, view_depth(frame, render_texel(frame, frame.previous_depth, x + i, y + j).x));
  return farthest < depth * (1.0f - tuning::kDepthTolerance);
}

}  // namespace

WW_KERNEL __launch_bounds__(WW_CLASSICAL_BLOCK_X* WW_CLASSICAL_BLOCK_Y) void taau(const ClassicalFrame frame) {
  const OutputPixel pixel = output_pixel(frame);
  if (!pixel.inside) return;
  const float2 p = sample_position(frame, pixel.x, pixel.y);
  const Neighbourhood now = look_around(frame, p);

  Rgb color = now.smooth;
  float samples = now.samples + tuning::kFallbackWeight;
  if (!frame.reset) {
    const float4 motion = render_texel(frame, frame.motion, now.near_x, now.near_y);
    const float2 before{float(pixel.x) + 0.5f + motion.x * frame.scale_x,
                        float(pixel.y) + 0.5f + motion.y * frame.scale_y};
    const bool inside = before.x >= 0.0f && before.y >= 0.0f && before.x <= float(frame.output_width) &&
                        before.y <= float(frame.output_height);
    const float2 before_render{before.x / frame.scale_x, before.y / frame.scale_y};
    if (inside && !was_hidden(frame, before_render, now.depth)) {
      History history = fetch_history(frame, before);
      // Into the box of what the neighbourhood holds, straight towards its mean.
      const Rgb offset = ycocg_of_rgb(history.color) - now.mean;
      const Rgb half =
          now.deviation * tuning::kBoxSigmas + Rgb{tuning::kBoxSlack, tuning::kBoxSlack, tuning::kBoxSlack};
      const float excess = max(max(abs(offset.r) / half.r, abs(offset.g) / half.g), abs(offset.b) / half.b);
      if (excess > 1.0f) {
        history.color = rgb_of_ycocg(now.mean + offset * (1.0f / excess));
        history.samples = history.samples / (1.0f + tuning::kDistrust * (excess - 1.0f));
      }
      const float total = history.samples + now.samples;
      color = mix(history.color, now.sharp, now.samples / total);
      samples = min(total, tuning::kMostSamples);
    }
  }
  write(frame, pixel.x, pixel.y, expand(color, frame.exposure), samples);
}
