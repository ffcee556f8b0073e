// Life on a torus, 32 cells a word: full adders on bits, funnel shifts, a three-input logic table; several generations in shared memory.
#include "device.h"

template <u8 kTable>
static __device__ u32 logic(u32 a, u32 b, u32 c) {
  u32 r;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(static_cast<s32>(kTable)));
  return r;
}
static __device__ u32 funnel_left(u32 low, u32 high, u32 by) {
  u32 r;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(by));
  return r;
}
static __device__ u32 funnel_right(u32 low, u32 high, u32 by) {
  u32 r;
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(by));
  return r;
}
struct Count {
  u32 ones, twos;
};
static __device__ Count full_adder(u32 a, u32 b, u32 c) { return {logic<0x96>(a, b, c), logic<0xe8>(a, b, c)}; }

extern "C" __global__ void life(const u32* in, u32* out, u32 generations) {
  __shared__ u32 board[2][32][2];
  const u32 y = thread_x() / 2, x = thread_x() & 1;
  board[0][y][x] = in[block_x() * 64 + thread_x()] & in[(block_x() * 64 + thread_x() * 5) & 255];
  u32 from = 0;
  for (u32 g = 0; g < generations; ++g, from ^= 1) {
    sync();
    Count rows[3];
    u32 here = 0, sides_ones = 0, sides_twos = 0;
    for (u32 k = 0; k < 3; ++k) {
      const u32 row = (y + 31 + k) & 31, word = board[from][row][x], other = board[from][row][x ^ 1];
      const u32 left = funnel_left(other, word, 1), right = funnel_right(word, other, 1);
      if (k == 1) {
        here = word;
        sides_ones = left ^ right;
        sides_twos = left & right;
      } else {
        rows[k] = full_adder(left, word, right);
      }
    }
    const Count ones = full_adder(rows[0].ones, rows[2].ones, sides_ones);
    const Count twos = full_adder(rows[0].twos, rows[2].twos, sides_twos);
    const u32 two = twos.ones ^ ones.twos, four = twos.twos | (twos.ones & ones.twos);
    board[from ^ 1][y][x] = two & ~four & (ones.ones | here);
  }
  sync();
  out[block_x() * 64 + thread_x()] = board[from][y][x];
}
