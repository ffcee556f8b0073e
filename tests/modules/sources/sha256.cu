// SHA-256 of short messages, CRC-32 by a table in shared memory, and a block cipher of 64 bits.
#include "device.h"

__constant__ u32 round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ u32 turned(u32 x, u32 by) { return x >> by | x << (32 - by); }

static __device__ void digest(const u32 message[16], u32 state[8]) {
  u32 w[64];
  for (u32 i = 0; i < 16; ++i) w[i] = message[i];
  for (u32 i = 16; i < 64; ++i) {
    const u32 a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
  u32 v[8];
  for (u32 i = 0; i < 8; ++i) v[i] = state[i];
#pragma unroll 4
  for (u32 i = 0; i < 64; ++i) {
    const u32 t1 = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constants[i] + w[i];
    const u32 t2 = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    v[7] = v[6];
    v[6] = v[5];
    v[5] = v[4];
    v[4] = v[3] + t1;
    v[3] = v[2];
    v[2] = v[1];
    v[1] = v[0];
    v[0] = t1 + t2;
  }
  for (u32 i = 0; i < 8; ++i) state[i] += v[i];
}

extern "C" __global__ void hash(const u32* in, u32* out, u32 length) {
  __shared__ u32 table[256];
  for (u32 i = thread_x(); i < 256; i += threads_x()) {
    u32 c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  sync();
  const u32 i = global_x();
  u32 message[16], state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (u32 k = 0; k < 13; ++k) message[k] = in[(i + k) % length];
  message[13] = 0x80000000u;
  message[14] = 0;
  message[15] = 13 * 32;
  digest(message, state);
  u32 crc = 0xffffffffu;
  for (u32 k = 0; k < 52; ++k) crc = table[(crc ^ message[k / 4] >> (8 * (k & 3))) & 255] ^ crc >> 8;
  u32 a = message[0], b = message[1], sum = 0;
  for (int round = 0; round < 32; ++round) {
    sum += 0x9e3779b9u;
    a += ((b << 4) + state[0]) ^ (b + sum) ^ ((b >> 5) + state[1]);
    b += ((a << 4) + state[2]) ^ (a + sum) ^ ((a >> 5) + state[3]);
  }
  for (u32 k = 0; k < 8; ++k) out[i * 11 + k] = state[k];
  out[i * 11 + 8] = ~crc;
  out[i * 11 + 9] = a;
  out[i * 11 + 10] = b;
}
