// The plain C++ network against PyTorch: both were written from docs/network.md, on different ground.
#include "golden.h"

#include <algorithm>
#include <cmath>

namespace ww::net {
namespace {

void expect_close(const std::vector<float>& found, const std::vector<float>& expected, float tolerance,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  float scale = 0.0f, worst = 0.0f;
  for (const float v : expected) scale = std::max(scale, std::fabs(v));
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(std::isfinite(found[i])) << what << " element " << i;
    worst = std::max(worst, std::fabs(found[i] - expected[i]));
  }
  EXPECT_LE(worst, tolerance * scale) << what << ", largest value " << scale;
}

TEST(Golden, PlainNetworkGivesWhatPyTorchGave) {
  const Golden golden;
  const Model model = shipped_model();
  reference::State state;
  for (int i = 0; i < Golden::kFrames; ++i) {
    const reference::Inputs in = golden.inputs(i);
    const std::string prefix = std::to_string(i) + ".";
    const reference::Ingested ingested = reference::ingest(in, state);
    const std::vector<reference::Grid> grids = reference::network(model, ingested.features);
    if (i == Golden::kFrames - 1) {
      expect_close(ingested.features.data, golden.grid("last.features").data, 2e-3f, "features");
      for (size_t l = 0; l < model.layers.size(); ++l) {
        if (model.layers[l].kind == LayerKind::kExpand) continue;
        const std::string name = model.layers[l].head ? "head" : model.layers[l].name;
        expect_close(grids[l].data, golden.grid("last." + name).data, 5e-3f, name);
      }
    }
    const reference::Output out = reference::reconstruct(in, ingested, grids.back());
    state = out.state;
    std::vector<float> working, weight;
    for (size_t p = 0; p < state.history.data.size(); ++p)
      (p % 4 == 3 ? weight : working).push_back(state.history.data[p]);
    expect_close(working, golden.grid(prefix + "result").data, 1e-3f, prefix + "result");
    expect_close(weight, golden.grid(prefix + "weight").data, 5e-3f, prefix + "weight");
  }
}

}  // namespace
}  // namespace ww::net
