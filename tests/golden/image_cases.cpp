// Cases of textures and surfaces. Linear filtering weighs texels with fractions of 8 bits (CUDA C++ programming guide,
// "Linear Filtering"); how these are rounded is devicelib's (devicelib/texture.h), bit for bit.
#include <cstring>
#include <string>

#include "golden/families.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

constexpr uint32_t kWidth = 13;
constexpr uint32_t kHeight = 9;

std::vector<float> picture() {
  return random_floats(kWidth * kHeight * 4, 501);
}

// A picture of a format, as bytes.
struct Texels {
  const char* name;  // of the format, "" for f32
  ImageDescription description;
  std::vector<uint8_t> bytes;
};

template <typename T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Texels f32_texels() {
  return {"", {kWidth, kHeight, 4, ChannelFormat::kF32}, bytes_of(picture())};
}

// Positive and negative, from 2^-14 to 2^15: neighbours differ by up to 29 binades.
Texels f16_range_texels(uint32_t channels) {
  Random random(541);
  std::vector<uint16_t> values(size_t{kWidth} * kHeight * channels);
  for (uint16_t& x : values) x = static_cast<uint16_t>((random.u32() & 0x83ff) | (1 + random.below(30)) << 10);
  return {channels == 4 ? "_f16" : "_f16x2", {kWidth, kHeight, channels, ChannelFormat::kF16}, bytes_of(values)};
}

// Neighbours differ by up to 60 binades; if `special`, one value in four is infinite, NaN, zero or subnormal.
Texels f32_range_texels(bool special) {
  Random random(543);
  std::vector<uint32_t> values(size_t{kWidth} * kHeight * 4);
  constexpr uint32_t kSpecial[] = {0x7f800000, 0xff800000, 0x7fc00001, 0x80000000, 0x00000123, 0x807fffff, 0x7f7fffff};
  for (uint32_t& x : values) {
    x = (random.u32() & 0x807fffff) | (97 + random.below(60)) << 23;
    if (special && random.below(4) == 0) x = kSpecial[random.below(7)];
  }
  return {special ? "_f32_special" : "_f32_range", {kWidth, kHeight, 4, ChannelFormat::kF32}, bytes_of(values)};
}

Texels f16_special_texels() {
  Random random(544);
  std::vector<uint16_t> values(size_t{kWidth} * kHeight * 4);
  constexpr uint16_t kSpecial[] = {0x7c00, 0xfc00, 0x7e01, 0x8000, 0x0123, 0x83ff, 0x7bff};
  for (uint16_t& x : values) {
    x = static_cast<uint16_t>((random.u32() & 0x83ff) | random.below(31) << 10);
    if (random.below(4) == 0) x = kSpecial[random.below(7)];
  }
  return {"_f16_special", {kWidth, kHeight, 4, ChannelFormat::kF16}, bytes_of(values)};
}

Texels unorm8_texels() {
  Random random(542);
  std::vector<uint8_t> values(size_t{kWidth} * kHeight * 4);
  for (uint8_t& x : values) x = static_cast<uint8_t>(random.u32() >> 24);
  return {"_unorm8", {kWidth, kHeight, 4, ChannelFormat::kUnorm8}, values};
}

struct Sampling {
  const char* name;
  AddressMode mode;
  bool normalized;
};

// Wrap and mirror need normalised coordinates.
constexpr Sampling kSamplings[] = {
    {"clamp", AddressMode::kClamp, false},           {"border", AddressMode::kBorder, false},
    {"wrap_normalized", AddressMode::kWrap, true},   {"mirror_normalized", AddressMode::kMirror, true},
    {"clamp_normalized", AddressMode::kClamp, true},
};

// Fetches at places inside, on edges and centres, and well outside.
GoldenCase fetch_case(const Sampling& sampling, Filter filter, const Texels& texels = f32_texels()) {
  const bool linear = filter == Filter::kLinear;
  CaseBuilder builder(std::string("texture_") + (linear ? "linear_" : "point_") + sampling.name + texels.name,
                      "texture_fetch");
  Random random(511);
  std::vector<float> coordinates;
  const float scale_x = sampling.normalized ? 1.0f : static_cast<float>(kWidth);
  const float scale_y = sampling.normalized ? 1.0f : static_cast<float>(kHeight);
  for (uint32_t i = 0; i < 200; ++i) {
    coordinates.push_back((random.unit() * 3.0f - 1.0f) * scale_x);
    coordinates.push_back((random.unit() * 3.0f - 1.0f) * scale_y);
  }
  for (int i = -4; i < 24 && !sampling.normalized; ++i) {
    coordinates.push_back(static_cast<float>(i) * 0.5f);
    coordinates.push_back(static_cast<float>(i) * 0.25f);
  }
  const auto count = static_cast<uint32_t>(coordinates.size() / 2);
  SamplerDescription sampler;
  sampler.filter = filter;
  sampler.address[0] = sampler.address[1] = sampling.mode;
  sampler.normalized = sampling.normalized;
  const size_t image = builder.image(texels.description, texels.bytes);
  const size_t in = builder.input(coordinates);
  const size_t out = builder.output(count * 4, 4);
  return builder
      .launch("texture_fetch", {(count + 63) / 64}, {64}, {texture(image, sampler), at(in), at(out), value(count)})
      .build();
}

// By integer coordinates, two texels around the picture included.
GoldenCase texel_case(const std::string& name, const ImageDescription& description, const std::vector<uint8_t>& bytes,
                      const Sampling& sampling) {
  CaseBuilder builder(name, "texture_fetch");
  const size_t image = builder.image(description, bytes);
  const auto width = static_cast<int32_t>(description.width + 4);
  const auto height = static_cast<int32_t>(description.height + 4);
  const size_t out = builder.output(static_cast<size_t>(width) * height * 4, 4);
  SamplerDescription sampler;
  sampler.address[0] = sampler.address[1] = sampling.mode;
  sampler.normalized = sampling.normalized;
  return builder
      .launch("texture_texels", {3, 2}, {8, 8}, {texture(image, sampler), at(out), value(width), value(height)})
      .build();
}

GoldenCase bicubic_case(const char* entry, Filter filter) {
  CaseBuilder builder(entry, "texture_fetch");
  const uint32_t width = 25;
  const uint32_t height = 19;
  SamplerDescription sampler;
  sampler.filter = filter;
  const size_t image = builder.image({kWidth, kHeight, 4, ChannelFormat::kF32}, picture());
  const size_t out = builder.output(width * height * 4, 4);
  return builder
      .launch(entry, {4, 3}, {8, 8},
              {texture(image, sampler), at(out), value(width), value(height),
               value(static_cast<float>(kWidth) / static_cast<float>(width)),
               value(static_cast<float>(kHeight) / static_cast<float>(height))})
      .build();
}

GoldenCase blur_case() {
  CaseBuilder builder("surface_blur", "surface_filter");
  const ImageDescription description{kWidth, kHeight, 4, ChannelFormat::kF32};
  const size_t in = builder.image(description, picture());
  const size_t out = builder.image(description, std::vector<float>(kWidth * kHeight * 4, 7.0f), true);
  const size_t outside = builder.in_out(std::vector<uint32_t>{0});
  return builder.launch("surface_blur", {3, 3}, {8, 8}, {surface(in), surface(out), at(outside)}).build();
}

GoldenCase invert_case() {
  CaseBuilder builder("surface_invert", "surface_filter");
  const size_t picture =
      builder.image({kWidth, kHeight, 4, ChannelFormat::kF16}, random_halves(kWidth * kHeight * 4, 521), true);
  return builder.launch("surface_invert", {2, 2}, {8, 8}, {surface(picture), value(kWidth), value(kHeight)}).build();
}

}  // namespace

std::vector<GoldenCase> image_cases() {
  std::vector<GoldenCase> all;
  for (const Sampling& sampling : kSamplings) {
    all.push_back(fetch_case(sampling, Filter::kPoint));
    all.push_back(fetch_case(sampling, Filter::kLinear));
  }
  for (const Texels& texels : {f16_range_texels(4), f16_range_texels(2), f16_special_texels(), f32_range_texels(false),
                               f32_range_texels(true), unorm8_texels()})
    all.push_back(fetch_case(kSamplings[0], Filter::kLinear, texels));
  const auto bytes = [](size_t count) {
    Random random(531);
    std::vector<uint8_t> values(count);
    for (uint8_t& x : values) x = static_cast<uint8_t>(random.u32() >> 24);
    return values;
  };
  const Sampling border = kSamplings[1];
  all.push_back(texel_case("texture_texels_unorm8", {11, 7, 4, ChannelFormat::kUnorm8}, bytes(11 * 7 * 4), border));
  all.push_back(texel_case("texture_texels_f16x2", {11, 7, 2, ChannelFormat::kF16},
                           bytes_of(random_halves(11 * 7 * 2, 532)), border));
  for (const Sampling& sampling : kSamplings)
    all.push_back(texel_case(std::string("texture_texels_") + sampling.name, {7, 5, 4, ChannelFormat::kF32},
                             bytes_of(random_floats(7 * 5 * 4, 533)), sampling));
  all.push_back(bicubic_case("bicubic_points", Filter::kPoint));
  all.push_back(bicubic_case("bicubic_linear", Filter::kLinear));
  all.push_back(blur_case());
  all.push_back(invert_case());
  return all;
}

}  // namespace ww::golden
