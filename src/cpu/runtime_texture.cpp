// Textures and surfaces of 2D images: tex, tld4, suld, sust, txq, suq.
//
// The arithmetic is that of src/sim/image.cpp: coordinates with 8 fraction bits in linear filters, blends in f64,
// rounded once. (CUDA C++ Programming Guide, "Texture Fetching".) Images have one level.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/float_formats.h"
#include "cpu/images.h"
#include "cpu/runtime.h"
#include "cpu/scheduler.h"

namespace ww::cpu {

namespace {

using Texel = std::array<uint32_t, 4>;

template <typename F>
void each_lane(uint32_t mask, F&& body) {
  for (; mask != 0; mask &= mask - 1) body(unsigned(std::countr_zero(mask)));
}

uint32_t read_channel(const ImageData& image, const std::byte* texel, unsigned channel) {
  const ChannelFormat format = image.description.format;
  const std::byte* from = texel + channel * channel_bytes(format);
  uint32_t raw = 0;
  std::memcpy(&raw, from, channel_bytes(format));
  switch (format) {
    case ChannelFormat::kF16:
      return std::bit_cast<uint32_t>(f16_to_f32(uint16_t(raw)));
    case ChannelFormat::kUnorm8:
      return std::bit_cast<uint32_t>(float(raw) / 255.0f);
    case ChannelFormat::kS8:
      return uint32_t(int32_t(int8_t(raw)));
    case ChannelFormat::kS16:
      return uint32_t(int32_t(int16_t(raw)));
    default:
      return raw;
  }
}

// One image with its sampler, ready for fetches.
class Sampler {
 public:
  explicit Sampler(const ImageBinding& binding) : image_(*binding.image), sampler_(binding.sampler) {
    for (unsigned axis = 0; axis < 2; ++axis) {
      mode_[axis] = sampler_.address[axis];
      // Wrap and mirror exist for normalised coordinates only (CUDA C++ Programming Guide, "Texture Memory").
      if (!sampler_.normalized && (mode_[axis] == AddressMode::kWrap || mode_[axis] == AddressMode::kMirror))
        mode_[axis] = AddressMode::kClamp;
    }
    is_float_ = is_float_format(image_.description.format);
  }

  Texel fetch(int64_t x, int64_t y) const {
    const int64_t i = address(x, image_.description.width, mode_[0]),
                  j = address(y, image_.description.height, mode_[1]);
    Texel result{0, 0, 0, 0};  // channels that the image lacks read 0, alpha too (recorded on an H200)
    if (i < 0 || j < 0) return result;
    const std::byte* texel = image_.texels.data() + uint64_t(j) * image_.row_bytes + uint64_t(i) * image_.texel_bytes;
    if (image_.description.format == ChannelFormat::kF32) {
      std::memcpy(result.data(), texel, image_.texel_bytes);
      return result;
    }
    for (unsigned c = 0; c < image_.description.channels; ++c) result[c] = read_channel(image_, texel, c);
    return result;
  }

  Texel sample(float x, float y) const {
    const float u = in_texels(x, image_.description.width), v = in_texels(y, image_.description.height);
    if (sampler_.filter == Filter::kPoint || !is_float_) return fetch(to_index(u), to_index(v));
    const Tap tx = linear_tap(u), ty = linear_tap(v);
    const Texel t00 = fetch(tx.index, ty.index), t10 = fetch(tx.index + 1, ty.index);
    const Texel t01 = fetch(tx.index, ty.index + 1), t11 = fetch(tx.index + 1, ty.index + 1);
    const double a = tx.weight / 256.0, b = ty.weight / 256.0;
    Texel result;
    for (unsigned c = 0; c < 4; ++c) {
      const auto value = [c](const Texel& t) { return double(std::bit_cast<float>(t[c])); };
      // A weight of zero keeps an infinite or NaN neighbour out.
      const auto blend = [](double p, double q, double w) { return w == 0 ? p : (1 - w) * p + w * q; };
      const double mixed = blend(blend(value(t00), value(t10), a), blend(value(t01), value(t11), a), b);
      result[c] = std::bit_cast<uint32_t>(float(mixed));
    }
    return result;
  }

  // One channel of the four texels that a linear filter would use, counter-clockwise from the lower left.
  Texel gather(float x, float y, unsigned channel) const {
    const Tap tx = linear_tap(in_texels(x, image_.description.width)),
              ty = linear_tap(in_texels(y, image_.description.height));
    return {fetch(tx.index, ty.index + 1)[channel], fetch(tx.index + 1, ty.index + 1)[channel],
            fetch(tx.index + 1, ty.index)[channel], fetch(tx.index, ty.index)[channel]};
  }

 private:
  struct Tap {
    int64_t index;
    uint32_t weight;  // of the next texel, in 256ths
  };

  static int64_t address(int64_t i, int64_t size, AddressMode mode) {
    switch (mode) {
      case AddressMode::kClamp:
        return std::clamp<int64_t>(i, 0, size - 1);
      case AddressMode::kWrap:
        return ((i % size) + size) % size;
      case AddressMode::kMirror: {
        const int64_t period = ((i % (2 * size)) + 2 * size) % (2 * size);
        return period < size ? period : 2 * size - 1 - period;
      }
      case AddressMode::kBorder:
        return i < 0 || i >= size ? -1 : i;
    }
    return -1;
  }
  float in_texels(float u, uint32_t size) const { return sampler_.normalized ? u * float(size) : u; }
  static int64_t to_index(float u) {
    if (std::isnan(u)) return 0;
    return int64_t(std::clamp(std::floor(u), -1.0e9f, 1.0e9f));
  }
  static Tap linear_tap(float u) {
    if (std::isnan(u)) return {0, 0};
    const double fixed = std::floor((double(std::clamp(u, -1.0e9f, 1.0e9f)) - 0.5) * 256.0 + 0.5);
    const auto whole = int64_t(fixed);
    return {whole >> 8, uint32_t(whole & 255)};
  }

  const ImageData& image_;
  const SamplerDescription& sampler_;
  AddressMode mode_[2];
  bool is_float_;
};

constexpr size_t kHandleArray = warp_array_bytes(8);
constexpr size_t kWordArray = warp_array_bytes(4);

const ImageBinding& binding(WarpContext* context, uint64_t handle, bool is_surface) {
  const ImageBinding* found = find_binding(handle);
  if (found == nullptr || found->is_surface != is_surface)
    context->block->fault({WarpFault::Kind::kHandle, context->line, context->warp, is_surface, 0});
  return *found;
}

// Calls body(lane, sampler); lanes mostly share a handle.
template <typename F>
void each_sampler(WarpContext* context, uint32_t mask, const void* in, F&& body) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  while (mask != 0) {
    const uint64_t current = handle[std::countr_zero(mask)];
    const Sampler sampler(binding(context, current, false));
    uint32_t others = 0;
    each_lane(mask, [&](unsigned lane) {
      if (handle[lane] != current)
        others |= 1u << lane;
      else
        body(lane, sampler);
    });
    mask = others;
  }
}

void put(void* out, unsigned lane, const Texel& texel) {
  for (unsigned c = 0; c < 4; ++c) out_array<uint32_t>(out, c * kWordArray)[lane] = texel[c];
}

void fetch_at_floats(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const float* x = in_array<float>(in, kHandleArray);
  const float* y = in_array<float>(in, kHandleArray + kWordArray);
  each_sampler(context, mask, in,
               [&](unsigned lane, const Sampler& sampler) { put(out, lane, sampler.sample(x[lane], y[lane])); });
}

void fetch_at_integers(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const int32_t* x = in_array<int32_t>(in, kHandleArray);
  const int32_t* y = in_array<int32_t>(in, kHandleArray + kWordArray);
  each_sampler(context, mask, in,
               [&](unsigned lane, const Sampler& sampler) { put(out, lane, sampler.fetch(x[lane], y[lane])); });
}

template <unsigned channel>
void gather_channel(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const float* x = in_array<float>(in, kHandleArray);
  const float* y = in_array<float>(in, kHandleArray + kWordArray);
  each_sampler(context, mask, in, [&](unsigned lane, const Sampler& sampler) {
    put(out, lane, sampler.gather(x[lane], y[lane], channel));
  });
}

template <bool is_surface, bool width>
void query(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  each_lane(mask, [&](unsigned lane) {
    const ImageDescription& description = binding(context, handle[lane], is_surface).image->description;
    out_array<uint32_t>(out, 0)[lane] = width ? description.width : description.height;
  });
}

enum class Outside { kTrap, kClamp, kZero };

// x in bytes, y in rows. Null: outside, and nothing is there.
template <Outside outside>
std::byte* surface_place(WarpContext* context, ImageData& image, int32_t x, int32_t y, uint32_t bytes) {
  const int64_t row = int64_t(image.row_bytes), height = image.description.height;
  if (x % int32_t(bytes) != 0)
    context->block->fault({WarpFault::Kind::kSurface, context->line, context->warp, bytes, uint32_t(x)});
  const bool inside = x >= 0 && y >= 0 && x + int64_t(bytes) <= row && y < height;
  if (!inside) {
    if (outside == Outside::kTrap)
      context->block->fault({WarpFault::Kind::kSurface, context->line, context->warp, 0, uint32_t(x)});
    if (outside != Outside::kClamp) return nullptr;
    x = int32_t(std::clamp<int64_t>(x, 0, (row - bytes) / bytes * bytes));
    y = int32_t(std::clamp<int64_t>(y, 0, height - 1));
  }
  return image.texels.data() + uint64_t(y) * image.row_bytes + uint64_t(x);
}

template <typename T, unsigned count, Outside outside>
void surface_load(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  const int32_t* x = in_array<int32_t>(in, kHandleArray);
  const int32_t* y = in_array<int32_t>(in, kHandleArray + kWordArray);
  each_lane(mask, [&](unsigned lane) {
    ImageData& image = *binding(context, handle[lane], true).image;
    const std::byte* from = surface_place<outside>(context, image, x[lane], y[lane], sizeof(T) * count);
    for (unsigned i = 0; i < count; ++i) {
      T value{};
      if (from != nullptr) std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      out_array<T>(out, i * warp_array_bytes(sizeof(T)))[lane] = value;
    }
  });
}

template <typename T, unsigned count, Outside outside>
void surface_store(WarpContext* context, uint32_t mask, const void* in, void*) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  const int32_t* x = in_array<int32_t>(in, kHandleArray);
  const int32_t* y = in_array<int32_t>(in, kHandleArray + kWordArray);
  each_lane(mask, [&](unsigned lane) {
    ImageData& image = *binding(context, handle[lane], true).image;
    std::byte* to = surface_place<outside>(context, image, x[lane], y[lane], sizeof(T) * count);
    if (to == nullptr) return;
    for (unsigned i = 0; i < count; ++i)
      std::memcpy(to + i * sizeof(T),
                  in_array<T>(in, kHandleArray + 2 * kWordArray + i * warp_array_bytes(sizeof(T))) + lane, sizeof(T));
  });
}

// The part of a surface function's name behind "cpu.suld.2d." or "cpu.sust.2d.".
template <typename T, unsigned count, Outside outside>
WarpFunction surface_function(bool loads) {
  return loads ? &surface_load<T, count, outside> : &surface_store<T, count, outside>;
}

template <typename T, unsigned count>
WarpFunction surface_function(bool loads, std::string_view outside) {
  if (outside == "trap") return surface_function<T, count, Outside::kTrap>(loads);
  if (outside == "clamp") return surface_function<T, count, Outside::kClamp>(loads);
  if (outside == "zero") return surface_function<T, count, Outside::kZero>(loads);
  return nullptr;
}

template <typename T>
WarpFunction surface_function(bool loads, std::string_view count_and_outside) {
  const std::string_view outside = count_and_outside.substr(std::min<size_t>(3, count_and_outside.size()));
  if (count_and_outside.starts_with("v1.")) return surface_function<T, 1>(loads, outside);
  if (count_and_outside.starts_with("v2.")) return surface_function<T, 2>(loads, outside);
  if (count_and_outside.starts_with("v4.")) return surface_function<T, 4>(loads, outside);
  return nullptr;
}

}  // namespace

WarpFunction find_texture_function(std::string_view name) {
  static constexpr WarpFunctionRow kRows[] = {
      {"cpu.txq.width", &query<false, true>},
      {"cpu.txq.height", &query<false, false>},
      {"cpu.suq.width", &query<true, true>},
      {"cpu.suq.height", &query<true, false>},
  };
  for (const WarpFunctionRow& row : kRows)
    if (row.name == name) return row.function;
  // Texels come as raw bits: their type is the image's.
  if (name.starts_with("cpu.tex.2d.") || name.starts_with("cpu.tex.level.2d."))
    return name.ends_with(".s32") && !name.starts_with("cpu.tex.level.") ? &fetch_at_integers : &fetch_at_floats;
  if (name.starts_with("cpu.tld4.2d.r.")) return &gather_channel<0>;
  if (name.starts_with("cpu.tld4.2d.g.")) return &gather_channel<1>;
  if (name.starts_with("cpu.tld4.2d.b.")) return &gather_channel<2>;
  if (name.starts_with("cpu.tld4.2d.a.")) return &gather_channel<3>;
  const bool loads = name.starts_with("cpu.suld.2d.");
  if (loads || name.starts_with("cpu.sust.2d.")) {
    const std::string_view rest = name.substr(12);
    if (rest.starts_with("b8.")) return surface_function<uint8_t>(loads, rest.substr(3));
    if (rest.starts_with("b16.")) return surface_function<uint16_t>(loads, rest.substr(4));
    if (rest.starts_with("b32.")) return surface_function<uint32_t>(loads, rest.substr(4));
    if (rest.starts_with("b64.")) return surface_function<uint64_t>(loads, rest.substr(4));
  }
  return nullptr;
}

}  // namespace ww::cpu
