#include "devicelib/texture.h"

#include "base/float_formats.h"

namespace ww::devicelib {

namespace {

u32 bits_of(f32 value) {
  return __builtin_bit_cast(u32, value);
}

f32 clamp(f32 value, f32 least, f32 most) {
  return value < least ? least : value > most ? most : value;
}

s64 clamp(s64 value, s64 least, s64 most) {
  return value < least ? least : value > most ? most : value;
}

// An index brought into [0, size), or -1 for the border.
s64 address(s64 i, s64 size, AddressMode mode) {
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
      return i < 0 || i >= size ? -1 : i;
  }
  return -1;
}

u32 read_channel(ChannelFormat format, const u8* from) {
  u32 raw = 0;
  __builtin_memcpy(&raw, from, channel_bytes(format));
  switch (format) {
    case ChannelFormat::kF16:
      return bits_of(f16_to_f32(u16(raw)));
    case ChannelFormat::kUnorm8:
      return bits_of(f32(raw) / 255.0f);
    case ChannelFormat::kS8:
      return u32(s32(s8(raw)));
    case ChannelFormat::kS16:
      return u32(s32(s16(raw)));
    default:
      return raw;
  }
}

f32 in_texels(const TextureView& view, f32 u, u32 size) {
  return view.normalized ? u * f32(size) : u;
}

s64 to_index(f32 u) {
  return u != u ? 0 : s64(clamp(__builtin_floorf(u), -1.0e9f, 1.0e9f));
}

// Where a linear filter reads: texel index and weight of the next texel in 256ths.
struct Tap {
  s64 index;
  u32 weight;
};

Tap linear_tap(f32 u) {
  if (u != u) return {0, 0};
  const auto fixed = s64(__builtin_floor((f64(clamp(u, -1.0e9f, 1.0e9f)) - 0.5) * 256.0 + 0.5));
  return {fixed >> 8, u32(fixed & 255)};
}

// To f32, ties away from zero; NaN is 0x7fffffff.
u32 round_away(f64 value) {
  const u64 bits = __builtin_bit_cast(u64, value), magnitude = bits & ~(u64(1) << 63);
  const u64 least_normal = 0x381ull << 52, infinity = 0x7ffull << 52;
  if (magnitude < least_normal || magnitude >= infinity)
    return u32(convert_format(kFormatF32, kFormatF64, bits, Rounding::kNearestAway));
  // Half of an f32's last place in magnitude, then cut: the conversion is exact, or beyond the largest f32 infinite.
  const u64 cut = (u64(1) << 29) - 1;
  return bits_of(f32(__builtin_bit_cast(f64, (bits + (u64(1) << 28)) & ~cut)));
}

// A texel inside of the image.
Texel read_texel(const TextureView& view, s64 x, s64 y) {
  Texel result{};
  const u8* texel = view.texels + (u64(y) * view.width + u64(x)) * view.texel_bytes;
  if (view.format == ChannelFormat::kF32) {
    __builtin_memcpy(result.channel, texel, view.texel_bytes);
    return result;
  }
  const u32 bytes = channel_bytes(view.format);
  for (u32 c = 0; c < view.channels; ++c) result.channel[c] = read_channel(view.format, texel + c * bytes);
  return result;
}

// A texel as the sampler addresses it.
Texel addressed_texel(const TextureView& view, s64 x, s64 y) {
  const s64 i = address(x, view.width, view.address[0]), j = address(y, view.height, view.address[1]);
  return i < 0 || j < 0 ? Texel{} : read_texel(view, i, j);
}

// 2^exponent, in the range of normal f64.
f64 power_of_two(s32 exponent) {
  return __builtin_bit_cast(f64, u64(exponent + 1023) << 52);
}

struct FilterRow {
  FloatFormat format;  // what the sum is rounded to
  s32 fraction_bits;   // kept below the largest exponent
  u32 nan;
};
constexpr FilterRow kFilterF16{kFormatF16, 14, 0x7fffe000}, kFilterF32{kFormatF32, 27, 0x7fffffff};

// The weighted sum of four texels, weights in 256ths, as f32 bits.
u32 filter_float(const FilterRow& row, const f32 (&values)[4], const u32 (&weights)[4]) {
  s32 largest = 0;
  u32 signs = 1u << 31;
  for (u32 i = 0; i < 4; ++i) {
    if (weights[i] == 0) continue;
    const u32 bits = bits_of(values[i]);
    const s32 exponent = s32(bits >> 23 & 0xff);
    if (exponent > largest) largest = exponent;
    signs &= bits;
  }
  if (largest == 0xff) {  // an infinity or a NaN counts: no alignment
    f32 sum = 0;
    for (u32 i = 0; i < 4; ++i)
      if (weights[i] != 0) sum += f32(weights[i]) * values[i];
    return sum != sum ? row.nan : bits_of(sum);
  }
  const s32 least = 1 - row.format.bias();
  const s32 last_bit = (largest - 127 > least ? largest - 127 : least) - row.fraction_bits;
  const f64 to_units = power_of_two(-last_bit);
  s64 sum = 0;
  for (u32 i = 0; i < 4; ++i) sum += s64(weights[i]) * s64(f64(values[i]) * to_units);
  if (sum == 0 || largest == 0) return signs;  // f32 subnormals count as zeros; only zeros below zero give -0
  const f64 exact = f64(sum) * power_of_two(last_bit - 8);
  if (row.format.width() == 32) return round_away(exact);
  return bits_of(
      f16_to_f32(u16(convert_format(kFormatF16, kFormatF64, __builtin_bit_cast(u64, exact), Rounding::kNearestAway))));
}

// Bytes become 16-bit fractions; so does their weighted mean.
u32 filter_unorm8(const f32 (&values)[4], const u32 (&weights)[4]) {
  u32 sum = 0;
  for (u32 i = 0; i < 4; ++i) sum += weights[i] * u32(values[i] * 255.0f + 0.5f) * 257;
  return bits_of(f32((sum + 128) >> 8) / 65535.0f);
}

}  // namespace

TextureView texture_view(const void* texels, u32 width, u32 height, u32 channels, ChannelFormat format,
                         const SamplerDescription& sampler) {
  TextureView view{static_cast<const u8*>(texels),
                   width,
                   height,
                   channels,
                   channels * channel_bytes(format),
                   format,
                   is_float_format(format) ? sampler.filter : Filter::kPoint,
                   {sampler.address[0], sampler.address[1]},
                   sampler.normalized};
  // Wrap and mirror exist for normalised coordinates only; others clamp (CUDA C++ Programming Guide, "Texture Memory").
  for (AddressMode& mode : view.address)
    if (!sampler.normalized && (mode == AddressMode::kWrap || mode == AddressMode::kMirror)) mode = AddressMode::kClamp;
  return view;
}

Texel texture_texel(const TextureView& view, s64 x, s64 y) {
  if (x < 0 || y < 0 || x >= s64(view.width) || y >= s64(view.height)) return {};
  return read_texel(view, x, y);
}

Texel texture_sample(const TextureView& view, f32 x, f32 y) {
  const f32 u = in_texels(view, x, view.width), v = in_texels(view, y, view.height);
  if (view.filter == Filter::kPoint) return addressed_texel(view, to_index(u), to_index(v));
  const Tap tx = linear_tap(u), ty = linear_tap(v);
  const Texel taps[4] = {addressed_texel(view, tx.index, ty.index), addressed_texel(view, tx.index + 1, ty.index),
                         addressed_texel(view, tx.index, ty.index + 1),
                         addressed_texel(view, tx.index + 1, ty.index + 1)};
  const u32 both = (tx.weight * ty.weight + 128) >> 8;
  const u32 weights[4] = {256 - tx.weight - ty.weight + both, tx.weight - both, ty.weight - both, both};
  const FilterRow& row = view.format == ChannelFormat::kF16 ? kFilterF16 : kFilterF32;
  Texel result{};
  for (u32 c = 0; c < view.channels; ++c) {
    f32 values[4];
    for (u32 i = 0; i < 4; ++i) values[i] = __builtin_bit_cast(f32, taps[i].channel[c]);
    result.channel[c] =
        view.format == ChannelFormat::kUnorm8 ? filter_unorm8(values, weights) : filter_float(row, values, weights);
  }
  return result;
}

Texel texture_gather(const TextureView& view, f32 x, f32 y, u32 channel) {
  const Tap tx = linear_tap(in_texels(view, x, view.width)), ty = linear_tap(in_texels(view, y, view.height));
  return {{addressed_texel(view, tx.index, ty.index + 1).channel[channel],
           addressed_texel(view, tx.index + 1, ty.index + 1).channel[channel],
           addressed_texel(view, tx.index + 1, ty.index).channel[channel],
           addressed_texel(view, tx.index, ty.index).channel[channel]}};
}

SurfacePlace surface_place(u64 row_bytes, u32 height, s32 x, s32 y, u32 bytes, SurfaceOutside outside) {
  if (x % s32(bytes) != 0) return {SurfaceAccess::kMisaligned, 0};
  const bool inside = x >= 0 && y >= 0 && u64(x) + bytes <= row_bytes && u32(y) < height;
  if (!inside && outside == SurfaceOutside::kTrap) return {SurfaceAccess::kTrap, 0};
  // An access wider than a row has no place to be clamped to.
  if (!inside && (outside == SurfaceOutside::kZero || bytes > row_bytes)) return {SurfaceAccess::kNothing, 0};
  const s64 last = (s64(row_bytes) - bytes) / bytes * bytes;
  const s64 column = clamp(s64(x), s64(0), last), row = clamp(s64(y), s64(0), s64(height) - 1);
  return {SurfaceAccess::kInside, u64(row) * row_bytes + u64(column)};
}

}  // namespace ww::devicelib
