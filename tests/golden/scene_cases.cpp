// Cases of the scene renderer: a small image and a small reference of every family, two frames each. Nothing in it is
// approximate, so every bit must agree.
#include <string>

#include "golden/families.h"
#include "guest/scene/scene.h"

namespace ww::golden {

std::vector<GoldenCase> scene_cases() {
  constexpr uint32_t kImages = 2, kWidth = 23, kHeight = 15, kOutputWidth = 16, kOutputHeight = 9, kSamples = 4;
  constexpr uint32_t kPixels = kImages * kWidth * kHeight, kOutputPixels = kImages * kOutputWidth * kOutputHeight;
  std::vector<GoldenCase> all;
  uint32_t family = 0;
  for (const char* name : scene::kFamilyNames) {
    std::vector<scene::Request> requests(kImages);
    for (uint32_t i = 0; i < kImages; ++i) {
      scene::Request& request = requests[i];
      request = {};
      request.family = family;
      request.seed = 40 + i;
      request.frame = static_cast<int>(17 + 60 * i);
      request.flags = scene::kFlagParticles | scene::kFlagMotionErrors | scene::kFlagCuts;
      request.jitter[0] = 0.125f;
      request.jitter[1] = -0.25f;
      request.aspect = 16.0f / 9.0f;
      request.crop = request.crop_y = i == 0 ? 1.0f : 0.25f;  // a whole view, and a window of one
      request.frame_step = 1;
    }
    CaseBuilder builder(std::string("scene_") + name, "scene");
    builder.family("scene");
    const size_t in = builder.input(requests), scenes = builder.scratch(kImages * sizeof(scene::Scene));
    const size_t infos = builder.output(kImages, sizeof(scene::Info));
    const size_t color = builder.output(kPixels * 3, 2), depth = builder.output(kPixels, 4);
    const size_t motion = builder.output(kPixels * 2, 4), reference = builder.output(kOutputPixels * 3, 2);
    builder.launch("scene_build", {1}, {32}, {at(in), at(scenes), at(infos), value(kImages)});
    builder.launch(
        "scene_render", {2, 2, kImages}, {16, 8},
        {at(scenes), at(color), at(depth), at(motion), value(kWidth), value(kHeight), value(2 * kHeight), value(1u)});
    builder.launch("scene_reference", {1, 2, kImages}, {16, 8},
                   {at(scenes), at(reference), value(kOutputWidth), value(kOutputHeight), value(kSamples)});
    all.push_back(builder.build());
    ++family;
  }
  return all;
}

}  // namespace ww::golden
