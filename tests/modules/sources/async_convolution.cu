// A convolution of 3x3 with two channels over tiles that asynchronous copies bring into shared memory, two stages deep.
#include "device.h"

static __device__ __forceinline__ void copy(void* to, const void* from, bool inside) {
  asm volatile(
      "{\n\t.reg .u64 a;\n\t.reg .u32 d, s;\n\t.reg .pred p;\n\tcvta.to.shared.u64 a, %0;\n\tcvt.u32.u64 d, a;\n\t"
      "setp.ne.u32 p, %2, 0;\n\tselp.u32 s, 4, 0, p;\n\tcp.async.ca.shared.global [d], [%1], 4, s;\n\t}"
      :
      : "l"(to), "l"(from), "r"(static_cast<u32>(inside))
      : "memory");
}
static __device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kLeft>
static __device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

__constant__ float kernel_weights[2][9] = {{0.1f, -0.2f, 0.3f, 0.5f, 1.5f, -0.25f, 0.125f, 0.0f, -1.0f},
                                           {1, 0, -1, 2, 0, -2, 1, 0, -1}};

struct Tile {
  float texel[6][18];
};

static __device__ void fetch(Tile& tile, const float* plane, s32 x0, s32 y0, s32 width, s32 height) {
  for (u32 i = thread_x() + thread_y() * 16; i < 6 * 18; i += 64) {
    const s32 x = x0 + static_cast<s32>(i % 18) - 1, y = y0 + static_cast<s32>(i / 18) - 1;
    const bool inside = x >= 0 && y >= 0 && x < width && y < height;
    copy(&tile.texel[i / 18][i % 18], plane + (inside ? y * width + x : 0), inside);
  }
  commit();
}

extern "C" __global__ void convolve(const float* in, float* out, s32 width, s32 height) {
  __shared__ Tile tiles[2];
  const s32 x0 = static_cast<s32>(block_x() * 16), y0 = static_cast<s32>(block_y() * 4);
  fetch(tiles[0], in, x0, y0, width, height);
  float sum = 0;
  for (int channel = 0; channel < 2; ++channel) {
    if (channel == 0) {
      fetch(tiles[1], in + width * height, x0, y0, width, height);
      wait<1>();
    } else {
      wait<0>();
    }
    sync();
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        sum = fused(tiles[channel].texel[thread_y() + dy][thread_x() + dx], kernel_weights[channel][dy * 3 + dx], sum);
    sync();
  }
  const s32 x = x0 + static_cast<s32>(thread_x()), y = y0 + static_cast<s32>(thread_y());
  if (x < width && y < height) out[y * width + x] = sum > 0 ? sum : sum * 0.1f;
}

extern "C" __global__ void planes(const u32* in, float* out, float scale) { out[global_x()] = unit(in[global_x()]) * scale - 1.0f; }
