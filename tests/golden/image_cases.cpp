// Cases of textures and surfaces. Linear filtering weighs texels with fractions of 8 bits (CUDA C++ programming guide,
// "Linear Filtering"); how these are rounded is devicelib's (devicelib/texture.h), bit for bit.
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
GoldenCase fetch_case(const Sampling& sampling, Filter filter) {
  const bool linear = filter == Filter::kLinear;
  CaseBuilder builder(std::string("texture_") + (linear ? "linear_" : "point_") + sampling.name, "texture_fetch");
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
  const size_t image = builder.image({kWidth, kHeight, 4, ChannelFormat::kF32}, picture());
  const size_t in = builder.input(coordinates);
  const size_t out = builder.output(count * 4, 4);
  return builder
      .launch("texture_fetch", {(count + 63) / 64}, {64}, {texture(image, sampler), at(in), at(out), value(count)})
      .build();
}

GoldenCase texel_case(const char* name, const ImageDescription& description, const std::vector<uint8_t>& bytes) {
  CaseBuilder builder(name, "texture_fetch");
  const size_t image = builder.image(description, bytes);
  const auto width = static_cast<int32_t>(description.width + 4);
  const auto height = static_cast<int32_t>(description.height + 4);
  const size_t out = builder.output(static_cast<size_t>(width) * height * 4, 4);
  SamplerDescription border;
  border.address[0] = border.address[1] = AddressMode::kBorder;
  return builder
      .launch("texture_texels", {3, 2}, {8, 8}, {texture(image, border), at(out), value(width), value(height)})
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
  const auto bytes = [](size_t count) {
    Random random(531);
    std::vector<uint8_t> values(count);
    for (uint8_t& x : values) x = static_cast<uint8_t>(random.u32() >> 24);
    return values;
  };
  all.push_back(texel_case("texture_texels_unorm8", {11, 7, 4, ChannelFormat::kUnorm8}, bytes(11 * 7 * 4)));
  const std::vector<uint16_t> halves = random_halves(11 * 7 * 2, 532);
  std::vector<uint8_t> raw(halves.size() * 2);
  std::memcpy(raw.data(), halves.data(), raw.size());
  all.push_back(texel_case("texture_texels_f16x2", {11, 7, 2, ChannelFormat::kF16}, raw));
  all.push_back(bicubic_case("bicubic_points", Filter::kPoint));
  all.push_back(bicubic_case("bicubic_linear", Filter::kLinear));
  all.push_back(blur_case());
  all.push_back(invert_case());
  return all;
}

}  // namespace ww::golden
