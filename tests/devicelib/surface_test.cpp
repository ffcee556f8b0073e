// Surface places, worked out by hand from the PTX manual's rules for what lies outside of an image.
#include <gtest/gtest.h>

#include "devicelib/texture.h"

namespace ww::devicelib {
namespace {

TEST(Surface, Places) {
  using enum SurfaceAccess;
  const ImageDescription image{5, 3, 1, ChannelFormat::kF32};
  struct Case {
    s32 x, y;
    u32 bytes;
    SurfaceOutside outside;
    SurfaceAccess access;
    u64 offset;
  };
  const SurfaceOutside trap = SurfaceOutside::kTrap, clamp = SurfaceOutside::kClamp, zero = SurfaceOutside::kZero;
  const Case cases[] = {
      {0, 0, 4, trap, kInside, 0},        {16, 2, 4, trap, kInside, 56},  {20, 0, 4, trap, kTrap, 0},
      {0, 3, 4, trap, kTrap, 0},          {-4, 0, 4, trap, kTrap, 0},     {2, 0, 4, trap, kMisaligned, 0},
      {2, 0, 4, zero, kMisaligned, 0},    {20, 0, 4, zero, kNothing, 0},  {0, -1, 4, zero, kNothing, 0},
      {20, 0, 4, clamp, kInside, 16},     {-4, -7, 4, clamp, kInside, 0}, {100, 100, 4, clamp, kInside, 56},
      {16, 1, 8, clamp, kInside, 20 + 8}, {16, 0, 8, trap, kTrap, 0},     {0, 0, 32, clamp, kNothing, 0},
      {0, 0, 32, trap, kTrap, 0},         {1, 1, 1, trap, kInside, 21},   {0x7fffffff, 0, 1, zero, kNothing, 0},
  };
  for (const Case& c : cases) {
    const SurfacePlace place = surface_place(image, c.x, c.y, 0, c.bytes, c.outside);
    EXPECT_EQ(place.access, c.access) << c.x << ", " << c.y << ", " << c.bytes;
    EXPECT_EQ(place.offset, c.offset) << c.x << ", " << c.y << ", " << c.bytes;
  }
}

}  // namespace
}  // namespace ww::devicelib
