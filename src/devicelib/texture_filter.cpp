#include "devicelib/texture_filter.h"

#include "devicelib/srgb.h"

namespace ww::devicelib {

namespace {

u32 bits_of(f32 value) {
  return __builtin_bit_cast(u32, value);
}

f32 float_of(u32 bits) {
  return __builtin_bit_cast(f32, bits);
}

u32 raw_channel(ChannelFormat format, const u8* from) {
  u32 raw = 0;
  u16 half;
  switch (channel_bytes(format)) {
    case 1:
      return *from;
    case 2:
      __builtin_memcpy(&half, from, 2);
      return half;
    default:
      __builtin_memcpy(&raw, from, 4);
      return raw;
  }
}

constexpr bool is_fraction(ChannelFormat format) {
  return format >= ChannelFormat::kUnorm8;
}
bool is_signed_fraction(ChannelFormat format) {
  return format == ChannelFormat::kSnorm8 || format == ChannelFormat::kSnorm16;
}

f32 from_fraction(ChannelFormat format, s32 value) {
  return f32(value) / (is_signed_fraction(format) ? 32767.0f : 65535.0f);
}

// Snorm8 is widened behind the sum: times 1 + 2^-7 + 2^-15, each part cut down at an eighth of the 16-bit fraction's
// last place.
f32 wide_snorm8(s64 sum) {
  const s64 eighths = sum * 8, rounded = (eighths + (eighths >> 7) + (eighths >> 15) + 4) >> 3;
  return from_fraction(ChannelFormat::kSnorm8, rounded < -32767 ? -32767 : s32(rounded));
}

// What filters work with of the others: fractions of 16 bits.

s32 wide_fraction(ChannelFormat format, u32 raw) {
  switch (format) {
    case ChannelFormat::kUnorm8:
      return s32(raw * 257);
    case ChannelFormat::kSnorm8:
      return s8(raw);
    case ChannelFormat::kSnorm16:
      return s16(raw);
    default:
      return s32(raw);
  }
}

f32 clamped_fraction(ChannelFormat format, s64 sum) {
  if (format == ChannelFormat::kSnorm8) return wide_snorm8(sum);
  const s64 rounded = (sum + 128) >> 8;
  return from_fraction(format, is_signed_fraction(format) && rounded < -32767 ? -32767 : s32(rounded));
}

// The value of one texel that is not filtered.
u32 channel_value(ChannelFormat format, u32 raw, bool srgb) {
  switch (format) {
    case ChannelFormat::kF16:
      return bits_of(f16_to_f32(u16(raw)));
    case ChannelFormat::kUnorm8:
      return srgb ? bits_of(f32(kLinearOfSrgb[raw]) * 0x1p-14f) : bits_of(f32(raw) / 255.0f);
    case ChannelFormat::kSnorm8:
      return bits_of(f32(s8(raw) == -128 ? -127 : s8(raw)) / 127.0f);
    case ChannelFormat::kUnorm16:
    case ChannelFormat::kSnorm16:
      return bits_of(from_fraction(format, format == ChannelFormat::kUnorm16 ? s32(raw)
                                           : s16(raw) == -32768              ? -32767
                                                                             : s16(raw)));
    case ChannelFormat::kS8:
      return u32(s32(s8(raw)));
    case ChannelFormat::kS16:
      return u32(s32(s16(raw)));
    default:
      return raw;
  }
}

template <ChannelFormat format>
struct FormatConstant {
  constexpr operator ChannelFormat() const { return format; }
};

// Calls body with the format as a constant, if it is one of these.
template <ChannelFormat... formats, class Body>
void with_format(ChannelFormat format, Body&& body) {
  (void)((format == formats && (body(FormatConstant<formats>{}), true)) || ...);
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

// 2^exponent, in the range of normal f64.
f64 power_of_two(s32 exponent) {
  return __builtin_bit_cast(f64, u64(exponent + 1023) << 52);
}

// The same to f16, as an f32: of a mean of halves, so of nothing beyond the largest, in units of 2^-37 or more.
u32 round_away_to_half(f64 value) {
  const u64 bits = __builtin_bit_cast(u64, value), sign = bits >> 63 << 63, magnitude = bits - sign;
  const f64 size = __builtin_bit_cast(f64, magnitude);
  if (size < 0x1p-14) return u32(sign >> 32) | bits_of(f32(s32(size * 0x1p24 + 0.5)) * 0x1p-24f);
  const u64 cut = (u64(1) << 42) - 1;
  return bits_of(f32(__builtin_bit_cast(f64, sign | ((magnitude + (u64(1) << 41)) & ~cut))));
}

struct FilterRow {
  bool to_half;       // what the sum is rounded to
  s32 least;          // the format's least exponent of normals
  s32 fraction_bits;  // kept below the largest exponent
  u32 nan;
};
constexpr FilterRow kFilterF16{true, -14, 14, 0x7fffe000}, kFilterF32{false, -126, 27, 0x7fffffff},
    kFilterSrgb{true, -14, 7, 0x7fffe000};

// A weighted sum of aligned floats, in units of 2^(last_bit - 8).
struct Aligned {
  s64 sum;
  s32 last_bit;
  s32 exponent;  // of the largest, as biased f32 ones; 0: nothing but zeros and f32 subnormals
};

// The last bit that is kept of a float below another of this exponent.
s32 last_bit_of(const FilterRow& row, s32 exponent) {
  return (exponent - 127 > row.least ? exponent - 127 : row.least) - row.fraction_bits;
}

[[gnu::always_inline]] inline Aligned aligned_sum(const FilterRow& row, const f32* values, const u32* weights,
                                                  u32 count, s32 exponent) {
  const s32 last_bit = last_bit_of(row, exponent);
  const f64 to_units = power_of_two(-last_bit);
  s64 sum = 0;
  for (u32 i = 0; i < count; ++i) sum += s64(weights[i]) * s32(f64(values[i]) * to_units);
  return {sum, last_bit, exponent};
}

// Sums are added in units of a multiple of four binades, cut down.
Aligned add_aligned(const FilterRow& row, const Aligned* parts, u32 count) {
  s32 exponent = 0;
  for (u32 i = 0; i < count; ++i)
    if (parts[i].exponent > exponent) exponent = parts[i].exponent;
  const s32 least = row.least + 127;
  const s32 last_bit = ((exponent > least ? exponent : least) & ~3) - 127 - row.fraction_bits;
  Aligned total{0, last_bit, exponent};
  for (u32 i = 0; i < count; ++i) {
    const s32 shift = last_bit - parts[i].last_bit;
    if (parts[i].exponent != 0)
      total.sum += shift <= 0 ? parts[i].sum << -shift : parts[i].sum >> (shift < 63 ? shift : 63);
  }
  return total;
}

[[gnu::always_inline]] inline s32 largest_exponent(const f32* values, u32 count) {
  u32 largest = 0;
  for (u32 i = 0; i < count; ++i) {
    const u32 magnitude = bits_of(values[i]) & 0x7fffffff;
    largest = magnitude > largest ? magnitude : largest;
  }
  return s32(largest >> 23);
}

// The sums of several groups, two at a time: the third and fourth are added to the sum of the first.
Aligned sum_of_groups(const FilterRow& row, const f32* values, const s32* exponents, const Taps& taps) {
  Aligned sums[Taps::kMostGroups];
  for (u32 group = 0, from = 0; group < taps.groups; from = taps.group_end[group++])
    sums[group] = aligned_sum(row, values + from, taps.weight + from, taps.group_end[group] - from, exponents[group]);
  sums[1] = add_aligned(row, sums, 2);
  return taps.groups == 2 ? sums[1] : add_aligned(row, sums + 1, taps.groups - 1);
}

// Where an infinity or a NaN counts there is no alignment.
u32 special_sum(const FilterRow& row, const f32* values, const Taps& taps) {
  f32 sum = 0;
  for (u32 i = 0; i < taps.count; ++i) sum += f32(taps.weight[i]) * values[i];
  return sum != sum ? row.nan : bits_of(sum);
}

// Only zeros below zero give -0.
u32 zero_sum(const f32* values, const Taps& taps) {
  u32 signs = 1u << 31;
  for (u32 i = 0; i < taps.count; ++i) signs &= bits_of(values[i]);
  return signs;
}

u32 round_sum(const FilterRow& row, const Aligned& total) {
  const f64 exact = f64(total.sum) * power_of_two(total.last_bit - 8);
  return row.to_half ? round_away_to_half(exact) : round_away(exact);
}

// The weighted sum of the taps' values, as f32 bits. `leaders` may be greater values to align by, or the values.
u32 filter_float(const FilterRow& row, const f32* values, const f32* leaders, const Taps& taps) {
  s32 exponents[Taps::kMostGroups] = {};
  s32 largest = 0;
  for (u32 group = 0, from = 0; group < taps.groups; from = taps.group_end[group++]) {
    exponents[group] = largest_exponent(leaders + from, taps.group_end[group] - from);
    if (exponents[group] > largest) largest = exponents[group];
  }
  if (largest == 0xff) return special_sum(row, values, taps);
  const Aligned total = taps.groups == 1 ? aligned_sum(row, values, taps.weight, taps.count, largest)
                                         : sum_of_groups(row, values, exponents, taps);
  // f32 subnormals count as zeros.
  return total.sum == 0 || largest == 0 ? zero_sum(values, taps) : round_sum(row, total);
}

// The same of one group, whose values and weights are filled up with zeros.
[[gnu::always_inline]] inline u32 filter_slice(const FilterRow& row, const f32 (&values)[4], const u32 (&weights)[4],
                                               const Taps& taps) {
  const s32 largest = largest_exponent(values, 4);
  if (largest == 0xff) return special_sum(row, values, taps);
  const Aligned total = aligned_sum(row, values, weights, 4, largest);
  return total.sum == 0 || largest == 0 ? zero_sum(values, taps) : round_sum(row, total);
}

// A border's channel as the format would hold it: fractions to the nearest, halves toward zero, integers cut to their
// width.
[[gnu::noinline]] u32 border_raw(ChannelFormat format, f32 value) {
  const auto fraction = [&](f32 least, f32 most) {
    const f32 clamped = value != value ? 0 : value < least ? least : value > 1 ? 1 : value;
    return u32(s32(__builtin_floorf(clamped * most + 0.5f)));
  };
  switch (format) {
    case ChannelFormat::kUnorm8:
      return fraction(0, 255) & 0xff;
    case ChannelFormat::kUnorm16:
      return fraction(0, 65535) & 0xffff;
    case ChannelFormat::kSnorm8:
      return fraction(-1, 127) & 0xff;
    case ChannelFormat::kSnorm16:
      return fraction(-1, 32767) & 0xffff;
    case ChannelFormat::kF16:
      return u32(convert_format(kFormatF16, kFormatF32, bits_of(value), Rounding::kTowardZero));
    case ChannelFormat::kU8:
    case ChannelFormat::kS8:
      return bits_of(value) & 0xff;
    case ChannelFormat::kU16:
    case ChannelFormat::kS16:
      return bits_of(value) & 0xffff;
    default:
      return bits_of(value);
  }
}

// The last of 2 or 4 channels is no colour.
bool is_srgb(const TextureView& view, u32 c) {
  return view.sampler.srgb && c < (view.image.channels == 2 ? 1u : 3u);
}

// A channel of a texel, or of the border.
u32 raw_of(const TextureView& view, const u8* texel, u32 c) {
  const ChannelFormat format = view.image.format;
  return texel == nullptr ? border_raw(format, view.sampler.border[c])
                          : raw_channel(format, texel + c * channel_bytes(format));
}

// The value of a channel of a texel. The border of an sRGB image is linear already.
u32 value_of(const TextureView& view, const u8* texel, u32 c) {
  if (texel != nullptr || !is_srgb(view, c))
    return channel_value(view.image.format, raw_of(view, texel, c), is_srgb(view, c));
  const f32 border = view.sampler.border[c];
  return bits_of(border > 0 ? border < 1 ? border : 1 : 0);
}

}  // namespace

Texel read_converted_texel(const TextureView& view, const u8* texel) {
  const ImageDescription& image = view.image;
  Texel result{};
  if (texel == nullptr || view.sampler.srgb) {
    for (u32 c = 0; c < image.channels; ++c) result.channel[c] = value_of(view, texel, c);
    return result;
  }
  using enum ChannelFormat;
  with_format<kF32, kF16, kU8, kU16, kU32, kS8, kS16, kS32, kUnorm8, kUnorm16, kSnorm8, kSnorm16>(
      image.format, [&](auto format) {
        for (u32 c = 0; c < image.channels; ++c)
          result.channel[c] = channel_value(format, raw_channel(format, texel + c * channel_bytes(format)), false);
      });
  return result;
}

u32 gathered_converted_channel(const TextureView& view, const u8* texel, u32 channel) {
  const ChannelFormat format = view.image.format;
  const u32 raw = raw_of(view, texel, channel);
  if (format == ChannelFormat::kSnorm8) return bits_of(clamped_fraction(format, s64(wide_fraction(format, raw)) * 256));
  return value_of(view, texel, channel);
}

namespace {

Texel filter_floats(const TextureView& view, const Taps& taps) {
  const FilterRow& row = view.image.format == ChannelFormat::kF16 ? kFilterF16 : kFilterF32;
  Texel result{};
  if (taps.groups == 1) {
    f32 values[4][4] = {};
    u32 weights[4] = {};
    for (u32 i = 0; i < taps.count; ++i) {
      weights[i] = taps.weight[i];
      if (view.image.format == ChannelFormat::kF32 && view.image.channels < 4) {
        const u8* from = taps.texel[i] != nullptr ? taps.texel[i] : reinterpret_cast<const u8*>(view.sampler.border);
        for (u32 c = 0; c < view.image.channels; ++c) __builtin_memcpy(&values[c][i], from + 4 * c, 4);
        continue;
      }
      const Texel texel = read_texel(view, taps.texel[i]);
      for (u32 c = 0; c < 4; ++c) values[c][i] = float_of(texel.channel[c]);
    }
    for (u32 c = 0; c < view.image.channels; ++c) result.channel[c] = filter_slice(row, values[c], weights, taps);
    return result;
  }
  f32 values[4][16] = {};
  for (u32 i = 0; i < taps.count; ++i) {
    const Texel texel = read_texel(view, taps.texel[i]);
    for (u32 c = 0; c < 4; ++c) values[c][i] = float_of(texel.channel[c]);
  }
  for (u32 c = 0; c < view.image.channels; ++c) result.channel[c] = filter_float(row, values[c], values[c], taps);
  return result;
}

Texel filter_fractions(const TextureView& view, const Taps& taps) {
  Texel result{};
  using enum ChannelFormat;
  with_format<kUnorm8, kUnorm16, kSnorm8, kSnorm16>(view.image.format, [&](auto format) {
    for (u32 c = 0; c < view.image.channels; ++c) {
      s64 sum = 0;
      for (u32 i = 0; i < taps.count; ++i) {
        const u8* texel = taps.texel[i];
        const u32 raw = texel == nullptr ? border_raw(format, view.sampler.border[c])
                                         : raw_channel(format, texel + c * channel_bytes(format));
        sum += s64(taps.weight[i]) * wide_fraction(format, raw);
      }
      result.channel[c] = bits_of(clamped_fraction(format, sum));
    }
  });
  return result;
}

// Codes of sRGB are aligned to the largest of their eights.
u32 filter_srgb(const TextureView& view, const Taps& taps, u32 c) {
  f32 values[16] = {}, leaders[16] = {};
  for (u32 i = 0; i < taps.count; ++i) {
    values[i] = float_of(value_of(view, taps.texel[i], c));
    leaders[i] = taps.texel[i] == nullptr
                     ? values[i]
                     : float_of(channel_value(view.image.format, raw_of(view, taps.texel[i], c) | 7, true));
  }
  return filter_float(kFilterSrgb, values, leaders, taps);
}

// Rounded to the nearest, but for 32-bit ones, which are cut down.
u32 filter_integers(const TextureView& view, const Taps& taps, u32 c) {
  const bool is_signed = view.image.format >= ChannelFormat::kS8;
  s64 sum = channel_bytes(view.image.format) == 4 ? 0 : 128;
  for (u32 i = 0; i < taps.count; ++i) {
    const u32 value = value_of(view, taps.texel[i], c);
    sum += s64(taps.weight[i]) * (is_signed ? s64(s32(value)) : s64(value));
  }
  return u32(sum >> 8);
}

}  // namespace

Texel filter(const TextureView& view, const Taps& taps) {
  const ImageDescription& image = view.image;
  if (view.sampler.filter == Filter::kPoint && taps.count == 1) return read_texel(view, taps.texel[0]);
  if (image.format <= ChannelFormat::kF16) return filter_floats(view, taps);
  Texel result{};
  if (is_fraction(image.format)) {
    result = filter_fractions(view, taps);
    for (u32 c = 0; c < image.channels; ++c)
      if (is_srgb(view, c)) result.channel[c] = filter_srgb(view, taps, c);
    return result;
  }
  for (u32 c = 0; c < image.channels; ++c) result.channel[c] = filter_integers(view, taps, c);
  return result;
}

}  // namespace ww::devicelib
