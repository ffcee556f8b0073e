// The kernels, on the reference interpreter, against the plain C++ network: each layer from the very tokens that the
// device stored for its source, so that an error shows in the layer that makes it.
#include "net/network.h"

#include <algorithm>
#include <cmath>

#include "base/float_formats.h"
#include "device/registry.h"
#include "golden.h"

namespace ww::net {
namespace {

using reference::Grid;

Grid grid_of(const std::vector<uint16_t>& halves, int width, int height) {
  Grid grid(width, height, static_cast<int>(halves.size()) / (width * height));
  EXPECT_EQ(grid.data.size(), halves.size());
  for (size_t i = 0; i < halves.size(); ++i) grid.data[i] = f16_to_f32(halves[i]);
  return grid;
}

// Largest difference as a share of the largest expected magnitude.
float difference(const std::vector<float>& found, const std::vector<float>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  float scale = 0.0f, worst = 0.0f;
  for (size_t i = 0; i < expected.size(); ++i) {
    scale = std::max(scale, std::fabs(expected[i]));
    if (!std::isfinite(found[i])) return INFINITY;
    worst = std::max(worst, std::fabs(found[i] - expected[i]));
  }
  return worst / scale;
}

class NetworkOnSim : public testing::Test {
 protected:
  void SetUp() override {
    auto device = open_device("sim", {});
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    device_ = std::move(*device);
    auto network = Network::create(*device_, shipped_model());
    ASSERT_TRUE(network.ok()) << network.error().to_string();
    network_ = std::move(*network);
  }
  Image upscale(const reference::Inputs& in) {
    auto image = network_->upscale(borrow(in));
    EXPECT_TRUE(image.ok()) << (image.ok() ? "" : image.error().to_string());
    return image.ok() ? std::move(*image) : Image();
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Network> network_;
  Golden golden_;
};

TEST_F(NetworkOnSim, FramesAndLayersAreThoseOfThePlainNetwork) {
  const Model& model = network_->model();
  reference::State state;
  for (int i = 0; i < Golden::kFrames; ++i) {
    const reference::Inputs in = golden_.inputs(i);
    const Image found = upscale(in);
    const reference::Ingested ingested = reference::ingest(in, state);
    const reference::Output expected =
        reference::reconstruct(in, ingested, reference::network(model, ingested.features).back());
    state = expected.state;
    // Working domain: what is linear at 2000 times exposure may differ by whole units.
    const auto working = [&](const Image& image) {
      std::vector<float> t;
      for (size_t p = 0; p < image.data.size(); p += 3) {
        const float* c = image.data.data() + p;
        const float peak = std::max({c[0], c[1], c[2]}) * in.exposure;
        for (int k = 0; k < 3; ++k) t.push_back(c[k] * in.exposure / (1.0f + peak));
      }
      return t;
    };
    EXPECT_LE(difference(working(found), working(expected.color)), 4e-3f) << "frame " << i;
  }

  const Size tokens{(Golden::kOutput.width + 1) / 2, (Golden::kOutput.height + 1) / 2};
  auto features = network_->features();
  ASSERT_TRUE(features.ok()) << features.error().to_string();
  std::vector<Grid> grids;
  for (size_t l = 0; l < model.layers.size(); ++l) {
    const ModelLayer& layer = model.layers[l];
    Size own = tokens;
    for (int level = 0; level < layer.level; ++level) own = {(own.width + 1) / 2, (own.height + 1) / 2};
    auto stored = network_->tokens(l);
    ASSERT_TRUE(stored.ok()) << stored.error().to_string();
    grids.push_back(grid_of(*stored, own.width, own.height));
    const auto at = [](int index) { return static_cast<size_t>(index); };
    const Grid source = layer.input < 0 ? grid_of(*features, tokens.width, tokens.height) : grids[at(layer.input)];
    const Grid expected =
        reference::layer(model, layer, source, layer.skip < 0 ? nullptr : &grids[at(layer.skip)], own);
    EXPECT_LE(difference(grids.back().data, expected.data), 3e-3f) << layer.name;
  }
}

TEST_F(NetworkOnSim, ResetForgetsAndOtherSizesInTurnsChangeNothing) {
  const reference::Inputs first = golden_.inputs(0), second = golden_.inputs(1);
  const Image alone = upscale(first);
  const Image with_history = upscale(second);
  network_->reset();
  EXPECT_EQ(upscale(first).data, alone.data);
  EXPECT_EQ(upscale(second).data, with_history.data);

  reference::Inputs tiny;  // 3x1 to 5x2: grids of one token, windows that are nearly all mirror
  tiny.color = Image(3, 1, 3, 0.5f);
  tiny.depth = Image(3, 1, 1, 0.1f);
  tiny.motion = Image(3, 1, 2, 0.0f);
  tiny.output = {5, 2};
  const Image small = upscale(tiny);
  for (const float v : small.data) ASSERT_TRUE(std::isfinite(v));
  EXPECT_EQ(upscale(first).data, alone.data);
}

}  // namespace
}  // namespace ww::net
