#include "devicelib/texture_gradient.h"

#include "devicelib/texture_cube.h"

namespace ww::devicelib {

namespace {

constexpr s64 kNoLevel = -(s64(1) << 20), kBeyondLevels = s64(1) << 20;
constexpr u32 kAxes = 3;

// value * 2^exponent, with ten bits of |value|, or 0.
struct Short {
  s32 value = 0;
  s32 exponent = 0;
};

s32 magnitude(const Short& a) {
  return a.value < 0 ? -a.value : a.value;
}
bool is_less(const Short& a, const Short& b) {
  if (a.value == 0 || b.value == 0) return magnitude(a) < magnitude(b);
  return a.exponent != b.exponent ? a.exponent < b.exponent : magnitude(a) < magnitude(b);
}

// Cut to ten bits.
Short cut(s32 value, s32 exponent) {
  if (value == 0) return {};
  const u32 bits = 32 - u32(__builtin_clz(u32(value < 0 ? -value : value)));
  const s32 shift = s32(bits) - 10;
  const s32 size = value < 0 ? -value : value;
  const s32 kept = shift < 0 ? size << -shift : size >> shift;
  return {value < 0 ? -kept : kept, exponent + shift};
}

Short cut(f64 v) {
  const u64 bits = __builtin_bit_cast(u64, v);
  const auto exponent = s32(bits >> 52 & 0x7ff);
  if (v != v || exponent == 0) return {};
  const auto value = s32(512 | (bits >> 43 & 511));
  return {v < 0 ? -value : value, exponent - 1023 - 9};
}

// From a part of the image to texels of its side: the product's addends are cut to an eighth of the last bit, and their
// sum is rounded up.
Short in_texels(const Short& part, u32 side) {
  const s32 top = 31 - __builtin_clz(side);
  s32 eighths = 7;
  for (s32 bit = 0; bit <= top; ++bit)
    if ((side >> bit & 1) != 0) eighths += magnitude(part) << 3 >> (top - bit);
  const s32 size = part.value == 0 ? 0 : eighths >> 3;
  return cut(part.value < 0 ? -size : size, part.exponent + top);
}

// |a| * factor / 2^shift in units of 2^unit of a's last bit, rounded to the nearest before it is cut.
struct Factor {
  s32 factor, shift, unit;
};
Short times(const Short& a, const Factor& f) {
  return cut((magnitude(a) * f.factor + (f.shift == 0 ? 0 : 1 << (f.shift - 1))) >> f.shift, a.exponent + f.unit);
}
// Of the largest, the next and the smallest part of a gradient; and of a sum or difference of two.
constexpr Factor kOfGradient[kAxes] = {{1, 0, 0}, {11, 3, -2}, {1, 0, -2}};      // 1, 11/32, 1/4
constexpr Factor kOfDiagonal[kAxes] = {{11, 3, -1}, {121, 6, -3}, {11, 3, -3}};  // 11/16 of these

Short add(const Short& a, const Short& b, s32 sign) {
  if (a.value == 0) return {sign * b.value, b.exponent};
  if (b.value == 0) return a;
  const s32 exponent = (a.exponent > b.exponent ? a.exponent : b.exponent) - 1;
  const auto aligned = [exponent](const Short& v) {
    const s32 shift = exponent + 1 - v.exponent, size = shift > 31 ? 0 : magnitude(v) * 2 >> shift;
    return v.value < 0 ? -size : size;
  };
  return cut(aligned(a) + sign * aligned(b), exponent);
}

struct Gradient {
  Short part[kAxes];
};

f64 value_of(const Short& a) {
  return a.value == 0 ? 0 : f64(a.value) * __builtin_bit_cast(f64, u64(a.exponent + 1023) << 52);
}

f64 length_of(const Gradient& gradient, const Factor (&factors)[kAxes]) {
  Short sorted[kAxes] = {gradient.part[0], gradient.part[1], gradient.part[2]};
  const auto order = [&](u32 i, u32 j) {
    if (!is_less(sorted[i], sorted[j])) return;
    const Short larger = sorted[j];
    sorted[j] = sorted[i];
    sorted[i] = larger;
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  f64 length = 0;
  for (u32 i = 0; i < kAxes; ++i) length += value_of(times(sorted[i], factors[i]));
  return length;
}

// 256 log2(1 + (i + 1/2) / 256), nearly.
constexpr u8 kLogarithm[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,  27,  28,  30,
    31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,  52,  53,  54,  55,  57,  58,
    59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,  75,  76,  77,  78,  79,  81,  82,  83,  84,
    85,  86,  88,  89,  90,  91,  92,  93,  94,  95,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109,
    110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
    132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153,
    154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173,
    174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193,
    194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211,
    212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229,
    229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245,
    246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255,
};

f32 place(f32 v) {
  return v != v ? 0 : v;
}

// Of a coordinate of a 3D image, or of a place on a face.
bool is_beyond_levels(f32 v) {
  return __builtin_fabsf(v) >= 0x1p97f;
}

s64 level_of_length(f64 length) {
  if (!(length > 0)) return kNoLevel;
  const u64 bits = __builtin_bit_cast(u64, length);
  return (s64(bits >> 52) - 1023) * 256 + kLogarithm[bits >> 44 & 0xff];
}

s64 level_of(const Gradient (&gradients)[2], bool with_diagonals) {
  f64 longest = 0;
  const auto count = [&](f64 length) { longest = length > longest ? length : longest; };
  for (const Gradient& gradient : gradients) count(length_of(gradient, kOfGradient));
  for (s32 sign = -1; with_diagonals && sign <= 1; sign += 2) {
    Gradient diagonal;
    for (u32 axis = 0; axis < kAxes; ++axis)
      diagonal.part[axis] = add(gradients[0].part[axis], gradients[1].part[axis], sign);
    count(length_of(diagonal, kOfDiagonal));
  }
  return level_of_length(longest);
}

// Of cubes.
s64 level_between_faces(const Fetch& fetch, u32 side) {
  Direction at[3];
  u32 face[3];
  for (u32 i = 0; i < 3; ++i) {
    f32 direction[kAxes];
    for (u32 axis = 0; axis < kAxes; ++axis)
      direction[axis] = i == 0 ? fetch.at[axis] : fetch.at[axis] + (i == 1 ? fetch.dx : fetch.dy)[axis];
    at[i] = cube_direction(direction);
    face[i] = face_place(at[i]).face;
    // Of directions that are subnormal in more than one axis.
    for (u32 axis = 0; axis < kAxes; ++axis)
      if (axis != face[i] / 2 && is_beyond_levels(at[i].axis[axis])) return kBeyondLevels;
  }
  const u32 outward = face[0] / 2;
  const auto side_of = [&face](u32 i) { return face[i] % 2 == 0 ? 1.0f : -1.0f; };
  Gradient gradients[2];
  for (u32 i = 1; i < 3; ++i) {
    if (face[i] == (face[0] ^ 1)) return kBeyondLevels;
    for (u32 axis = 0; axis < kAxes; ++axis) {
      // A face is two units wide.
      const auto texels = [side](f32 way) { return in_texels(cut(f64(way) / 2), side); };
      Short& part = gradients[i - 1].part[axis];
      if (axis == outward) continue;
      if (face[i] == face[0] || face[i] / 2 != axis) {
        part = texels(place(at[i].axis[axis]) - place(at[0].axis[axis]));
        continue;
      }
      const Short to_edge = texels(side_of(i) - place(at[0].axis[axis]));
      const Short behind_edge = texels(side_of(i) - side_of(i) * side_of(0) * place(at[i].axis[outward]));
      part = add(to_edge, behind_edge, 1);
    }
  }
  return level_of(gradients, face[1] == face[0] && face[2] == face[0]);
}

}  // namespace

s64 gradient_level(const TextureView& view, const Fetch& fetch) {
  const ImageDescription& image = view.image;
  const bool is_3d = image.shape == ImageShape::k3D, of_places = is_3d || fetch.gradient_of_places;
  if (is_cube(image.shape)) return level_between_faces(fetch, image.width);
  const u32 sides[kAxes] = {image.width, image.height, image.depth};
  Gradient gradients[2];
  for (u32 axis = 0; axis < (is_3d ? 3u : is_1d(image.shape) ? 1u : 2u); ++axis)
    for (u32 i = 0; i < 2; ++i) {
      const f32 given = (i == 0 ? fetch.dx : fetch.dy)[axis], at = fetch.at[axis];
      if (is_3d && is_beyond_levels(at)) return kBeyondLevels;
      gradients[i].part[axis] = in_texels(cut(f64(of_places ? place(at + given) - place(at) : given)), sides[axis]);
    }
  return level_of(gradients, true);
}

}  // namespace ww::devicelib
