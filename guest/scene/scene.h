// What the scene renderer's kernels share with whoever launches them: requests, and the scene built from each.
//
// Plain data, no guest-only types: host code includes this file too. Metres, seconds, radians, linear light.
// World: x right, y up, z forward. A view is addressed by (u, v) in 0..1, v down.
#pragma once

namespace scene {

struct Vec3 {
  float x, y, z;
};

// Names of the families, in the order of their numbers; the last kHeldOutFamilies are never trained on. The same list
// is in train/scene.py, the families themselves are in family_table.h.
constexpr const char* kFamilyNames[] = {"soup",    "street",  "neon",    "forest",  "warehouse", "corridor",  "ruins",
                                        "village", "raceway", "library", "gallery", "harbour",   "fairground"};
constexpr unsigned kHeldOutFamilies = 3;

constexpr unsigned kMaxObjects = 64;
constexpr unsigned kMaxMaterials = kMaxObjects + 3;  // and ground, walls, ceiling
constexpr unsigned kMaxLights = 4;
constexpr unsigned kMaxParticles = 32;

constexpr float kNear = 0.1f;
constexpr float kFar = 1000.0f;

// What a request may switch.
enum RequestFlag : unsigned {
  kFlagParticles = 1,     // particles, drawn without motion and depth
  kFlagMotionErrors = 2,  // some moving objects write no motion of their own
  kFlagCuts = 4,          // the camera may cut
};

// One image: everything else follows from it.
struct Request {
  unsigned family;
  unsigned seed;
  int frame;
  unsigned flags;
  float window[4];  // left, top, width, height of the image in its view, as fractions; all zero: from the seed
  float jitter[2];  // of the samples, in render pixels
  float aspect;     // width / height of the whole view
  float crop;       // width of the image / width of the view, for a window that follows from the seed
  int frame_step;   // frames since the image before this one
  float crop_y;     // the same for the height
  unsigned reserved[2];
};
static_assert(sizeof(Request) == 64);

// What the launcher has to know of a built scene.
struct Info {
  float exposure;  // factor on linear colour
  float reset;     // 1: a camera cut lies between this frame and the one before
  float fov_y;     // of the whole view
  float reserved;
};

enum Shape : unsigned { kBox, kSphere, kCylinder, kQuad };

struct Object {
  Vec3 center;
  float radius;  // of a sphere around everything
  Vec3 axis[3];  // local axes in world space
  Vec3 half;     // half extents; cylinder: x radius, y half height
  Vec3 center_before;
  Vec3 axis_before[3];
  unsigned shape_alpha;  // shape, alpha pattern << 8
  float alpha_cell;
  float sway;  // sideways shift of a quad's top, now and before
  float sway_before;
};
static_assert(sizeof(Object) == 128);

struct Material {
  Vec3 a, b;   // the pattern's two colours
  float cell;  // size of the pattern's period
  unsigned pattern;
  float roughness;
  float metallic;
  float emission;  // times colour a
  unsigned seed;
  float bump;
  float grain;  // contrast of the fine texture
  float reserved[2];
};
static_assert(sizeof(Material) == 64);

struct Camera {
  Vec3 eye, right, up, forward;
  float tan_x, tan_y;  // of half the field of view
  float reserved[2];
};

struct Light {
  Vec3 position;
  float reach;
  Vec3 color;
  float reserved;
};

struct Particle {
  Vec3 center;
  float radius;
  Vec3 color;
  float opacity;  // below 0: adds light instead of covering
};

enum Enclosure : unsigned { kOpen, kRoom };

struct SceneContents {
  Camera now, before;
  float window[4];
  float jitter[2];
  unsigned enclosure;
  unsigned object_count, light_count, particle_count;
  Vec3 sun_direction, sun_color;
  Vec3 zenith, horizon, bounce;  // sky above, at the horizon, light from below
  Vec3 room_low, room_high;
  float fog;     // extinction per metre
  float clouds;  // cover, 0..1
  float stars;
  float time, time_before;
  float radiance;  // factor on all light, undone by the exposure
  unsigned wall_alpha, ceiling_alpha;
  float wall_cell, ceiling_cell;
  unsigned seed;
  Light lights[kMaxLights];
  Object objects[kMaxObjects];
  Material materials[kMaxMaterials];  // one an object, then ground, walls, ceiling
  Particle particles[kMaxParticles];
};

// Padded to a size that launchers can know.
struct Scene : SceneContents {
  unsigned char tail[16384 - sizeof(SceneContents)];
};
static_assert(sizeof(Scene) == 16384);

}  // namespace scene
