// 256-bit integers: sums with carries between instructions, products, a remainder by shifting, Montgomery's product and a power;
// and 128-bit integers of the compiler.
#include "device.h"

struct Big {
  u32 word[8];
};

static __device__ u32 add(Big& a, const Big& b) {
  u32 carry;
  asm("add.cc.u32 %0, %0, %9;\n\taddc.cc.u32 %1, %1, %10;\n\taddc.cc.u32 %2, %2, %11;\n\taddc.cc.u32 %3, %3, %12;\n\t"
      "addc.cc.u32 %4, %4, %13;\n\taddc.cc.u32 %5, %5, %14;\n\taddc.cc.u32 %6, %6, %15;\n\taddc.cc.u32 %7, %7, %16;\n\t"
      "addc.u32 %8, 0, 0;"
      : "+r"(a.word[0]), "+r"(a.word[1]), "+r"(a.word[2]), "+r"(a.word[3]), "+r"(a.word[4]), "+r"(a.word[5]),
        "+r"(a.word[6]), "+r"(a.word[7]), "=r"(carry)
      : "r"(b.word[0]), "r"(b.word[1]), "r"(b.word[2]), "r"(b.word[3]), "r"(b.word[4]), "r"(b.word[5]), "r"(b.word[6]),
        "r"(b.word[7]));
  return carry;
}

static __device__ u32 subtract(Big& a, const Big& b) {
  u64 borrow = 0;
  for (int i = 0; i < 8; ++i) {
    const u64 difference = static_cast<u64>(a.word[i]) - b.word[i] - borrow;
    a.word[i] = static_cast<u32>(difference);
    borrow = difference >> 63;
  }
  return static_cast<u32>(borrow);
}

static __device__ bool less(const Big& a, const Big& b) {
  for (int i = 7; i >= 0; --i)
    if (a.word[i] != b.word[i]) return a.word[i] < b.word[i];
  return false;
}

// a * b / 2^256 modulo the odd m, whose negated inverse modulo 2^32 is k.
static __device__ __noinline__ Big montgomery(const Big& a, const Big& b, const Big& m, u32 k) {
  u32 t[10] = {0};
  for (int i = 0; i < 8; ++i) {
    u64 carry = 0;
    for (int j = 0; j < 8; ++j) {
      const u64 x = static_cast<u64>(a.word[j]) * b.word[i] + t[j] + carry;
      t[j] = static_cast<u32>(x);
      carry = x >> 32;
    }
    u64 x = t[8] + carry;
    t[8] = static_cast<u32>(x);
    t[9] = static_cast<u32>(x >> 32);
    const u32 q = t[0] * k;
    x = static_cast<u64>(q) * m.word[0] + t[0];
    carry = x >> 32;
    for (int j = 1; j < 8; ++j) {
      x = static_cast<u64>(q) * m.word[j] + t[j] + carry;
      t[j - 1] = static_cast<u32>(x);
      carry = x >> 32;
    }
    x = t[8] + carry;
    t[7] = static_cast<u32>(x);
    t[8] = t[9] + static_cast<u32>(x >> 32);
  }
  Big r;
  for (int i = 0; i < 8; ++i) r.word[i] = t[i];
  if (t[8] != 0 || !less(r, m)) subtract(r, m);
  return r;
}

extern "C" __global__ void big(const u32* in, u32* out, u32 exponent) {
  Big a, m, one = {{1}};
  for (int i = 0; i < 8; ++i) a.word[i] = in[global_x() * 16 + i], m.word[i] = in[global_x() * 16 + 8 + i];
  m.word[0] |= 1;
  m.word[7] |= 0x80000000u;
  u32 k = 1;
  for (int i = 0; i < 5; ++i) k *= 2 - m.word[0] * k;
  k = -k;
  Big power = one;
  subtract(power, m);  // 2^256 + 1 - m, less than m
  if (!less(power, m)) subtract(power, m);
  for (u32 e = exponent; e != 0; e >>= 1) {
    if (e & 1) power = montgomery(power, a, m, k);
    a = montgomery(a, a, m, k);
  }
  const u32 carry = add(power, m);
#ifdef __SIZEOF_INT128__
  unsigned __int128 wide = static_cast<unsigned __int128>(static_cast<u64>(power.word[1]) << 32 | power.word[0]) *
                           (static_cast<u64>(power.word[3]) << 32 | power.word[2]);
  wide = (wide << 7 | wide >> 121) + a.word[0];
  const u64 folded = static_cast<u64>(wide >> 64) ^ static_cast<u64>(wide);
  out[global_x() * 10 + 9] = static_cast<u32>(folded >> 32) ^ static_cast<u32>(folded);
#endif
  for (int i = 0; i < 8; ++i) out[global_x() * 10 + i] = power.word[i];
  out[global_x() * 10 + 8] = carry;
}
