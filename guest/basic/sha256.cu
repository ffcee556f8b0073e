// SHA-256 (FIPS 180-4), one message of at most 119 bytes a thread, and the search for a nonce.
#include "ww_guest.h"

namespace {

__constant__ u32 kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

WW_DEVICE void compress(u32 (&state)[8], u32 (&w)[16]) {
  u32 a = state[0], b = state[1], c = state[2], d = state[3];
  u32 e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll 1
  for (u32 block = 0; block < 4; ++block) {
#pragma unroll
    for (u32 j = 0; j < 16; ++j) {
      if (block > 0) {
        const u32 w15 = w[(j + 1) % 16];
        const u32 w2 = w[(j + 14) % 16];
        const u32 s0 = ww::rotate_right(w15, 7) ^ ww::rotate_right(w15, 18) ^ (w15 >> 3);
        const u32 s1 = ww::rotate_right(w2, 17) ^ ww::rotate_right(w2, 19) ^ (w2 >> 10);
        w[j] += s0 + w[(j + 9) % 16] + s1;
      }
      const u32 s1 = ww::rotate_right(e, 6) ^ ww::rotate_right(e, 11) ^ ww::rotate_right(e, 25);
      const u32 t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[block * 16 + j] + w[j];
      const u32 s0 = ww::rotate_right(a, 2) ^ ww::rotate_right(a, 13) ^ ww::rotate_right(a, 22);
      const u32 t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

}  // namespace

// messages: `count` rows of 128 bytes; lengths in bytes, at most 119. digests: 8 words each, as numbers.
WW_KERNEL void sha256(const u8* messages, const u32* lengths, u32* digests, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u8* message = messages + i * 128;
  const u32 length = lengths[i];
  u32 state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const u32 blocks = (length + 9 + 63) / 64;
  for (u32 block = 0; block < blocks; ++block) {
    u32 w[16];
    for (u32 j = 0; j < 16; ++j) {
      u32 word = 0;
      for (u32 k = 0; k < 4; ++k) {
        const u32 at = block * 64 + j * 4 + k;
        const u32 byte = at < length ? message[at] : at == length ? 0x80u : 0u;
        word = word << 8 | byte;
      }
      w[j] = word;
    }
    if (block == blocks - 1) w[15] = length * 8;
    compress(state, w);
  }
  for (u32 j = 0; j < 8; ++j) digests[i * 8 + j] = state[j];
}
