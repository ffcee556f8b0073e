// Where a direction meets a cube, and how its faces hang together. Private to the texture functions of devicelib.
//
// Faces: 0 .. 5 are +x, -x, +y, -y, +z, -z. (CUDA C++ Programming Guide, "Cubemap Textures"; the rounding was found in
// what an H200 answered.)
#pragma once

#include "devicelib/devicelib.h"

namespace ww::devicelib {

// The face that a direction meets, and where: from left to right and from top to bottom, in parts of the face
// (devicelib/texture_place.h).
struct FacePlace {
  u32 face;
  s64 at[2];
};

// A direction divided by the largest of its coordinates.
struct Direction {
  f32 axis[3];
};
Direction cube_direction(const f32 (&direction)[3]);

// Of two axes of the same length the later is taken; NaN is shorter than zero, and counts as 0 in a place.
FacePlace face_place(const Direction& direction);

struct FaceTexel {
  u32 face;
  s64 x, y;
};

// A texel that may lie one step beyond one edge of a face of `side` x `side` texels: there, the neighbour's nearest.
FaceTexel across_edge(u32 face, s64 x, s64 y, s64 side);

}  // namespace ww::devicelib
