#include "devicelib/texture_cube.h"

#include "devicelib/texture_place.h"

namespace ww::devicelib {

namespace {

// A face's coordinates to the right and down, and the axis outward, in terms of the cube's axes, and back.
struct Frame {
  u32 axis;
  s32 sign;

  template <class T>
  T right(const T (&v)[3]) const {
    return axis == 1 ? v[0] : (axis == 0) == (sign < 0) ? v[2 - axis] : -v[2 - axis];
  }
  template <class T>
  T down(const T (&v)[3]) const {
    return axis == 1 ? (sign < 0 ? -v[2] : v[2]) : -v[1];
  }
  // The point `right`, `down` and `outward` (to the side of the face) from the centre of the cube.
  void point(s64 right, s64 down, s64 outward, s64 (&v)[3]) const {
    v[axis] = sign * outward;
    if (axis == 1) {
      v[0] = right;
      v[2] = sign * down;
    } else {
      v[2 - axis] = (axis == 0) == (sign < 0) ? right : -right;
      v[1] = -down;
    }
  }
};

Frame frame_of(u32 face) {
  return {face / 2, face % 2 == 0 ? 1 : -1};
}
u32 face_of(const Frame& frame) {
  return frame.axis * 2 + (frame.sign < 0 ? 1 : 0);
}

f32 length_of(f32 v) {
  return v != v ? -1 : __builtin_fabsf(v);
}

// (v + 1) / 2.
s64 part_of_face(f32 v) {
  constexpr s32 kBits = kPlaceBits - 1;
  return fixed_place(v, kBits) + (s64(1) << kBits);
}

}  // namespace

Direction cube_direction(const f32 (&direction)[3]) {
  f32 largest = 0;
  for (const f32 v : direction)
    if (length_of(v) > largest) largest = length_of(v);
  const f32 scale = ww_rcp_approx_ftz_f32(largest);
  return {{direction[0] * scale, direction[1] * scale, direction[2] * scale}};
}

FacePlace face_place(const Direction& direction) {
  const auto& v = direction.axis;
  const f32 x = length_of(v[0]), y = length_of(v[1]), z = length_of(v[2]);
  const u32 axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  const Frame frame{axis, v[axis] < 0 ? -1 : 1};
  return {face_of(frame), {part_of_face(frame.right(v)), part_of_face(frame.down(v))}};
}

FaceTexel across_edge(u32 face, s64 x, s64 y, s64 side) {
  if (x >= 0 && x < side && y >= 0 && y < side) return {face, x, y};
  // In half texels from the face's centre; the neighbour's texel lies as far out as its face, half a texel inward.
  const auto half = [side](s64 i) { return i < 0 ? -side : i >= side ? side : 2 * i + 1 - side; };
  s64 point[3];
  frame_of(face).point(half(x), half(y), side - 1, point);
  for (u32 axis = 0; axis < 3; ++axis) {
    if (point[axis] != side && point[axis] != -side) continue;
    const Frame next{axis, point[axis] < 0 ? -1 : 1};
    return {face_of(next), (next.right(point) + side - 1) / 2, (next.down(point) + side - 1) / 2};
  }
  return {face, x, y};
}

}  // namespace ww::devicelib
