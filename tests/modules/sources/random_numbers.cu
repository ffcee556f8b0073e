// Generators: xoshiro128**, Philox 4x32, a 64-bit congruence with a permuted output, a Sobol sequence by Gray codes; and areas
// measured with them.
#include "device.h"

class Xoshiro {
 public:
  explicit __device__ Xoshiro(u32 seed) {
    for (u32 i = 0; i < 4; ++i) state_[i] = seed = mixed(seed, i) | (i == 0);
  }
  __device__ u32 next() {
    const u32 result = rotate(state_[1] * 5, 7) * 9, t = state_[1] << 9;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 11);
    return result;
  }

 private:
  static __device__ u32 rotate(u32 x, u32 by) { return x << by | x >> (32 - by); }
  u32 state_[4];
};

static __device__ u32 high_product(u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); }

static __device__ void philox(u32 counter[4], u32 key0, u32 key1) {
  for (int round = 0; round < 10; ++round) {
    const u32 h0 = high_product(0xD2511F53u, counter[0]), l0 = 0xD2511F53u * counter[0];
    const u32 h1 = high_product(0xCD9E8D57u, counter[2]), l1 = 0xCD9E8D57u * counter[2];
    counter[0] = h1 ^ counter[1] ^ key0;
    counter[2] = h0 ^ counter[3] ^ key1;
    counter[1] = l1;
    counter[3] = l0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

static __device__ u32 permuted(u64& state) {
  const u64 old = state;
  state = old * 6364136223846793005ull + 1442695040888963407ull;
  const u32 word = static_cast<u32>((old >> 18 ^ old) >> 27), turn = static_cast<u32>(old >> 59);
  return word >> turn | word << (-turn & 31);
}

extern "C" __global__ void numbers(const u32* in, u32* out, u32 rounds) {
  const u32 i = global_x();
  Xoshiro x(in[i]);
  u32 counter[4] = {i, in[i], 0, 7};
  u64 state = static_cast<u64>(in[i]) << 32 | i;
  u32 inside = 0, sum = 0, sobol = 0;
  for (u32 k = 0; k < rounds; ++k) {
    const float a = unit(x.next()), b = unit(permuted(state));
    inside += a * a + b * b < 1.0f;
    philox(counter, k, 0xdeadbeef);
    sum += counter[0] ^ counter[3];
    u32 bit = 0;
    while (k >> bit & 1) ++bit;
    sobol ^= 0x80000000u >> bit;
  }
  out[4 * i] = inside;
  out[4 * i + 1] = sum;
  out[4 * i + 2] = sobol;
  out[4 * i + 3] = static_cast<u32>(state >> 13);
}
