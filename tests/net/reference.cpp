#include "reference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/float_formats.h"

namespace ww::net::reference {
namespace {

using Rgb = std::array<float, 3>;
using Vector = std::vector<float>;

float encode(float t) {
  return std::sqrt(t + 0.00390625f) - 0.0625f;
}

int mirror(int i, int n) {
  const int m = ((i % (2 * n)) + 2 * n) % (2 * n);
  return m < n ? m : 2 * n - 1 - m;
}

float view_depth(const DepthConvention& depth, float d) {
  float z = d;
  if (depth.kind == DepthKind::kInverted) z = 1.0f / (d / depth.near + (1.0f - d) / depth.far);
  if (depth.kind == DepthKind::kRegular) z = 1.0f / ((1.0f - d) / depth.near + d / depth.far);
  return std::clamp(z, 1e-4f, 1e6f);
}

// The 3x3 samples around a token.
struct Patch {
  int ix, iy;
  float ox, oy;
  std::array<Rgb, 9> t;
  Rgb low, high;
};

float step_x(const Inputs& in) {
  return static_cast<float>(in.color.width) / static_cast<float>(in.output.width);
}
float step_y(const Inputs& in) {
  return static_cast<float>(in.color.height) / static_cast<float>(in.output.height);
}

int clamped(int i, int n) {
  return std::clamp(i, 0, n - 1);
}

Patch patch_of(const Inputs& in, int tx, int ty) {
  Patch p;
  const float qx = static_cast<float>(2 * tx + 1) * step_x(in) - 0.5f - in.jitter_x;
  const float qy = static_cast<float>(2 * ty + 1) * step_y(in) - 0.5f - in.jitter_y;
  p.ix = static_cast<int>(std::floor(qx + 0.5f));
  p.iy = static_cast<int>(std::floor(qy + 0.5f));
  p.ox = qx - static_cast<float>(p.ix);
  p.oy = qy - static_cast<float>(p.iy);
  for (int k = 0; k < 9; ++k) {
    const float* c =
        in.color.pixel(clamped(p.ix + k % 3 - 1, in.color.width), clamped(p.iy + k / 3 - 1, in.color.height));
    Rgb e;
    for (size_t i = 0; i < 3; ++i) e[i] = std::clamp(c[i] * in.exposure, 0.0f, 65504.0f);
    const float peak = std::max({e[0], e[1], e[2]});
    for (size_t i = 0; i < 3; ++i) {
      const float t = p.t[static_cast<size_t>(k)][i] = e[i] / (1.0f + peak);
      p.low[i] = k == 0 ? t : std::min(p.low[i], t);
      p.high[i] = k == 0 ? t : std::max(p.high[i], t);
    }
  }
  return p;
}

// Place of pixel i of the token, relative to sample k, in render pixels: sample minus pixel.
std::array<float, 2> difference(const Inputs& in, const Patch& p, int i, int k) {
  return {static_cast<float>(k % 3 - 1) - (p.ox + (static_cast<float>(i % 2) - 0.5f) * step_x(in)),
          static_cast<float>(k / 3 - 1) - (p.oy + (static_cast<float>(i / 2) - 0.5f) * step_y(in))};
}

// The cubic kernel of Keys with A = -0.75 at distance d.
float cubic(float d) {
  constexpr float kA = -0.75f;
  d = std::fabs(d);
  if (d <= 1.0f) return ((kA + 2.0f) * d - (kA + 3.0f)) * d * d + 1.0f;
  if (d < 2.0f) return ((kA * d - 5.0f * kA) * d + 8.0f * kA) * d - 4.0f * kA;
  return 0.0f;
}

std::array<float, 4> bicubic(const Image& image, float x, float y) {
  const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
  std::array<float, 4> sum{};
  for (int j = -1; j <= 2; ++j)
    for (int i = -1; i <= 2; ++i) {
      const float w = cubic(x - static_cast<float>(x0 + i)) * cubic(y - static_cast<float>(y0 + j));
      const float* texel = image.pixel(clamped(x0 + i, image.width), clamped(y0 + j, image.height));
      for (size_t c = 0; c < 4; ++c) sum[c] += w * texel[c];
    }
  return sum;
}

Vector bilinear(const Grid& grid, float x, float y) {
  x = std::clamp(x, 0.0f, static_cast<float>(grid.width - 1));
  y = std::clamp(y, 0.0f, static_cast<float>(grid.height - 1));
  const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const float ax = x - static_cast<float>(x0), ay = y - static_cast<float>(y0);
  Vector sum(static_cast<size_t>(grid.channels), 0.0f);
  for (int corner = 0; corner < 4; ++corner) {
    const float* v = grid.at(std::min(x0 + corner % 2, grid.width - 1), std::min(y0 + corner / 2, grid.height - 1));
    const float w = (corner % 2 ? ax : 1.0f - ax) * (corner / 2 ? ay : 1.0f - ay);
    for (size_t c = 0; c < sum.size(); ++c) sum[c] += w * v[c];
  }
  return sum;
}

float sigmoid2(float x) {
  return 1.0f / (1.0f + std::exp2(-x));
}

float weight_at(const Tensor& tensor, size_t index) {
  const auto* bits = reinterpret_cast<const uint16_t*>(tensor.bytes.data());
  return f16_to_f32(bits[index]);
}

// out = tensor * in for one token; rows first .. first + count - 1 of a [outputs, inputs] tensor.
Vector apply(const std::vector<float>& tensor, const Vector& in, size_t first, size_t count) {
  Vector out(count, 0.0f);
  for (size_t o = 0; o < count; ++o) {
    const float* row = tensor.data() + (first + o) * in.size();
    float sum = 0.0f;
    for (size_t i = 0; i < in.size(); ++i) sum += row[i] * in[i];
    out[o] = sum;
  }
  return out;
}

std::vector<float> decode(const Tensor& tensor) {
  std::vector<float> out(tensor.elements());
  for (size_t i = 0; i < out.size(); ++i) out[i] = weight_at(tensor, i);
  return out;
}

Vector normalize(const Vector& x) {
  float sum = 0.0f;
  for (const float v : x) sum += v * v;
  const float scale = 1.0f / std::sqrt(sum / static_cast<float>(x.size()) + 1e-5f);
  Vector out = x;
  for (float& v : out) v *= scale;
  return out;
}

void add(Vector& x, const Vector& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

// Position-only mixing of a window: groups of 8 channels, one matrix each.
std::vector<Vector> mix_by_position(const std::vector<float>& matrices, const std::vector<Vector>& tokens) {
  const size_t channels = tokens[0].size();
  std::vector<Vector> out(64, Vector(channels, 0.0f));
  for (size_t q = 0; q < 64; ++q)
    for (size_t c = 0; c < channels; ++c)
      for (size_t k = 0; k < 64; ++k) out[q][c] += matrices[(c / 8 * 64 + q) * 64 + k] * tokens[k][c];
  return out;
}

std::vector<Vector> mix_by_attention(const std::vector<float>& qkv, const std::vector<float>& bias,
                                     const std::vector<Vector>& tokens) {
  const size_t channels = tokens[0].size();
  std::vector<Vector> q(64), k(64), v(64), out(64, Vector(channels, 0.0f));
  for (size_t i = 0; i < 64; ++i) {
    q[i] = apply(qkv, tokens[i], 0, channels);
    k[i] = apply(qkv, tokens[i], channels, channels);
    v[i] = apply(qkv, tokens[i], 2 * channels, channels);
  }
  for (size_t head = 0; head < channels / 32; ++head)
    for (size_t i = 0; i < 64; ++i) {
      std::array<float, 64> logit{};
      float largest = -INFINITY, total = 0.0f;
      for (size_t j = 0; j < 64; ++j) {
        logit[j] = bias[(head * 64 + i) * 64 + j];
        for (size_t c = 32 * head; c < 32 * head + 32; ++c) logit[j] += q[i][c] * k[j][c];
        largest = std::max(largest, logit[j]);
      }
      for (float& l : logit) total += l = std::exp2(l - largest);
      for (size_t j = 0; j < 64; ++j)
        for (size_t c = 32 * head; c < 32 * head + 32; ++c) out[i][c] += logit[j] / total * v[j][c];
    }
  return out;
}

Grid load_tokens(const Model& model, const ModelLayer& layer, const Grid& source, Size own) {
  if (layer.load == LoadKind::kSame) return source;
  const std::vector<float> load = decode(model.tensor(layer, "load"));
  Grid out(own.width, own.height, layer.channels);
  for (int y = 0; y < own.height; ++y)
    for (int x = 0; x < own.width; ++x) {
      Vector in;
      for (int part = 0; part < (layer.load == LoadKind::kMerge ? 4 : 1); ++part) {
        const bool merge = layer.load == LoadKind::kMerge;
        const int sx = merge ? std::min(2 * x + part % 2, source.width - 1) : x;
        const int sy = merge ? std::min(2 * y + part / 2, source.height - 1) : y;
        in.insert(in.end(), source.at(sx, sy), source.at(sx, sy) + source.channels);
      }
      const Vector token = apply(load, in, 0, static_cast<size_t>(layer.channels));
      std::copy(token.begin(), token.end(), out.at(x, y));
    }
  return out;
}

Grid expand(const Model& model, const ModelLayer& layer, const Grid& source, const Grid& skip, Size own) {
  const std::vector<float> load = decode(model.tensor(layer, "load"));
  Grid out(own.width, own.height, layer.channels);
  const auto channels = static_cast<size_t>(layer.channels);
  for (int y = 0; y < own.height; ++y)
    for (int x = 0; x < own.width; ++x) {
      const float* coarse = source.at(x / 2, y / 2);
      const auto part = static_cast<size_t>(y % 2 * 2 + x % 2);
      Vector token = apply(load, Vector(coarse, coarse + source.channels), part * channels, channels);
      for (size_t c = 0; c < channels; ++c) out.at(x, y)[c] = token[c] + skip.at(x, y)[c];
    }
  return out;
}

}  // namespace

Ingested ingest(const Inputs& in, const State& state) {
  const Size tokens{(in.output.width + 1) / 2, (in.output.height + 1) / 2};
  Ingested out{Grid(tokens.width, tokens.height, 80), Grid(tokens.width, tokens.height, 16),
               Grid(tokens.width, tokens.height, 1)};
  for (int ty = 0; ty < tokens.height; ++ty)
    for (int tx = 0; tx < tokens.width; ++tx) {
      const Patch p = patch_of(in, tx, ty);
      Vector f;
      for (const Rgb& t : p.t)
        for (const float v : t) f.push_back(encode(v));

      float near = INFINITY, centre = 0.0f, mx = 0.0f, my = 0.0f;
      for (int k = 0; k < 9; ++k) {
        const int x = clamped(p.ix + k % 3 - 1, in.depth.width), y = clamped(p.iy + k / 3 - 1, in.depth.height);
        const float z = view_depth(in.depth_convention, in.depth.at(x, y, 0));
        if (k == 4) centre = z;
        if (z >= near) continue;
        near = z;
        mx = in.motion.at(x, y, 0) / step_x(in);
        my = in.motion.at(x, y, 1) / step_y(in);
      }

      std::array<Rgb, 4> current{}, history{};
      std::array<float, 4> n{};
      for (int i = 0; i < 4; ++i) {
        float total = 0.0f;
        for (int k = 0; k < 9; ++k) {
          const auto [dx, dy] = difference(in, p, i, k);
          const float w = std::exp2(-3.6f * (dx * dx + dy * dy));
          total += w;
          for (size_t c = 0; c < 3; ++c) current[static_cast<size_t>(i)][c] += w * p.t[static_cast<size_t>(k)][c];
        }
        for (float& c : current[static_cast<size_t>(i)]) c /= total;
      }
      history = current;

      Vector latents(8, 0.0f);
      float closer = 0.0f, fx = 0.0f, fy = 0.0f;
      if (state.valid && !in.reset) {
        const float x = static_cast<float>(2 * tx) + mx, y = static_cast<float>(2 * ty) + my;
        fx = x - std::floor(x);
        fy = y - std::floor(y);
        for (int i = 0; i < 4; ++i) {
          const float hx = x + static_cast<float>(i % 2), hy = y + static_cast<float>(i / 2);
          if (hx < -0.5f || hy < -0.5f || hx > static_cast<float>(in.output.width) - 0.5f ||
              hy > static_cast<float>(in.output.height) - 0.5f)
            continue;
          const std::array<float, 4> old = bicubic(state.history, hx, hy);
          const auto at = static_cast<size_t>(i);
          n[at] = std::clamp(old[3], 0.0f, 32.0f);
          if (n[at] <= 0.0f) continue;
          Rgb t;
          for (size_t c = 0; c < 3; ++c) t[c] = std::clamp(old[c], 0.0f, 0.9995f);
          const float peak = std::max({t[0], t[1], t[2]}), ratio = in.exposure / state.exposure;
          for (size_t c = 0; c < 3; ++c) history[at][c] = t[c] * ratio / (1.0f - peak + peak * ratio);
        }
        const float lx = static_cast<float>(tx) + mx / 2.0f, ly = static_cast<float>(ty) + my / 2.0f;
        if (lx >= -0.5f && ly >= -0.5f && lx <= static_cast<float>(tokens.width) - 0.5f &&
            ly <= static_cast<float>(tokens.height) - 0.5f) {
          latents = bilinear(state.latents, lx, ly);
          const float before = *state.depth.at(clamped(static_cast<int>(std::floor(lx + 0.5f)), tokens.width),
                                               clamped(static_cast<int>(std::floor(ly + 0.5f)), tokens.height));
          closer = (before - near) / (before + near);
        }
      }

      for (const Rgb& t : current)
        for (const float v : t) f.push_back(encode(v));
      for (const Rgb& t : history)
        for (const float v : t) f.push_back(encode(v));
      for (const float v : n) f.push_back(v / (v + 1.0f));
      for (const Rgb& t : history) {
        float outside = 0.0f;
        for (size_t c = 0; c < 3; ++c)
          outside = std::max(outside, std::fabs(encode(t[c]) - encode(std::clamp(t[c], p.low[c], p.high[c]))));
        f.push_back(outside);
      }
      const Vector tail = {p.ox,
                           p.oy,
                           p.ox * p.ox,
                           p.oy * p.oy,
                           p.ox * p.oy,
                           closer,
                           (centre - near) / (centre + near),
                           mx / (4.0f + std::fabs(mx)),
                           my / (4.0f + std::fabs(my)),
                           fx * (1.0f - fx),
                           fy * (1.0f - fy),
                           step_x(in) - 0.5f,
                           1.0f};
      f.insert(f.end(), tail.begin(), tail.end());
      f.insert(f.end(), latents.begin(), latents.end());
      std::copy(f.begin(), f.end(), out.features.at(tx, ty));
      for (size_t i = 0; i < 4; ++i) {
        std::copy(history[i].begin(), history[i].end(), out.warped.at(tx, ty) + 4 * i);
        out.warped.at(tx, ty)[4 * i + 3] = n[i];
      }
      *out.depth.at(tx, ty) = near;
    }
  return out;
}

Grid layer(const Model& model, const ModelLayer& layer, const Grid& source, const Grid* skip, Size own) {
  if (layer.kind == LayerKind::kExpand) return expand(model, layer, source, *skip, own);
  const Grid in = load_tokens(model, layer, source, own);
  const auto channels = static_cast<size_t>(layer.channels);
  const bool by_position = layer.mixing == Mixing::kPosition;
  const std::vector<float> mix = decode(model.tensor(layer, by_position ? "mix" : "qkv"));
  const std::vector<float> bias = by_position ? std::vector<float>() : decode(model.tensor(layer, "bias"));
  const std::vector<float> proj = decode(model.tensor(layer, "proj")), up = decode(model.tensor(layer, "up"));
  const std::vector<float> up_bias = decode(model.tensor(layer, "up_bias")), down = decode(model.tensor(layer, "down"));
  Grid out(own.width, own.height, layer.head ? 72 : layer.channels);
  for (int wy = -layer.shift; wy < own.height; wy += 8)
    for (int wx = -layer.shift; wx < own.width; wx += 8) {
      std::vector<Vector> x(64), normal(64);
      for (int i = 0; i < 64; ++i) {
        const float* token = in.at(mirror(wx + i % 8, own.width), mirror(wy + i / 8, own.height));
        x[static_cast<size_t>(i)].assign(token, token + channels);
        normal[static_cast<size_t>(i)] = normalize(x[static_cast<size_t>(i)]);
      }
      const std::vector<Vector> mixed =
          by_position ? mix_by_position(mix, normal) : mix_by_attention(mix, bias, normal);
      for (int i = 0; i < 64; ++i) {
        const int px = wx + i % 8, py = wy + i / 8;
        if (px < 0 || py < 0 || px >= own.width || py >= own.height) continue;
        Vector& token = x[static_cast<size_t>(i)];
        add(token, apply(proj, mixed[static_cast<size_t>(i)], 0, channels));
        Vector hidden = apply(up, normalize(token), 0, 4 * channels);
        for (size_t c = 0; c < hidden.size(); ++c) {
          const float r = std::clamp(hidden[c] + up_bias[c], 0.0f, 255.0f);
          hidden[c] = r * r;
        }
        add(token, apply(down, hidden, 0, channels));
        if (layer.head) {
          token = apply(decode(model.tensor(layer, "head")), normalize(token), 0, 72);
          add(token, decode(model.tensor(layer, "head_bias")));
        }
        std::copy(token.begin(), token.end(), out.at(px, py));
      }
    }
  return out;
}

Output reconstruct(const Inputs& in, const Ingested& ingested, const Grid& head) {
  const Size tokens{head.width, head.height};
  Output out;
  out.color = Image(in.output.width, in.output.height, 3);
  out.state.valid = true;
  out.state.exposure = in.exposure;
  out.state.history = Image(in.output.width, in.output.height, 4);
  out.state.latents = Grid(tokens.width, tokens.height, 8);
  out.state.depth = ingested.depth;
  for (int ty = 0; ty < tokens.height; ++ty)
    for (int tx = 0; tx < tokens.width; ++tx) {
      const Patch p = patch_of(in, tx, ty);
      const float* all = head.at(tx, ty);
      for (int c = 0; c < 8; ++c) out.state.latents.at(tx, ty)[c] = all[60 + c] / (1.0f + std::fabs(all[60 + c]));
      for (int i = 0; i < 4; ++i) {
        const int x = 2 * tx + i % 2, y = 2 * ty + i / 2;
        if (x >= in.output.width || y >= in.output.height) continue;
        const float* h = all + 15 * i;
        const float* warped = ingested.warped.at(tx, ty) + 4 * i;
        const float n = warped[3], u = n / (n + 0.5f);
        const float spread = std::exp2(std::clamp(h[9], -3.0f, 3.0f));
        float total = 0.0f;
        Rgb sum{};
        for (int k = 0; k < 9; ++k) {
          const auto [dx, dy] = difference(in, p, i, k);
          const float smooth = 3.6f * (dx * dx + dy * dy);
          const float px = dx / step_x(in), py = dy / step_y(in), sharp = 2.9f * (px * px + py * py);
          const float w = std::exp2(std::clamp(h[k] - spread * (smooth * (1.0f - u) + sharp * u), -20.0f, 10.0f));
          total += w;
          for (size_t c = 0; c < 3; ++c) sum[c] += w * p.t[static_cast<size_t>(k)][c];
        }
        const float kept = n * sigmoid2(h[10] + 4.0f), boxed = sigmoid2(h[11] - 1.0f);
        Rgb t;
        for (size_t c = 0; c < 3; ++c) {
          const float history = warped[c] + boxed * (std::clamp(warped[c], p.low[c], p.high[c]) - warped[c]);
          const float r = h[12 + c] / (1.0f + std::fabs(h[12 + c]));
          t[c] =
              std::clamp((sum[c] + kept * history) / (total + kept) + 0.5f * (p.high[c] - p.low[c]) * r, 0.0f, 0.9995f);
          out.state.history.at(x, y, static_cast<int>(c)) = t[c];
        }
        out.state.history.at(x, y, 3) = std::min(total + kept, 32.0f);
        const float peak = std::max({t[0], t[1], t[2]});
        for (int c = 0; c < 3; ++c) out.color.at(x, y, c) = t[static_cast<size_t>(c)] / ((1.0f - peak) * in.exposure);
      }
    }
  return out;
}

std::vector<Grid> network(const Model& model, const Grid& features) {
  std::vector<Grid> grids;
  for (const ModelLayer& l : model.layers) {
    Size own{features.width, features.height};
    for (int i = 0; i < l.level; ++i) own = {(own.width + 1) / 2, (own.height + 1) / 2};
    const auto at = [](int i) { return static_cast<size_t>(i); };
    grids.push_back(
        layer(model, l, l.input < 0 ? features : grids[at(l.input)], l.skip < 0 ? nullptr : &grids[at(l.skip)], own));
  }
  return grids;
}

Output frame(const Model& model, const Inputs& inputs, const State& state) {
  const Ingested ingested = ingest(inputs, state);
  return reconstruct(inputs, ingested, network(model, ingested.features).back());
}

}  // namespace ww::net::reference
