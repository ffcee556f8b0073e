// Textures and surfaces of 2D images for a whole warp: tex, tld4, suld, sust, txq, suq. What a lane reads is
// devicelib's (devicelib/texture.h).
#include <algorithm>
#include <bit>

#include "cpu/images.h"
#include "cpu/runtime.h"
#include "cpu/scheduler.h"
#include "devicelib/texture.h"

namespace ww::cpu {

namespace {

using devicelib::SurfaceAccess;
using devicelib::SurfaceOutside;
using devicelib::Texel;
using devicelib::TextureView;

template <typename F>
void each_lane(uint32_t mask, F&& body) {
  for (; mask != 0; mask &= mask - 1) body(unsigned(std::countr_zero(mask)));
}

constexpr size_t kHandleArray = warp_array_bytes(8);
constexpr size_t kWordArray = warp_array_bytes(4);

const ImageBinding& binding(WarpContext* context, uint64_t handle, bool is_surface) {
  const ImageBinding* found = find_binding(handle);
  if (found == nullptr || found->is_surface != is_surface)
    context->block->fault({WarpFault::Kind::kHandle, context->line, context->warp, is_surface, 0});
  return *found;
}

// Calls body(lane, view); lanes mostly share a handle.
template <typename F>
void each_view(WarpContext* context, uint32_t mask, const void* in, F&& body) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  while (mask != 0) {
    const uint64_t current = handle[std::countr_zero(mask)];
    const ImageBinding& bound = binding(context, current, false);
    const TextureView view =
        devicelib::texture_view(bound.image->texels.data(), bound.image->description, bound.sampler);
    uint32_t others = 0;
    each_lane(mask, [&](unsigned lane) {
      if (handle[lane] != current)
        others |= 1u << lane;
      else
        body(lane, view);
    });
    mask = others;
  }
}

void put(void* out, unsigned lane, const Texel& texel) {
  for (unsigned c = 0; c < 4; ++c) out_array<uint32_t>(out, c * kWordArray)[lane] = texel.channel[c];
}

void fetch_at_floats(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const float* x = in_array<float>(in, kHandleArray);
  const float* y = in_array<float>(in, kHandleArray + kWordArray);
  each_view(context, mask, in, [&](unsigned lane, const TextureView& view) {
    put(out, lane, devicelib::texture_sample(view, x[lane], y[lane]));
  });
}

void fetch_at_integers(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const int32_t* x = in_array<int32_t>(in, kHandleArray);
  const int32_t* y = in_array<int32_t>(in, kHandleArray + kWordArray);
  each_view(context, mask, in, [&](unsigned lane, const TextureView& view) {
    put(out, lane, devicelib::texture_texel(view, x[lane], y[lane]));
  });
}

template <unsigned channel>
void gather_channel(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const float* x = in_array<float>(in, kHandleArray);
  const float* y = in_array<float>(in, kHandleArray + kWordArray);
  each_view(context, mask, in, [&](unsigned lane, const TextureView& view) {
    put(out, lane, devicelib::texture_gather(view, x[lane], y[lane], channel));
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

// x in bytes, y in rows. Null: outside, and nothing is there.
std::byte* surface_place(WarpContext* context, ImageData& image, int32_t x, int32_t y, uint32_t bytes,
                         SurfaceOutside outside) {
  const devicelib::SurfacePlace place = devicelib::surface_place(image.description, x, y, 0, bytes, outside);
  if (place.access == SurfaceAccess::kInside) return image.texels.data() + place.offset;
  if (place.access != SurfaceAccess::kNothing)
    context->block->fault({WarpFault::Kind::kSurface, context->line, context->warp,
                           place.access == SurfaceAccess::kMisaligned ? bytes : 0, uint32_t(x)});
  return nullptr;
}

template <typename T, unsigned count, SurfaceOutside outside>
void surface_load(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  const int32_t* x = in_array<int32_t>(in, kHandleArray);
  const int32_t* y = in_array<int32_t>(in, kHandleArray + kWordArray);
  each_lane(mask, [&](unsigned lane) {
    ImageData& image = *binding(context, handle[lane], true).image;
    const std::byte* from = surface_place(context, image, x[lane], y[lane], sizeof(T) * count, outside);
    for (unsigned i = 0; i < count; ++i) {
      T value{};
      if (from != nullptr) std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      out_array<T>(out, i * warp_array_bytes(sizeof(T)))[lane] = value;
    }
  });
}

template <typename T, unsigned count, SurfaceOutside outside>
void surface_store(WarpContext* context, uint32_t mask, const void* in, void*) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  const int32_t* x = in_array<int32_t>(in, kHandleArray);
  const int32_t* y = in_array<int32_t>(in, kHandleArray + kWordArray);
  each_lane(mask, [&](unsigned lane) {
    ImageData& image = *binding(context, handle[lane], true).image;
    std::byte* to = surface_place(context, image, x[lane], y[lane], sizeof(T) * count, outside);
    if (to == nullptr) return;
    for (unsigned i = 0; i < count; ++i)
      std::memcpy(to + i * sizeof(T),
                  in_array<T>(in, kHandleArray + 2 * kWordArray + i * warp_array_bytes(sizeof(T))) + lane, sizeof(T));
  });
}

// The part of a surface function's name behind "cpu.suld.2d." or "cpu.sust.2d.".
template <typename T, unsigned count, SurfaceOutside outside>
WarpFunction surface_function(bool loads) {
  return loads ? &surface_load<T, count, outside> : &surface_store<T, count, outside>;
}

template <typename T, unsigned count>
WarpFunction surface_function(bool loads, std::string_view outside) {
  if (outside == "trap") return surface_function<T, count, SurfaceOutside::kTrap>(loads);
  if (outside == "clamp") return surface_function<T, count, SurfaceOutside::kClamp>(loads);
  if (outside == "zero") return surface_function<T, count, SurfaceOutside::kZero>(loads);
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
