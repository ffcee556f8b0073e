// The families of scenes, as tables: what stands where, in which finish, under which light.
//
// build.h reads these. A rule places a group of objects; a rule with `attach` places one object on each object of the
// rule that many lines above. Numbers of families are part of train/scene.py and of docs/scene.md.
#pragma once
#include "cutouts.h"
#include "patterns.h"

namespace scene {

constexpr u8 kAny = 255;

// Ranges of colour: hue, saturation, value.
enum Palette : u8 {
  kGrey,
  kDark,
  kWhite,
  kVivid,
  kEarth,
  kBrickRed,
  kGreen,
  kSandy,
  kSteel,
  kGold,
  kBlue,
  kSnow,
  kAutumn,
  kGlass,
  kPlaster,
  kDeep,
  kNeon,
  kPaletteCount
};
struct PaletteRange {
  float hue_low, hue_high, saturation_low, saturation_high, value_low, value_high;
};
__constant__ const PaletteRange kPalettes[kPaletteCount] = {
    {0.0f, 1.0f, 0.0f, 0.08f, 0.15f, 0.5f},     // grey
    {0.0f, 1.0f, 0.0f, 0.3f, 0.02f, 0.08f},     // dark
    {0.08f, 0.15f, 0.0f, 0.06f, 0.65f, 0.85f},  // white
    {0.0f, 1.0f, 0.6f, 0.95f, 0.25f, 0.8f},     // vivid
    {0.05f, 0.1f, 0.4f, 0.7f, 0.08f, 0.3f},     // earth
    {0.0f, 0.05f, 0.5f, 0.75f, 0.2f, 0.4f},     // brick red
    {0.22f, 0.34f, 0.5f, 0.85f, 0.06f, 0.3f},   // green
    {0.08f, 0.13f, 0.25f, 0.5f, 0.35f, 0.6f},   // sandy
    {0.55f, 0.65f, 0.02f, 0.12f, 0.35f, 0.6f},  // steel
    {0.1f, 0.13f, 0.5f, 0.7f, 0.5f, 0.8f},      // gold
    {0.52f, 0.65f, 0.4f, 0.8f, 0.1f, 0.5f},     // blue
    {0.55f, 0.6f, 0.0f, 0.07f, 0.75f, 0.9f},    // snow
    {0.02f, 0.13f, 0.6f, 0.9f, 0.15f, 0.5f},    // autumn
    {0.5f, 0.62f, 0.2f, 0.5f, 0.02f, 0.12f},    // glass
    {0.06f, 0.14f, 0.1f, 0.35f, 0.45f, 0.75f},  // plaster
    {0.0f, 1.0f, 0.4f, 0.6f, 0.2f, 0.4f},       // deep
    {0.0f, 1.0f, 0.8f, 0.95f, 0.8f, 1.0f},      // neon
};

enum Gloss : u8 { kMatte, kSatin, kPolished, kMetal, kMirror, kGlossCount };
struct GlossRange {
  float roughness_low, roughness_high, metallic, grain;
};
__constant__ const GlossRange kGlosses[kGlossCount] = {
    {0.75f, 1.0f, 0.0f, 0.5f}, {0.35f, 0.6f, 0.0f, 0.3f},  {0.04f, 0.2f, 0.0f, 0.15f},
    {0.22f, 0.5f, 0.9f, 0.3f}, {0.02f, 0.1f, 1.0f, 0.05f},
};

// How a coordinate of the i-th of n objects is chosen between low and high.
enum Spread : u8 {
  kRandomly,     // anywhere
  kEvenly,       // from low to high, one after the other
  kAlternating,  // low, high, low, high
  kPairwise,     // evenly, two at a time: with kAlternating, two rows
};
constexpr u8 spread(u8 x, u8 y, u8 z) {
  return u8(x | (y << 2) | (z << 4));
}

enum Motion : u8 {
  kStill,
  kSpin,    // about the vertical
  kTumble,  // about any axis
  kWheel,   // about its own z
  kSlideX,  // along x, around a loop of 60 m
  kSlideZ,  // along z, the same
  kSwing,   // to and fro about its own z
  kBob,     // up and down and sideways
  kOrbit,   // around its place, 3 m away
  kSway,    // the top of a quad moves in the wind
  kMotionCount
};

enum Turn : u8 {
  kStraight,  // faces -z
  kAnyYaw,
  kQuarter,   // a random multiple of 90 degrees
  kInward,    // faces the plane x = 0
  kLying,     // a cylinder along z
  kAcross,    // a cylinder along x
  kTilted,    // any direction
  kFlatTurn,  // a quad like a table top
};

struct Rule {
  u8 shape, pattern, palette_a, palette_b, gloss, cutout, motion, turn;
  u8 count_low, count_high, spread, attach;
  // Place of the bottom's centre, metres. Attached: low is a multiple of the other object's half extents and high is
  // added to it, from centre to centre.
  float low[3], high[3];
  float half_low[3], half_high[3];  // y or z of 0: as x
  float cell, cutout_cell, speed, glow;
};

struct Finish {
  u8 pattern, palette_a, palette_b, gloss;
  float cell;
};

enum ParticleKind : u8 { kNoParticles, kSnowfall, kMotes, kSparks, kDrifting, kRain };

struct Family {
  u8 first, count;  // rules
  u8 enclosure, particles;
  Finish ground, wall, ceiling;
  u8 wall_cutout, ceiling_cutout;
  float wall_cutout_cell, ceiling_cutout_cell;
  float room_low[3], room_high[3];
  float eye_low[3], eye_high[3];
  float yaw, pitch_low, pitch_high;  // yaw: either side of straight on
  float speed;                       // of the camera, m/s
  float sun_low, sun_high;           // elevation; strength 0: no sun
  float sun_strength, ambient;
  float zenith[3], horizon[3], bounce[3];
  float fog, clouds, stars;
  u8 lamps, lamp_palette;
  float lamp_strength, lamp_height;
};

}  // namespace scene
