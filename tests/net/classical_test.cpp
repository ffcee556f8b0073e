// The classical upscalers on the reference interpreter, against what they must give by their definition
// (docs/classical.md), worked out here in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "device/registry.h"
#include "net/upscaler.h"

namespace ww::net {
namespace {

constexpr Size kRender{12, 8}, kOutput{24, 16};

struct Planes {
  Image color{kRender.width, kRender.height, 3};
  Image depth{kRender.width, kRender.height, 1, 0.01f};
  Image motion{kRender.width, kRender.height, 2};
};

FrameInputs inputs_of(const Planes& planes, float jitter_x, float jitter_y, bool reset) {
  FrameInputs inputs;
  inputs.color = &planes.color;
  inputs.depth = &planes.depth;
  inputs.motion = &planes.motion;
  inputs.jitter_x = jitter_x;
  inputs.jitter_y = jitter_y;
  inputs.reset = reset;
  inputs.render = kRender;
  inputs.output = kOutput;
  return inputs;
}

// A picture given as a function of the place in render pixels, sampled with jitter.
template <typename Picture>
Planes sampled(Picture picture, float jitter_x, float jitter_y) {
  Planes planes;
  for (int y = 0; y < kRender.height; ++y)
    for (int x = 0; x < kRender.width; ++x)
      for (int c = 0; c < 3; ++c)
        planes.color.at(x, y, c) =
            picture(static_cast<float>(x) + 0.5f + jitter_x, static_cast<float>(y) + 0.5f + jitter_y);
  return planes;
}

class Classical : public ::testing::Test {
 protected:
  void SetUp() override {
    auto device = open_device("sim", {});
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    device_ = std::move(*device);
  }
  std::unique_ptr<Upscaler> make(const char* method) {
    auto upscaler = make_upscaler(method, *device_, {});
    EXPECT_TRUE(upscaler.ok()) << upscaler.error().to_string();
    return std::move(*upscaler);
  }
  static Image run(Upscaler& upscaler, const FrameInputs& inputs) {
    auto image = upscaler.upscale(inputs);
    EXPECT_TRUE(image.ok()) << image.error().to_string();
    return image.ok() ? *image : Image();
  }

  std::unique_ptr<Device> device_;
};

TEST_F(Classical, BilinearReproducesARampWithItsJitter) {
  const auto ramp = [](float x, float y) { return 0.25f * x + 0.5f * y; };
  for (const auto& [jx, jy] : {std::pair(0.0f, 0.0f), std::pair(0.25f, -0.375f)}) {
    const Planes planes = sampled(ramp, jx, jy);
    const auto upscaler = make("bilinear");
    const Image image = run(*upscaler, inputs_of(planes, jx, jy, true));
    ASSERT_EQ(image.size(), kOutput);
    // Away from the edges, where the texture is clamped. Filter weights have 8 fraction bits.
    for (int y = 2; y < kOutput.height - 2; ++y)
      for (int x = 2; x < kOutput.width - 2; ++x)
        EXPECT_NEAR(image.at(x, y, 0), ramp((static_cast<float>(x) + 0.5f) / 2, (static_cast<float>(y) + 0.5f) / 2),
                    0.75f / 512 + 1e-3f)
            << x << "," << y;
  }
}

double lanczos2(double x) {
  if (std::abs(x) < 1e-9) return 1.0;
  if (std::abs(x) >= 2.0) return 0.0;
  const double t = M_PI * x;
  return std::sin(t) / t * std::sin(t / 2) / (t / 2);
}

TEST_F(Classical, LanczosFollowsItsDefinition) {
  const auto picture = [](float x, float y) { return 1.0f + std::sin(1.7f * x) * std::cos(1.1f * y); };
  constexpr float kJitterX = 0.125f, kJitterY = -0.25f;
  const Planes planes = sampled(picture, kJitterX, kJitterY);
  const auto upscaler = make("lanczos");
  const Image image = run(*upscaler, inputs_of(planes, kJitterX, kJitterY, true));
  const auto compressed = [&](int x, int y) {
    const double c = planes.color.at(std::clamp(x, 0, kRender.width - 1), std::clamp(y, 0, kRender.height - 1), 0);
    return c / (1.0 + c);
  };
  for (int y = 0; y < kOutput.height; ++y)
    for (int x = 0; x < kOutput.width; ++x) {
      const double px = (x + 0.5) / 2 - kJitterX - 0.5, py = (y + 0.5) / 2 - kJitterY - 0.5;
      const int left = static_cast<int>(std::floor(px)), top = static_cast<int>(std::floor(py));
      double sum = 0, weights = 0, least = 1, most = 0;
      for (int j = -1; j <= 2; ++j)
        for (int i = -1; i <= 2; ++i) {
          const double w = lanczos2(px - left - i) * lanczos2(py - top - j), c = compressed(left + i, top + j);
          sum += w * c;
          weights += w;
          if (i == 0 || i == 1)
            if (j == 0 || j == 1) least = std::min(least, c), most = std::max(most, c);
        }
      const double c = std::clamp(sum / weights, least, most);
      EXPECT_NEAR(image.at(x, y, 0), c / (1.0 - c), 2e-3) << x << "," << y;  // colour goes up as half
    }
}

TEST_F(Classical, AConstantStaysWhatItIs) {
  const Planes planes = sampled([](float, float) { return 0.75f; }, 0.0f, 0.0f);
  for (const char* method : {"bilinear", "lanczos", "taau"}) {
    const auto upscaler = make(method);
    for (int frame = 0; frame < 3; ++frame) {
      const Image image = run(*upscaler, inputs_of(planes, 0.1f, -0.2f, frame == 0));
      for (const float value : image.data) ASSERT_NEAR(value, 0.75f, 2e-6f) << method << " frame " << frame;
    }
  }
}

double error_of(const Image& image, float (*picture)(float, float)) {
  double sum = 0.0;
  for (int y = 0; y < kOutput.height; ++y)
    for (int x = 0; x < kOutput.width; ++x) {
      const double difference =
          image.at(x, y, 0) - picture((static_cast<float>(x) + 0.5f) / 2, (static_cast<float>(y) + 0.5f) / 2);
      sum += difference * difference;
    }
  return sum;
}

TEST_F(Classical, TaauGathersJitteredSamplesOfAStillPicture) {
  // Detail just above what render size can hold.
  constexpr auto picture = [](float x, float y) {
    return 0.5f + 0.2f * std::sin(3.6f * x) * std::sin(3.4f * y + 0.5f);
  };
  const auto taau = make("taau"), bilinear = make("bilinear");
  double first = 0.0, last = 0.0, single = 0.0;
  for (int frame = 0; frame < 16; ++frame) {
    // The sixteen centres of a 4x4 grid, in an order that jumps.
    const int k = frame * 7 % 16;
    const float jx = (static_cast<float>(k % 4) - 1.5f) / 4, jy = (static_cast<float>(k / 4) - 1.5f) / 4;
    const Planes planes = sampled(picture, jx, jy);
    last = error_of(run(*taau, inputs_of(planes, jx, jy, frame == 0)), picture);
    if (frame == 0) first = last;
    single += error_of(run(*bilinear, inputs_of(planes, jx, jy, true)), picture) / 16;
  }
  // What remains is the blur of the kernel by which samples are weighed.
  EXPECT_LT(last, first / 2);
  EXPECT_LT(last, single / 2) << "3 dB better than single frames";
}

TEST_F(Classical, TaauForgetsAtAResetAndAtAnotherSize) {
  const Planes bright = sampled([](float x, float) { return 0.5f + 0.03f * x; }, 0.0f, 0.0f);
  const Planes dark = sampled([](float, float y) { return 0.1f + 0.01f * y; }, 0.0f, 0.0f);
  const auto used = make("taau"), fresh = make("taau");
  for (int frame = 0; frame < 3; ++frame) (void)run(*used, inputs_of(bright, 0.0f, 0.0f, frame == 0));
  const Image expected = run(*fresh, inputs_of(dark, 0.0f, 0.0f, true));
  EXPECT_EQ(run(*used, inputs_of(dark, 0.0f, 0.0f, true)).data, expected.data);

  FrameInputs larger = inputs_of(bright, 0.0f, 0.0f, false);
  larger.output = {36, 24};
  EXPECT_EQ(run(*used, larger).size(), larger.output);
  EXPECT_EQ(run(*used, inputs_of(dark, 0.0f, 0.0f, false)).data, expected.data) << "another size acts as a reset";
}

TEST_F(Classical, TaauFollowsMotion) {
  // A picture that moves 3 render pixels a frame: history must come from there.
  const auto at = [](int frame) {
    return [frame](float x, float y) {
      const float u = x - 3.0f * static_cast<float>(frame);
      return 0.5f + 0.2f * std::sin(1.9f * u) * std::sin(1.7f * y + 0.5f);
    };
  };
  const auto right = make("taau"), wrong = make("taau");
  double right_error = 0.0, wrong_error = 0.0;
  for (int frame = 0; frame < 6; ++frame) {
    const float jx = frame % 2 == 0 ? 0.25f : -0.25f, jy = frame % 3 == 0 ? 0.25f : -0.25f;
    Planes planes = sampled(at(frame), jx, jy);
    const auto error = [&](const Image& image) {
      double sum = 0.0;
      for (int y = 4; y < 12; ++y)
        for (int x = 8; x < 20; ++x) {
          const double d =
              image.at(x, y, 0) - at(frame)((static_cast<float>(x) + 0.5f) / 2, (static_cast<float>(y) + 0.5f) / 2);
          sum += d * d;
        }
      return sum;
    };
    for (int i = 0; i < kRender.width * kRender.height; ++i) planes.motion.data[2 * static_cast<size_t>(i)] = -3.0f;
    right_error = error(run(*right, inputs_of(planes, jx, jy, frame == 0)));
    for (float& value : planes.motion.data) value = -value;
    wrong_error = error(run(*wrong, inputs_of(planes, jx, jy, frame == 0)));
  }
  EXPECT_LT(right_error, wrong_error / 2);
}

TEST_F(Classical, UnknownMethodsAreNamed) {
  const auto upscaler = make_upscaler("nearest", *device_, {});
  ASSERT_FALSE(upscaler.ok());
  EXPECT_EQ(upscaler.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(upscaler.error().expected, "one of network, bilinear, lanczos, taau");
}

}  // namespace
}  // namespace ww::net
