#include "devicelib/texture.h"

#include "base/float_formats.h"
#include "devicelib/texture_cube.h"
#include "devicelib/texture_filter.h"
#include "devicelib/texture_gradient.h"
#include "devicelib/texture_place.h"

namespace ww::devicelib {

namespace {

constexpr u32 kOne = 256;  // of weights and levels of detail

f32 clamp(f32 value, f32 least, f32 most) {
  return value < least ? least : value > most ? most : value;
}

s64 clamp(s64 value, s64 least, s64 most) {
  return value < least ? least : value > most ? most : value;
}

// An index brought into [0, size), or -1 for the border.
s64 address(s64 i, s64 size, AddressMode mode) {
  if (u64(i) < u64(size)) return i;
  switch (mode) {
    case AddressMode::kClamp:
      return clamp(i, s64(0), size - 1);
    case AddressMode::kWrap:
      return ((i % size) + size) % size;
    case AddressMode::kMirror: {
      const s64 period = ((i % (2 * size)) + 2 * size) % (2 * size);
      return period < size ? period : 2 * size - 1 - period;
    }
    case AddressMode::kBorder:
      return -1;
  }
  return -1;
}

// One level of the image, and the layer or face that is read.
struct Level {
  const TextureView& view;
  const u8* texels;
  LevelExtent extent;
  u32 layer;  // or face; of 3D images 0
  bool is_3d, is_1d;
  bool seamless;  // what lies beyond an edge is on the next face
};

Level level_of(const TextureView& view, u32 index, u32 layer) {
  const ImageShape shape = view.image.shape;
  if (shape == ImageShape::k2D && index == 0)
    return {view, view.texels, {view.image.width, view.image.height, 1}, 0, false, false, false};
  return {view,
          view.texels + level_offset(view.image, index),
          level_extent(view.image, index),
          layer,
          shape == ImageShape::k3D,
          is_1d(shape),
          is_cube(shape) && view.sampler.seamless_cube};
}

const u8* texel_at(const Level& level, s64 x, s64 y, s64 z) {
  const u64 row = (u64(level.is_3d ? z : s64(level.layer)) * level.extent.height + u64(y)) * level.extent.width;
  return level.texels + (row + u64(x)) * level.view.bytes;
}

// The texel as the sampler addresses it; null: the border.
const u8* addressed(const Level& level, s64 x, s64 y, s64 z) {
  if (level.seamless) {
    const FaceTexel there = across_edge(level.layer % 6, x, y, level.extent.width);
    const u64 row = u64(level.layer - level.layer % 6 + there.face) * level.extent.height + u64(there.y);
    return level.texels + (row * level.extent.width + u64(there.x)) * level.view.bytes;
  }
  const AddressMode* mode = level.view.sampler.address;
  const s64 i = address(x, level.extent.width, mode[0]), j = address(y, level.extent.height, mode[1]);
  const s64 k = level.is_3d ? address(z, level.extent.slices, mode[2]) : 0;
  return i < 0 || j < 0 || k < 0 ? nullptr : texel_at(level, i, j, k);
}

// Where a linear filter reads: texel index and weight of the next texel in 256ths.
struct Tap {
  s64 index;
  u32 weight;
};

// From a place in texels; half a texel to the left, rounded to 256ths.
Tap linear_tap(s64 u) {
  const s64 halves = u >> (kPlaceBits - 9);
  const s64 fixed = (halves - 255) >> 1;
  return {fixed >> 8, u32(fixed & 255)};
}

s32 sign_extend(s32 value, u32 bits) {
  return s32(u32(value) << (32 - bits)) >> (32 - bits);
}

struct Place {
  s64 at[3];  // devicelib/texture_place.h
  u32 layer;  // of cubes: of all faces
};

Place place_of(const TextureView& view, const Fetch& fetch) {
  Place place{{fixed_place(fetch.at[0], kPlaceBits), fixed_place(fetch.at[1], kPlaceBits),
               fixed_place(fetch.at[2], kPlaceBits)},
              0};
  if (is_array(view.image.shape)) place.layer = fetch.layer < view.image.depth ? fetch.layer : view.image.depth - 1;
  if (!is_cube(view.image.shape)) return place;
  const FacePlace there = face_place(cube_direction(fetch.at));
  return {{there.at[0], there.at[1], 0}, place.layer * 6 + there.face};
}

// The level of detail, in 256ths.
s64 level_of_detail(const TextureView& view, const Fetch& fetch) {
  const auto fixed = [](f32 lod) { return lod != lod ? s64(0) : s64(clamp(lod, -1.0e6f, 1.0e6f) * f32(kOne)); };
  const SamplerDescription& sampler = view.sampler;
  s64 lod = 0;
  if (fetch.level == FetchLevel::kGiven) lod = fixed(fetch.lod) + fixed(sampler.level_bias);
  if (fetch.level == FetchLevel::kGradient) lod = gradient_level(view, fetch) + fixed(sampler.level_bias);
  lod = clamp(lod, fixed(sampler.min_level), fixed(sampler.max_level));
  return clamp(lod, 0, s64(kOne) * (view.image.levels - 1));
}

u32 side_of(const Level& level, u32 axis) {
  return axis == 0 ? level.extent.width : axis == 1 ? level.extent.height : level.extent.slices;
}

// In texels. Where the image repeats, whole repetitions are taken off.
s64 coordinate(const Level& level, const Place& place, u32 axis) {
  const s64 at = place.at[axis], side = side_of(level, axis);
  if (!level.view.sampler.normalized) return at;
  if (level.seamless) return at * side;
  switch (level.view.sampler.address[axis]) {
    case AddressMode::kWrap:
      return (at & ((s64(1) << kPlaceBits) - 1)) * side;
    case AddressMode::kMirror:
      return (at & ((s64(2) << kPlaceBits) - 1)) * side;
    default:
      return at * side;
  }
}

s64 index_of(const Level& level, const Place& place, u32 axis) {
  return coordinate(level, place, axis) >> kPlaceBits;
}

void add_point(Taps& taps, const Level& level, const Place& place, const s32 (&offset)[3], u32 weight) {
  s64 at[3] = {};
  for (u32 axis = 0; axis < (level.is_3d ? 3u : 2u); ++axis) at[axis] = index_of(level, place, axis) + offset[axis];
  // A point on the last edge of a face is the face's, seamless or not.
  for (u32 axis = 0; level.seamless && axis < 2; ++axis)
    at[axis] = clamp(at[axis], s64(0), s64(side_of(level, axis)) - 1);
  taps.add(addressed(level, at[0], at[1], at[2]), weight);
  taps.end_group();
}

// Where the corners of faces meet there are three texels: of a fourth's weight two have 85/256, and the one on the face
// itself the rest.
constexpr u32 kThird = 85;

bool beyond_corner(const Level& level, s64 x, s64 y) {
  const s64 side = level.extent.width;
  return level.seamless && (x < 0 || x >= side) && (y < 0 || y >= side);
}

// The texel x, y, the next to the right, below and beyond both. A corner that is nowhere on a cube counts as the
// border.
struct Square {
  const u8* texel[4];
};

Square square_at(const Level& level, s64 x, s64 y, s64 z) {
  Square square;
  if (level.seamless) {
    for (u32 i = 0; i < 4; ++i) {
      const s64 column = x + (i & 1), row = y + (i >> 1);
      square.texel[i] = beyond_corner(level, column, row) ? nullptr : addressed(level, column, row, 0);
    }
    return square;
  }
  const AddressMode* mode = level.view.sampler.address;
  const s64 k = level.is_3d ? address(z, level.extent.slices, mode[2]) : 0;
  s64 column[2], row[2];
  for (u32 i = 0; i < 2; ++i) {
    column[i] = address(x + i, level.extent.width, mode[0]);
    row[i] = address(y + i, level.extent.height, mode[1]);
  }
  const u64 bytes = level.view.bytes, slice = u64(level.is_3d ? k : s64(level.layer)) * level.extent.height;
  const u64 across[2] = {u64(column[0]) * bytes, u64(column[1]) * bytes};
  const u64 down[2] = {(slice + u64(row[0])) * level.extent.width * bytes,
                       (slice + u64(row[1])) * level.extent.width * bytes};
  for (u32 i = 0; i < 4; ++i) {
    const bool border = (column[i & 1] | row[i >> 1] | k) < 0;
    square.texel[i] = border ? nullptr : level.texels + (down[i >> 1] + across[i & 1]);
  }
  return square;
}

// The four texels of one slice, with weights that add up to `weight`: columns first, then rows, each rounded at the
// outer corner.
void add_slice(Taps& taps, const Level& level, const Tap& x, const Tap& y, s64 z, u32 weight) {
  const u32 right = (x.weight * weight + 128) >> 8, left = weight - right;
  const u32 first = (left * (kOne - y.weight) + 128) >> 8, last = (right * y.weight + 128) >> 8;
  u32 weights[4] = {first, right - last, left - first, last};
  for (u32 i = 0; level.seamless && i < 4; ++i) {
    if (!beyond_corner(level, x.index + (i & 1), y.index + (i >> 1))) continue;
    const u32 third = (weights[i] * kThird + 128) >> 8;
    weights[i ^ 1] += third;
    weights[i ^ 2] += third;
    weights[i ^ 3] += weights[i] - 2 * third;
    weights[i] = 0;
  }
  const Square square = square_at(level, x.index, y.index, z);
  for (u32 i = 0; i < 4; ++i) taps.add(square.texel[i], weights[i]);
  taps.end_group();
}

Tap tap_of(const Level& level, const Place& place, u32 axis, s32 offset) {
  Tap tap = linear_tap(coordinate(level, place, axis));
  tap.index += offset;
  return tap;
}

// A clamped coordinate has no fraction. Beyond a seam lies one texel.
Tap filter_tap(const Level& level, const Place& place, u32 axis, s32 offset) {
  const Tap tap = tap_of(level, place, axis, offset);
  const s64 last = s64(side_of(level, axis)) - 1;
  if (level.seamless) return tap.index < -1 ? Tap{-1, 0} : tap.index > last ? Tap{last + 1, 0} : tap;
  if (level.view.sampler.address[axis] != AddressMode::kClamp) return tap;
  return tap.index < 0 ? Tap{0, 0} : tap.index >= last ? Tap{last, 0} : tap;
}

// 1D images that are no array have a second coordinate too: 0, where a border begins.
void add_linear(Taps& taps, const Level& level, const Place& place, const s32 (&offset)[3], u32 weight) {
  const Tap x = filter_tap(level, place, 0, offset[0]);
  const Tap y = level.view.image.shape == ImageShape::k1DArray ? Tap{0, 0} : filter_tap(level, place, 1, offset[1]);
  if (!level.is_3d) return add_slice(taps, level, x, y, 0, weight);
  const Tap z = filter_tap(level, place, 2, offset[2]);
  const u32 near = ((kOne - z.weight) * weight + 128) >> 8;
  add_slice(taps, level, x, y, z.index, near);
  add_slice(taps, level, x, y, z.index + 1, weight - near);
}

Texel sample(const TextureView& view, const Fetch& fetch) {
  const Place place = place_of(view, fetch);
  const s32 offset[3] = {sign_extend(fetch.offset[0], 4), sign_extend(fetch.offset[1], 4),
                         sign_extend(fetch.offset[2], 4)};
  Taps taps;
  const auto add = [&](u32 index, u32 weight) {
    const Level level = level_of(view, index, place.layer);
    if (view.sampler.filter == Filter::kLinear)
      add_linear(taps, level, place, offset, weight);
    else
      add_point(taps, level, place, offset, weight);
  };
  const s64 lod = view.image.levels == 1 ? 0 : level_of_detail(view, fetch);
  if (view.sampler.level_filter == Filter::kPoint || (lod & 255) == 0) {
    add(u32((lod + 128) >> 8), kOne);
  } else {
    const u32 next = u32(lod & 255), level = u32(lod >> 8);
    add(level, kOne - next);
    add(level + 1, next);
  }
  return filter(view, taps);
}

Texel fetch_texel(const TextureView& view, const Fetch& fetch) {
  const bool named = fetch.level == FetchLevel::kGiven;
  const s32 index = named ? fetch.texel_level : 0;
  if (index < 0 || u32(index) >= view.image.levels) return {};
  const bool layered = is_array(view.image.shape);
  if (layered && !named && fetch.layer >= view.image.depth) return {};
  const u32 layer = !layered ? 0 : fetch.layer < view.image.depth ? fetch.layer : view.image.depth - 1;
  const Level level = level_of(view, u32(index), layer);
  const s64 sides[3] = {level.extent.width, level.extent.height, level.extent.slices};
  s64 at[3] = {};
  for (u32 axis = 0; axis < (level.is_1d ? 1u : level.is_3d ? 3u : 2u); ++axis) {
    at[axis] = s64(fetch.texel[axis]) + sign_extend(fetch.offset[axis], 4);
    if (named) at[axis] = clamp(at[axis], s64(0), sides[axis] - 1);
    if (at[axis] < 0 || at[axis] >= sides[axis]) return {};
  }
  return read_texel(view, texel_at(level, at[0], at[1], at[2]));
}

Texel gather(const TextureView& view, const Fetch& fetch) {
  const Place place = place_of(view, fetch);
  const Level level = level_of(view, 0, place.layer);
  const Tap x = tap_of(level, place, 0, sign_extend(fetch.offset[0], 6));
  const Tap y = tap_of(level, place, 1, sign_extend(fetch.offset[1], 6));
  if (fetch.channel >= view.image.channels) return {};
  const Square square = square_at(level, x.index, y.index, 0);
  const auto channel = [&](u32 corner) {
    const s64 i = x.index + (corner & 1), j = y.index + (corner >> 1);
    if (!beyond_corner(level, i, j)) return gathered_channel(view, square.texel[corner], fetch.channel);
    const s64 last = s64(level.extent.width) - 1, inner_i = clamp(i, s64(0), last), inner_j = clamp(j, s64(0), last);
    Taps taps;
    taps.add(addressed(level, inner_i, j, 0), kThird);
    taps.add(addressed(level, i, inner_j, 0), kThird);
    taps.add(addressed(level, inner_i, inner_j, 0), kOne - 2 * kThird);
    taps.end_group();
    return filter(view, taps).channel[fetch.channel];
  };
  return {{channel(2), channel(3), channel(1), channel(0)}};
}

}  // namespace

TextureView texture_view(const void* texels, const ImageDescription& image, const SamplerDescription& sampler) {
  TextureView view{static_cast<const u8*>(texels), image, sampler, texel_bytes(image)};
  view.sampler.srgb = sampler.srgb && image.format == ChannelFormat::kUnorm8;
  if (!is_float_format(image.format)) view.sampler.filter = view.sampler.level_filter = Filter::kPoint;
  // Wrap and mirror exist for normalised coordinates only; others clamp (CUDA C++ Programming Guide, "Texture Memory").
  for (AddressMode& mode : view.sampler.address)
    if (!sampler.normalized && (mode == AddressMode::kWrap || mode == AddressMode::kMirror)) mode = AddressMode::kClamp;
  return view;
}

Texel texture_fetch(const TextureView& view, const Fetch& fetch) {
  switch (fetch.kind) {
    case FetchKind::kSample:
      return sample(view, fetch);
    case FetchKind::kTexel:
      return fetch_texel(view, fetch);
    case FetchKind::kGather:
      return gather(view, fetch);
  }
  return {};
}

Texel texture_texel(const TextureView& view, s32 x, s32 y) {
  if (const ImageDescription& image = view.image; image.shape == ImageShape::k2D) {
    if (u32(x) >= image.width || u32(y) >= image.height) return {};
    return read_texel(view, view.texels + (u64(u32(y)) * image.width + u32(x)) * view.bytes);
  }
  Fetch fetch;
  fetch.kind = FetchKind::kTexel;
  fetch.texel[0] = x;
  fetch.texel[1] = y;
  return fetch_texel(view, fetch);
}

Texel texture_sample(const TextureView& view, f32 x, f32 y) {
  if (const ImageDescription& image = view.image; image.shape == ImageShape::k2D && image.levels == 1) {
    const Level level = level_of(view, 0, 0);
    const Place place{{fixed_place(x, kPlaceBits), fixed_place(y, kPlaceBits), 0}, 0};
    if (view.sampler.filter == Filter::kPoint)
      return read_texel(view, addressed(level, index_of(level, place, 0), index_of(level, place, 1), 0));
    Taps taps;
    add_slice(taps, level, filter_tap(level, place, 0, 0), filter_tap(level, place, 1, 0), 0, kOne);
    return filter(view, taps);
  }
  Fetch fetch;
  fetch.at[0] = x;
  fetch.at[1] = y;
  return sample(view, fetch);
}

Texel texture_gather(const TextureView& view, f32 x, f32 y, u32 channel) {
  Fetch fetch;
  fetch.kind = FetchKind::kGather;
  fetch.at[0] = x;
  fetch.at[1] = y;
  fetch.channel = channel;
  return gather(view, fetch);
}

u16 texel_as_f16(u32 channel) {
  return u16(convert_format(kFormatF16, kFormatF32, channel, Rounding::kNearestEven));
}

}  // namespace ww::devicelib
