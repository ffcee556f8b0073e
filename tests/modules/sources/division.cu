// Division and remainders of every width by variables, powers by squaring, greatest divisors, primes, dates, square roots of integers.
#include "device.h"

template <class T>
static __device__ __noinline__ T divisor(T a, T b) {
  while (b != 0) {
    const T rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
template <class T>
static __device__ u32 quotients(T a, T b) {
  if (b == 0) b = 3;
  const T q = a / b, r = a % b;
  const u64 wide = static_cast<u64>(q) * 1000003u ^ static_cast<u64>(r);
  return static_cast<u32>(wide) ^ static_cast<u32>(wide >> 32);
}
static __device__ u64 power(u64 base, u32 exponent, u32 modulus) {
  u64 result = 1;
  for (base %= modulus; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return result;
}
static __device__ u32 integer_root(u32 x) {
  u32 r = 0;
  for (u32 bit = 1u << 15; bit != 0; bit >>= 1)
    if ((r | bit) * (r | bit) <= x) r |= bit;
  return r;
}

extern "C" __global__ void divide(const u32* in, u32* out, u32 n) {
  const u32 i = global_x(), a = in[i], b = in[(i + 1) % n];
  const u64 wide = static_cast<u64>(a) << 32 | b;
  u32 sum = quotients<u32>(a, b >> (a & 31));
  sum = mixed(sum, quotients<s32>(static_cast<s32>(a), static_cast<s32>(b) >> (a & 31)));
  sum = mixed(sum, quotients<u64>(wide, static_cast<u64>(b) * a >> (a & 63)));
  sum = mixed(sum, quotients<s64>(static_cast<s64>(wide), static_cast<s64>(static_cast<u64>(b) << 32 | a) >> (b & 63)));
  sum = mixed(sum, quotients<u16>(static_cast<u16>(a), static_cast<u16>(b)));
  sum = mixed(sum, static_cast<u32>(quotients<s16>(static_cast<s16>(a >> 8), static_cast<s16>(b & 0xff))));
  sum = mixed(sum, a / 7 + b % 1000003 + static_cast<u32>(static_cast<s32>(a) / -13));
  const u32 days = a % 3652059, era = (days + 306) / 146097, of_era = (days + 306) % 146097;
  const u32 year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365 + era * 400;
  out[6 * i] = sum;
  out[6 * i + 1] = divisor<u32>(a >> 4, b >> 7);
  out[6 * i + 2] = static_cast<u32>(divisor<u64>(wide >> 3, 0x123456789abcull * (b & 0xff)));
  out[6 * i + 3] = static_cast<u32>(power(a, b & 0xffff, 0xfffffffbu));
  out[6 * i + 4] = integer_root(a);
  out[6 * i + 5] = year;
}
