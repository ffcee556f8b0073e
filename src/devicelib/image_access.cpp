#include "devicelib/image_access.h"

namespace ww::devicelib {

namespace {

f32 float_of(u32 bits) {
  return __builtin_bit_cast(f32, bits);
}

template <class T>
T combine(Reduction reduction, T old, T operand) {
  switch (reduction) {
    case Reduction::kAdd:
      return T(u64(old) + u64(operand));
    case Reduction::kMin:
      return operand < old ? operand : old;
    case Reduction::kMax:
      return operand > old ? operand : old;
    case Reduction::kAnd:
      return T(old & operand);
    case Reduction::kOr:
      return T(old | operand);
  }
  return old;
}

}  // namespace

bool fetch_fits(const FetchCode& code, const ImageDescription& image) {
  return is_float_format(image.format) == (code.result != FetchResult::kIntegers);
}

Texel fetch_words(const TextureView& view, const FetchCode& code, const u32 (&words)[kFetchWords]) {
  if (words[kWordSample] != 0) return {};
  const bool has_gradient = code.level == FetchLevel::kGradient;
  if (view.image.shape == ImageShape::k1D &&
      (code.own_sampler || code.kind == FetchKind::kTexel || (has_gradient && code.compares)))
    return {};
  const bool as_floats = code.kind == FetchKind::kTexel && code.own_sampler && code.level == FetchLevel::kZero;
  Fetch fetch;
  fetch.kind = as_floats || has_gradient ? FetchKind::kSample : code.kind;
  fetch.level = code.level;
  fetch.channel = code.channel;
  fetch.gradient_of_places = code.compares;
  fetch.layer = words[kWordLayer];
  fetch.lod = float_of(words[kWordLod]);
  fetch.texel_level = s32(words[kWordLod]);
  for (u32 axis = 0; axis < 3; ++axis) {
    fetch.at[axis] = as_floats ? f32(s32(words[kWordAt + axis])) : float_of(words[kWordAt + axis]);
    fetch.texel[axis] = s32(words[kWordAt + axis]);
    fetch.dx[axis] = float_of(words[kWordDx + axis]);
    fetch.dy[axis] = float_of(words[kWordDy + axis]);
    fetch.offset[axis] = s32(words[kWordOffset + axis]);
  }
  Texel texel = texture_fetch(view, fetch);
  if (code.result == FetchResult::kFloats || code.result == FetchResult::kIntegers) return texel;
  for (u32& channel : texel.channel) channel = texel_as_f16(channel);
  if (code.result == FetchResult::kHalves) return texel;
  return {{texel.channel[0] | texel.channel[1] << 16, texel.channel[2] | texel.channel[3] << 16}};
}

u64 reduced(const ReductionCode& code, const ImageDescription& image, u32 bits, u64 old, u64 operand) {
  const bool is_signed = code.by_texels ? image.format == ChannelFormat::kS32 : code.is_signed;
  if (bits == 64)
    return is_signed ? u64(combine(code.reduction, s64(old), s64(operand))) : combine(code.reduction, old, operand);
  return is_signed ? u32(combine(code.reduction, s32(old), s32(operand)))
                   : combine(code.reduction, u32(old), u32(operand));
}

}  // namespace ww::devicelib
