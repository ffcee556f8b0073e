// Packing in the manner of LZ77: a match by a small hash table in local memory, tokens of literals and of distance and length;
// unpacked again and compared. One thread a block of 96 bytes.
#include "device.h"

struct Packed {
  u8 bytes[128];
  u32 size;
};

static __device__ __noinline__ void pack(const u8* from, u32 n, Packed& to) {
  u8 last[64];
  for (u32 i = 0; i < 64; ++i) last[i] = 255;
  to.size = 0;
  u32 at = 0;
  while (at < n) {
    u32 matched = 0, distance = 0;
    if (at + 2 < n) {
      const u32 hash = (from[at] * 31u + from[at + 1] * 7u + from[at + 2]) & 63;
      if (last[hash] != 255) {
        distance = at - last[hash];
        while (matched < 15 && at + matched < n && from[at + matched] == from[last[hash] + matched]) ++matched;
      }
      last[hash] = static_cast<u8>(at);
    }
    if (matched >= 3) {
      to.bytes[to.size++] = static_cast<u8>(0x80 | matched);
      to.bytes[to.size++] = static_cast<u8>(distance);
      at += matched;
    } else {
      to.bytes[to.size++] = from[at++] & 0x7f;
    }
  }
}

static __device__ u32 unpack(const Packed& from, u8* to) {
  u32 n = 0;
  for (u32 i = 0; i < from.size; ++i) {
    const u8 token = from.bytes[i];
    if ((token & 0x80) == 0) {
      to[n++] = token;
      continue;
    }
    const u32 distance = from.bytes[++i];
    for (u32 k = token & 0x7f; k != 0; --k, ++n) to[n] = to[n - distance];
  }
  return n;
}

extern "C" __global__ void compress(const u32* in, u32* out, u32 alphabet) {
  u8 text[96], back[96];
  for (u32 i = 0; i < 96; ++i) text[i] = static_cast<u8>((in[global_x() * 24 + i / 4] >> (i % 4 * 8) & 0xff) % alphabet);
  Packed packed;
  pack(text, 96, packed);
  u32 good = unpack(packed, back) == 96, sum = 0;
  for (u32 i = 0; i < 96; ++i) good &= text[i] == back[i];
  for (u32 i = 0; i < packed.size; ++i) sum = mixed(sum, packed.bytes[i]);
  out[2 * global_x()] = packed.size | good << 16;
  out[2 * global_x() + 1] = sum;
}
