// Filters of an 8-bit picture, 64 wide: Sobel's edges, a median of nine by a sorting network, a blur with constant weights that
// saturates. One thread a pixel; words out are edge, median and blur in their bytes.
#include "device.h"

__constant__ s16 weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

template <class T>
static __device__ void order(T& a, T& b) {
  const T low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}

static __device__ __noinline__ u32 median(u8* v) {
  for (int i = 0; i < 9; ++i)
    for (int j = i & 1; j + 1 < 9; j += 2) order(v[j], v[j + 1]);
  return v[4];
}

extern "C" __global__ void __launch_bounds__(256, 2) filters(const u8* in, u32* out, u32 height) {
  const s32 x = static_cast<s32>(block_x() * 16 + thread_x()), y = static_cast<s32>(block_y() * 4 + thread_y());
  if (y >= static_cast<s32>(height)) return;
  u8 near[9];
  s32 sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      s32 sx = x + dx, sy = y + dy;
      sx = sx < 0 ? 0 : sx > 63 ? 63 : sx;
      sy = sy < 0 ? 0 : sy >= static_cast<s32>(height) ? static_cast<s32>(height) - 1 : sy;
      near[(dy + 1) * 3 + dx + 1] = in[sy * 64 + sx];
      sum += in[sy * 64 + sx] * weights[dy + 1][dx + 1];
    }
  }
  const s32 gx = near[2] + 2 * near[5] + near[8] - near[0] - 2 * near[3] - near[6];
  const s32 gy = near[6] + 2 * near[7] + near[8] - near[0] - 2 * near[1] - near[2];
  s32 edge = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
  edge = edge > 255 ? 255 : edge;
  s32 blur = (sum * 5 / 64) - 20;
  blur = blur < 0 ? 0 : blur > 255 ? 255 : blur;
  out[y * 64 + x] = static_cast<u32>(edge) | median(near) << 8 | static_cast<u32>(blur) << 16;
}
