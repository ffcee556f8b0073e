// What the scene renderer promises, checked on its sources compiled for the host: motion vectors and depth lead to the
// same point of the same object in the frame before, culling loses nothing, a scene follows from its request alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "build.h"
#include "view.h"

namespace {

using namespace scene;

constexpr float kAspect = 16.0f / 9.0f;

struct Built {
  std::unique_ptr<Scene> scene = std::make_unique<Scene>();
  Info info{};
};

Built build(unsigned family, unsigned seed, int frame, unsigned flags = 0) {
  Request request{};
  request.family = family;
  request.seed = seed;
  request.frame = frame;
  request.flags = flags;
  request.window[2] = request.window[3] = 1.0f;
  request.aspect = kAspect;
  request.frame_step = 1;
  Built built;
  std::memset(static_cast<void*>(built.scene.get()), 0, sizeof(Scene));
  build_scene(request, *built.scene, built.info);
  return built;
}

class EveryFamily : public testing::TestWithParam<unsigned> {};

TEST_P(EveryFamily, MotionLeadsToTheSamePointInTheFrameBefore) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Built now = build(GetParam(), seed, 31), before = build(GetParam(), seed, 30);
    int seen = 0, same = 0;
    for (int i = 0; i < 400; ++i) {
      const float u = (float(i % 20) + 0.37f) / 20, v = (float(i / 20) + 0.61f) / 20;
      const Ray ray{now.scene->now.eye, view_direction(now.scene->now, u, v)};
      const Hit hit = trace(*now.scene, ray, everything(*now.scene), kNear);
      const Place place = place_before(*now.scene, ray, hit);
      if (place.u < 0 || place.u > 1 || place.v < 0 || place.v > 1) continue;
      ++seen;
      // The frame before, looked at where the motion vector points.
      const Ray old{before.scene->now.eye, view_direction(before.scene->now, place.u, place.v)};
      const Hit old_hit = trace(*before.scene, old, everything(*before.scene), kNear);
      if (old_hit.object != hit.object) continue;  // hidden then, or at an edge
      const Vec3 d = hit.object == kSky ? old.direction - ray.direction : old_hit.local - hit.local;
      same += std::sqrt(dot(d, d)) < 0.005f + 0.002f * std::min(hit.distance, 100.0f);
    }
    ASSERT_GT(seen, 100);
    EXPECT_GT(same, seen * 9 / 10) << kFamilyNames[GetParam()] << " seed " << seed;
  }
}

TEST_P(EveryFamily, DepthGivesBackTheHitPoint) {
  const Built built = build(GetParam(), 5, 10);
  const Scene& s = *built.scene;
  for (int i = 0; i < 100; ++i) {
    const float u = (float(i % 10) + 0.4f) / 10, v = (float(i / 10) + 0.7f) / 10;
    const Sample sample = sample_view<true>(s, u, v, 1e-3f, everything(s), 0);
    const Ray ray{s.now.eye, view_direction(s.now, u, v)};
    const Hit hit = trace(s, ray, everything(s), kNear);
    if (hit.object == kSky) {
      EXPECT_EQ(sample.depth, kFar);
      continue;
    }
    // A pinhole camera's own geometry: x and y over depth are the tangents of the view.
    const float x = (2 * u - 1) * std::tan(std::atan(s.now.tan_y)) * kAspect * sample.depth;
    const float y = (1 - 2 * v) * s.now.tan_y * sample.depth;
    EXPECT_NEAR(std::sqrt(x * x + y * y + sample.depth * sample.depth), hit.distance, 2e-3f * hit.distance);
  }
}

TEST_P(EveryFamily, CullingLosesNothing) {
  const Built built = build(GetParam(), 6, 40, kFlagParticles);
  const Scene& s = *built.scene;
  for (int tile = 0; tile < 60; ++tile) {
    const float u0 = float(tile % 10) / 10, v0 = float(tile / 10) / 6, size_u = 0.1f, size_v = 1.0f / 6;
    const Cone cone = cone_of(s, u0, v0, u0 + size_u, v0 + size_v);
    Candidates candidates{{0, 0}};
    for (u32 i = 0; i < s.object_count; ++i)
      if (may_meet(cone, s.objects[i].center, s.objects[i].radius)) candidates.word[i / 32] |= 1u << (i % 32);
    for (int i = 0; i < 16; ++i) {
      const float u = u0 + size_u * (float(i % 4) + 0.5f) / 4, v = v0 + size_v * (float(i / 4) + 0.5f) / 4;
      const Ray ray{s.now.eye, view_direction(s.now, u, v)};
      const Hit all = trace(s, ray, everything(s), kNear), few = trace(s, ray, candidates, kNear);
      ASSERT_EQ(all.object, few.object);
      ASSERT_EQ(all.distance, few.distance);
    }
  }
}

TEST_P(EveryFamily, SamplesAreFiniteAndVaried) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Built built = build(GetParam(), seed, 20, kFlagParticles | kFlagMotionErrors | kFlagCuts);
    const u32 n = built.scene->particle_count, particles = n >= 32 ? ~0u : (1u << n) - 1;
    float least = 1e9f, most = 0;
    for (int i = 0; i < 300; ++i) {
      const Sample sample = sample_view<true>(*built.scene, (float(i % 20) + 0.5f) / 20, (float(i / 20) + 0.5f) / 15,
                                              1e-3f, everything(*built.scene), particles);
      const float sum = sample.color.x + sample.color.y + sample.color.z;
      ASSERT_TRUE(std::isfinite(sum + sample.depth + sample.du + sample.dv));
      ASSERT_GE(std::min({sample.color.x, sample.color.y, sample.color.z}), 0.0f);
      ASSERT_LT(sum, 3 * 65504.0f);
      least = std::min(least, sum);
      most = std::max(most, sum);
    }
    EXPECT_GT(most, 1.5f * least);
    EXPECT_GT(built.info.exposure, 0.0f);
    EXPECT_GT(built.scene->object_count, 10u);
  }
}

TEST_P(EveryFamily, FollowsFromTheRequestAlone) {
  const Built a = build(GetParam(), 9, 12), b = build(GetParam(), 9, 12), c = build(GetParam(), 10, 12);
  EXPECT_EQ(std::memcmp(a.scene.get(), b.scene.get(), sizeof(Scene)), 0);
  EXPECT_NE(std::memcmp(a.scene.get(), c.scene.get(), sizeof(Scene)), 0);
}

INSTANTIATE_TEST_SUITE_P(Scene, EveryFamily, testing::Range(0u, kFamilyCount),
                         [](const auto& info) { return std::string(kFamilyNames[info.param]); });

TEST(Scene, CutsAreResetsAndOnlyWithTheFlag) {
  int resets = 0;
  for (int frame = 1; frame < 400; ++frame) {
    resets += build(1, 3, frame, kFlagCuts).info.reset != 0.0f;
    EXPECT_EQ(build(1, 3, frame).info.reset, 0.0f);
  }
  EXPECT_GE(resets, 2);  // a shot lasts 40 to 160 frames
  EXPECT_LE(resets, 10);
}

// The trainer keeps its own list: the held-out families must be the same on both sides.
TEST(Scene, TrainerAgreesOnTheFamilies) {
  std::ifstream file(std::string(WARPWAVE_SOURCE_DIR) + "/train/scene.py");
  std::stringstream text;
  text << file.rdbuf();
  std::string names = "(", held_out = "HELD_OUT_FAMILIES = (";
  for (u32 i = 0; i < kFamilyCount; ++i) {
    names += (i ? std::string(", ") : std::string()) + "\"" + kFamilyNames[i] + "\"";
    if (i >= kFamilyCount - kHeldOutFamilies)
      held_out += (i > kFamilyCount - kHeldOutFamilies ? ", " : "") + std::to_string(i);
  }
  std::string flat = text.str();
  for (size_t at; (at = flat.find(",\n            \"")) != std::string::npos;) flat.replace(at, 14, ", ");
  EXPECT_NE(flat.find("FAMILIES = " + names + ")"), std::string::npos);
  EXPECT_NE(flat.find(held_out + ")"), std::string::npos);
}

TEST(Scene, ReciprocalsAreAccurate) {
  for (float x : {1e-6f, 0.3f, 1.0f, 2.7f, 1234.5f, 9e8f}) {
    EXPECT_NEAR(rcp(x) * x, 1.0f, 4e-7f);
    EXPECT_NEAR(rcp(-x) * x, -1.0f, 4e-7f);
    EXPECT_NEAR(rsqrt(x) * std::sqrt(x), 1.0f, 4e-7f);
  }
  for (int i = 0; i < 64; ++i) {
    const float angle = 6.2831853f * (float(i) - 31.5f) / 64;
    EXPECT_NEAR(turns(std::sin(angle), std::cos(angle)), angle / 6.2831853f, 1e-5f);
  }
}

}  // namespace
