// Textures and surfaces for a whole warp: tex, tld4, suld, sust, sured, txq, suq. What a lane reads is devicelib's
// (devicelib/texture.h, devicelib/image_access.h).
#include <algorithm>
#include <bit>
#include <mutex>

#include "cpu/images.h"
#include "cpu/runtime.h"
#include "cpu/scheduler.h"
#include "devicelib/image_access.h"

namespace ww::cpu {

namespace {

using devicelib::FetchCode;
using devicelib::FetchResult;
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

// Calls body(lane, view); lanes mostly share a handle. The images have to hold what `code` gives.
template <typename F>
void each_view(WarpContext* context, uint32_t mask, const void* in, const FetchCode& code, F&& body) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  while (mask != 0) {
    const uint64_t current = handle[std::countr_zero(mask)];
    const ImageBinding& bound = binding(context, current, false);
    if (const ImageDescription& image = bound.image->description; !devicelib::fetch_fits(code, image))
      context->block->fault(
          {WarpFault::Kind::kTexelType, context->line, context->warp, 0, uint32_t(is_float_format(image.format))});
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

template <FetchResult result>
void fetch_at_floats(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const float* x = in_array<float>(in, kHandleArray);
  const float* y = in_array<float>(in, kHandleArray + kWordArray);
  each_view(context, mask, in, {.result = result}, [&](unsigned lane, const TextureView& view) {
    put(out, lane, devicelib::texture_sample(view, x[lane], y[lane]));
  });
}

template <FetchResult result>
void fetch_at_integers(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const int32_t* x = in_array<int32_t>(in, kHandleArray);
  const int32_t* y = in_array<int32_t>(in, kHandleArray + kWordArray);
  each_view(context, mask, in, {.result = result}, [&](unsigned lane, const TextureView& view) {
    put(out, lane, devicelib::texture_texel(view, x[lane], y[lane]));
  });
}

template <FetchResult result, unsigned channel>
void gather_channel(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const float* x = in_array<float>(in, kHandleArray);
  const float* y = in_array<float>(in, kHandleArray + kWordArray);
  each_view(context, mask, in, {.result = result}, [&](unsigned lane, const TextureView& view) {
    put(out, lane, devicelib::texture_gather(view, x[lane], y[lane], channel));
  });
}

// The code is the same in all lanes.
void fetch_any(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const FetchCode code = devicelib::unpack_fetch(in_array<uint32_t>(in, kHandleArray)[std::countr_zero(mask)]);
  each_view(context, mask, in, code, [&](unsigned lane, const TextureView& view) {
    uint32_t words[devicelib::kFetchWords];
    for (uint32_t k = 0; k < devicelib::kFetchWords; ++k)
      words[k] = in_array<uint32_t>(in, kHandleArray + (1 + k) * kWordArray)[lane];
    put(out, lane, devicelib::fetch_words(view, code, words));
  });
}

template <bool is_surface, ImageProperty property>
void query(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const uint64_t* handle = in_array<uint64_t>(in, 0);
  const uint32_t* level = in_array<uint32_t>(in, kHandleArray);
  each_lane(mask, [&](unsigned lane) {
    const ImageBinding& bound = binding(context, handle[lane], is_surface);
    out_array<uint32_t>(out, 0)[lane] = devicelib::image_property(
        bound.image->description, is_surface ? nullptr : &bound.sampler, property, level[lane]);
  });
}

// Where the lanes of a surface access go: image, and x (in bytes; `bytes` 0: in texels), y, z.
struct SurfaceLanes {
  WarpContext* context;
  const uint64_t* handle;
  const int32_t *x, *y, *z;

  SurfaceLanes(WarpContext* context, const void* in)
      : context(context),
        handle(in_array<uint64_t>(in, 0)),
        x(in_array<int32_t>(in, kHandleArray)),
        y(in_array<int32_t>(in, kHandleArray + kWordArray)),
        z(in_array<int32_t>(in, kHandleArray + 2 * kWordArray)) {}

  ImageData& image(unsigned lane) const { return *binding(context, handle[lane], true).image; }

  // Null: outside, and nothing is there.
  std::byte* place(ImageData& image, unsigned lane, uint32_t bytes, SurfaceOutside outside) const {
    const devicelib::SurfacePlace place =
        devicelib::surface_place(image.description, x[lane], y[lane], z[lane], bytes, outside);
    if (place.access == SurfaceAccess::kInside) return image.texels.data() + place.offset;
    if (place.access != SurfaceAccess::kNothing)
      context->block->fault({WarpFault::Kind::kSurface, context->line, context->warp,
                             place.access == SurfaceAccess::kMisaligned ? bytes : 0, uint32_t(x[lane])});
    return nullptr;
  }
};

constexpr size_t kPlaceArrays = kHandleArray + 3 * kWordArray;

template <typename T, unsigned count, SurfaceOutside outside>
void surface_load(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const SurfaceLanes lanes(context, in);
  each_lane(mask, [&](unsigned lane) {
    const std::byte* from = lanes.place(lanes.image(lane), lane, sizeof(T) * count, outside);
    for (unsigned i = 0; i < count; ++i) {
      T value{};
      if (from != nullptr) std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      out_array<T>(out, i * warp_array_bytes(sizeof(T)))[lane] = value;
    }
  });
}

template <typename T, unsigned count, SurfaceOutside outside>
void surface_store(WarpContext* context, uint32_t mask, const void* in, void*) {
  const SurfaceLanes lanes(context, in);
  each_lane(mask, [&](unsigned lane) {
    std::byte* to = lanes.place(lanes.image(lane), lane, sizeof(T) * count, outside);
    if (to == nullptr) return;
    for (unsigned i = 0; i < count; ++i)
      std::memcpy(to + i * sizeof(T), in_array<T>(in, kPlaceArrays + i * warp_array_bytes(sizeof(T))) + lane,
                  sizeof(T));
  });
}

// sust.p: channels as words, converted to the image's format.
template <unsigned count, SurfaceOutside outside>
void surface_pack(WarpContext* context, uint32_t mask, const void* in, void*) {
  const SurfaceLanes lanes(context, in);
  each_lane(mask, [&](unsigned lane) {
    ImageData& image = lanes.image(lane);
    std::byte* to = lanes.place(image, lane, 0, outside);
    if (to == nullptr) return;
    uint32_t words[count];
    for (unsigned i = 0; i < count; ++i) words[i] = in_array<uint32_t>(in, kPlaceArrays + i * kWordArray)[lane];
    devicelib::surface_pack(image.description, words, count, reinterpret_cast<uint8_t*>(to));
  });
}

// sured is atomic among threads; a texel need not lie as an atomic of its size has to. The code is the same in all
// lanes.
template <typename T>
void surface_reduce(WarpContext* context, uint32_t mask, const void* in, void*) {
  static std::mutex mutex;
  const SurfaceLanes lanes(context, in);
  const devicelib::ReductionCode code =
      devicelib::unpack_reduction(in_array<uint32_t>(in, kPlaceArrays)[std::countr_zero(mask)]);
  const T* operand = in_array<T>(in, kPlaceArrays + kWordArray);
  each_lane(mask, [&](unsigned lane) {
    ImageData& image = lanes.image(lane);
    std::byte* place = lanes.place(image, lane, code.by_texels ? 0 : sizeof(T), code.outside);
    if (place == nullptr) return;
    const std::lock_guard lock(mutex);
    T value;
    std::memcpy(&value, place, sizeof value);
    value = T(devicelib::reduced(code, image.description, 8 * sizeof(T), value, operand[lane]));
    std::memcpy(place, &value, sizeof value);
  });
}

// The part of a surface function's name behind "cpu.suld." or "cpu.sust.".
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

template <unsigned count>
WarpFunction pack_function(std::string_view outside) {
  if (outside == "trap") return &surface_pack<count, SurfaceOutside::kTrap>;
  if (outside == "clamp") return &surface_pack<count, SurfaceOutside::kClamp>;
  if (outside == "zero") return &surface_pack<count, SurfaceOutside::kZero>;
  return nullptr;
}

template <FetchResult result>
WarpFunction plain_function(std::string_view name, bool by_integers) {
  if (name.starts_with("cpu.tex.2d.")) return by_integers ? &fetch_at_integers<result> : &fetch_at_floats<result>;
  if (name.starts_with("cpu.tld4.2d.r.")) return &gather_channel<result, 0>;
  if (name.starts_with("cpu.tld4.2d.g.")) return &gather_channel<result, 1>;
  if (name.starts_with("cpu.tld4.2d.b.")) return &gather_channel<result, 2>;
  if (name.starts_with("cpu.tld4.2d.a.")) return &gather_channel<result, 3>;
  return nullptr;
}

}  // namespace

WarpFunction find_texture_function(std::string_view name) {
  static constexpr WarpFunctionRow kRows[] = {
      {"cpu.tex.any", &fetch_any},
      {"cpu.sured.b32", &surface_reduce<uint32_t>},
      {"cpu.sured.b64", &surface_reduce<uint64_t>},
      {"cpu.txq.width", &query<false, ImageProperty::kWidth>},
      {"cpu.txq.height", &query<false, ImageProperty::kHeight>},
      {"cpu.txq.depth", &query<false, ImageProperty::kDepth>},
      {"cpu.txq.num_mipmap_levels", &query<false, ImageProperty::kLevels>},
      {"cpu.txq.num_samples", &query<false, ImageProperty::kSamples>},
      {"cpu.txq.array_size", &query<false, ImageProperty::kArraySize>},
      {"cpu.txq.normalized_coords", &query<false, ImageProperty::kNormalized>},
      {"cpu.suq.width", &query<true, ImageProperty::kWidth>},
      {"cpu.suq.height", &query<true, ImageProperty::kHeight>},
      {"cpu.suq.depth", &query<true, ImageProperty::kDepth>},
      {"cpu.suq.array_size", &query<true, ImageProperty::kArraySize>},
  };
  for (const WarpFunctionRow& row : kRows)
    if (row.name == name) return row.function;
  // Texels come as raw bits: their type is the image's.
  if (name.starts_with("cpu.tex.2d.f32.") || (name.starts_with("cpu.tld4.2d.") && name.ends_with(".f32")))
    return plain_function<FetchResult::kFloats>(name, name.ends_with(".s32"));
  if (name.starts_with("cpu.tex.2d.") || name.starts_with("cpu.tld4.2d."))
    return plain_function<FetchResult::kIntegers>(name, name.ends_with(".s32"));
  const bool loads = name.starts_with("cpu.suld.");
  if (loads || name.starts_with("cpu.sust.")) {
    const std::string_view rest = name.substr(9);
    if (rest.starts_with("b8.")) return surface_function<uint8_t>(loads, rest.substr(3));
    if (rest.starts_with("b16.")) return surface_function<uint16_t>(loads, rest.substr(4));
    if (rest.starts_with("b32.")) return surface_function<uint32_t>(loads, rest.substr(4));
    if (rest.starts_with("b64.")) return surface_function<uint64_t>(loads, rest.substr(4));
    if (rest.starts_with("p.v1.")) return pack_function<1>(rest.substr(5));
    if (rest.starts_with("p.v2.")) return pack_function<2>(rest.substr(5));
    if (rest.starts_with("p.v4.")) return pack_function<4>(rest.substr(5));
  }
  return nullptr;
}

}  // namespace ww::cpu
