// Structs by value: as kernel parameters with unions and arrays, as arguments and results of functions that are not inlined, copied,
// aligned to sixteen bytes, passed through pointers to functions.
#include "device.h"

union Payload {
  double number;
  u32 words[2];
  u8 bytes[8];
};
struct __align__(16) Packet {
  u8 kind;
  s16 offsets[3];
  Payload payload;
  float matrix[2][3];
};
struct Result {
  u64 sum;
  float low, high;
  u8 flag;
};
struct Small {
  u8 a, b, c;
};

static __device__ __noinline__ Result combine(Packet packet, Small small, Result before) {
  Result r = before;
  r.sum = r.sum * 31 + packet.payload.words[small.a & 1] + packet.kind;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      r.low = smaller(r.low, packet.matrix[i][j] * static_cast<float>(packet.offsets[j]));
      r.high = larger(r.high, packet.matrix[i][j] + static_cast<float>(small.b));
    }
  r.flag ^= small.c;
  return r;
}
static __device__ __noinline__ Small rotate(Small s) { return {s.b, s.c, static_cast<u8>(s.a + 1)}; }
static __device__ __noinline__ Small doubled(Small s) { return {static_cast<u8>(s.a * 2), static_cast<u8>(s.b * 2), s.c}; }
typedef Small (*Turn)(Small);

extern "C" __global__ void structures(const u32* in, Result* out, Packet packet, Small small, u32 rounds) {
  const u32 i = global_x();
  Result r = {1, 1e30f, -1e30f, static_cast<u8>(i)};
  Turn turn = in[i] & 1 ? rotate : doubled;
  Packet copy[2] = {packet, packet};
  for (u32 k = 0; k < rounds; ++k) {
    copy[k & 1].payload.bytes[k & 7] ^= static_cast<u8>(in[(i + k) & 127]);
    copy[k & 1].matrix[k & 1][k % 3] += unit(in[(i * 3 + k) & 127]);
    copy[~k & 1].offsets[k % 3] = static_cast<s16>(in[(i + k) & 127] >> 16);
    r = combine(copy[in[i] >> k & 1], small, r);
    small = turn(small);
  }
  r.sum ^= bits_of(copy[1].payload.number) >> 52;
  out[i].sum = r.sum;
  out[i].low = r.low;
  out[i].high = r.high;
  *reinterpret_cast<u64*>(&out[i].flag) = r.flag | static_cast<u64>(small.a) << 8 | static_cast<u64>(small.b) << 16;
}
