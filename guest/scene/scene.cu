// The scene renderer: builds scenes from requests, renders a game's planes of them, and their references.
//
// Everything follows from the request (scene.h): the same PTX gives the same frames on every device. Image n of a batch
// is scene n; planes are dense, row by row: color and reference [n][3][height][width] half, depth [n][height][width]
// and motion [n][2][height][width] float. Launch scene_render and scene_reference in blocks of 16 x 8.
#include "build.h"
#include "view.h"

namespace scene {

constexpr u32 kTileWidth = 16, kTileHeight = 8;

// The part of a view that an image of width x height shows, and one pixel of it.
struct Raster {
  float left, top, step_x, step_y;
};
WW_DEVICE Raster raster_of(const Scene& s, u32 width, u32 height) {
  return {s.window[0], s.window[1], s.window[2] * rcp(float(width)), s.window[3] * rcp(float(height))};
}

// Which objects and particles the block's tile can see: word 0 and 1, and word 2. All threads of the block take part.
WW_DEVICE void cull(const Scene& s, const Raster& raster, u32 (&seen)[3]) {
  const u32 thread = threadIdx.y * kTileWidth + threadIdx.x;
  if (thread < 96) {
    const float x = float(blockIdx.x * kTileWidth), y = float(blockIdx.y * kTileHeight);
    const Cone cone = cone_of(s, raster.left + (x - 1.0f) * raster.step_x, raster.top + (y - 1.0f) * raster.step_y,
                              raster.left + (x + kTileWidth + 1.0f) * raster.step_x,
                              raster.top + (y + kTileHeight + 1.0f) * raster.step_y);
    bool visible = false;
    if (thread < s.object_count) {
      visible = may_meet(cone, s.objects[thread].center, s.objects[thread].radius);
    } else if (thread >= 64 && thread - 64 < s.particle_count) {
      visible = may_meet(cone, s.particles[thread - 64].center, s.particles[thread - 64].radius);
    }
    const u32 mask = __ballot_sync(ww::kFullMask, visible);
    if ((thread & 31) == 0) seen[thread >> 5] = mask;
  }
  __syncthreads();
}

// An output pixel's size at distance 1, for an image of `rows` rows.
WW_DEVICE float pixel_angle(const Scene& s, u32 rows) {
  return 2.0f * s.now.tan_y * s.window[3] * rcp(float(rows));
}

}  // namespace scene

// One thread a request.
WW_KERNEL void __launch_bounds__(32)
    scene_build(const scene::Request* requests, scene::Scene* scenes, scene::Info* infos, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) scene::build_scene(requests[i], scenes[i], infos[i]);
}

// One sample a pixel. inverted: depth as near / z runs, else metres. output_rows: height of the output image, which
// decides how fine textures are.
WW_KERNEL void __launch_bounds__(128, 4)
    scene_render(const scene::Scene* scenes, f16* color, float* depth, float* motion, u32 width, u32 height,
                 u32 output_rows, u32 inverted) {
  using namespace scene;
  __shared__ u32 seen[3];
  const Scene& s = scenes[blockIdx.z];
  const Raster raster = raster_of(s, width, height);
  cull(s, raster, seen);
  const u32 x = blockIdx.x * kTileWidth + threadIdx.x, y = blockIdx.y * kTileHeight + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = raster.left + (float(x) + 0.5f + s.jitter[0]) * raster.step_x;
  const float v = raster.top + (float(y) + 0.5f + s.jitter[1]) * raster.step_y;
  const Sample sample = sample_view<true>(s, u, v, pixel_angle(s, output_rows), {{seen[0], seen[1]}}, seen[2]);
  const u64 plane = u64(width) * height, at = u64(y) * width + x;
  f16* c = color + u64(blockIdx.z) * 3 * plane + at;
  c[0] = f16(sample.color.x);
  c[plane] = f16(sample.color.y);
  c[2 * plane] = f16(sample.color.z);
  const float z = sample.depth;
  depth[u64(blockIdx.z) * plane + at] = inverted ? ww::saturate(kNear / (kFar - kNear) * (kFar / z - 1.0f)) : z;
  float* m = motion + u64(blockIdx.z) * 2 * plane + at;
  m[0] = sample.du / raster.step_x;
  m[plane] = sample.dv / raster.step_y;
}

// The mean of `samples` samples a pixel, spread over the pixel by Kronecker's sequence of the plastic number (R2).
WW_KERNEL void __launch_bounds__(128)
    scene_reference(const scene::Scene* scenes, f16* reference, u32 width, u32 height, u32 samples) {
  using namespace scene;
  __shared__ u32 seen[3];
  const Scene& s = scenes[blockIdx.z];
  const Raster raster = raster_of(s, width, height);
  cull(s, raster, seen);
  const u32 x = blockIdx.x * kTileWidth + threadIdx.x, y = blockIdx.y * kTileHeight + threadIdx.y;
  if (x >= width || y >= height) return;
  const float angle = pixel_angle(s, height);
  // Fixed-point steps: exact, and the same for any number of samples.
  u32 fx = hash(x, y, 0xf1), fy = hash(x, y, 0xf2);
  Vec3 sum{0, 0, 0};
  WW_ROLLED
  for (u32 i = 0; i < samples; ++i) {
    fx += 3242174889u;
    fy += 2447445414u;
    const float u = raster.left + (float(x) + unit(fx)) * raster.step_x;
    const float v = raster.top + (float(y) + unit(fy)) * raster.step_y;
    sum = sum + sample_view<false>(s, u, v, angle, {{seen[0], seen[1]}}, seen[2]).color;
  }
  sum = sum * rcp(float(samples));
  const u64 plane = u64(width) * height;
  f16* c = reference + u64(blockIdx.z) * 3 * plane + u64(y) * width + x;
  c[0] = f16(sum.x);
  c[plane] = f16(sum.y);
  c[2 * plane] = f16(sum.z);
}
