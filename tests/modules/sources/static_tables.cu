// Tables that the compiler fills: numbers of every type, structs with padding, addresses of variables, strings and functions, unions,
// bit fields, arrays of arrays; and variables that a first kernel changes for a second.
#include "device.h"

struct Entry {
  u8 kind;
  double weight;
  s16 pair[3];
  const u32* where;
};
union Word {
  float f;
  u32 u;
  u8 b[4];
};
struct Fields {
  u32 low : 5, middle : 11, high : 16;
  s32 negative : 7;
};

__device__ u32 counters[6] = {5, 0, 7};
__constant__ s64 wide[3] = {-1, 0x123456789abcdefll, static_cast<s64>(0x8000000000000000ull)};
__device__ const Entry entries[3] = {{1, 0.1, {1, -2, 3}, counters}, {200, -1e300, {-32768, 32767, 0}, counters + 2}, {3, 0x1p-1074, {}, &counters[5]}};
__constant__ Word words[2] = {{1.5f}, {-0.0f}};
__device__ Fields fields = {3, 1000, 65535, -5};
__device__ const char* const texts[4] = {"alpha", "beta\n", "\"gamma\"", ""};
__constant__ u8 matrix[3][4][2] = {{{1, 2}, {3}}, {}, {{9, 8}, {7, 6}, {5, 4}, {3, 2}}};

static __device__ __noinline__ u32 square(u32 x) { return x * x; }
static __device__ __noinline__ u32 triple(u32 x) { return 3 * x; }
static __device__ __noinline__ u32 negated(u32 x) { return ~x; }
typedef u32 (*Function)(u32);
__device__ Function const functions[3] = {square, triple, negated};
__device__ u32* const addresses[2] = {counters, counters + 4};

extern "C" __global__ void change(const u32* in) {
  if (thread_x() < 6) counters[thread_x()] += in[thread_x()] & 0xff;
  if (thread_x() == 6) fields.middle += 33, fields.negative -= 60;
}

extern "C" __global__ void read(const u32* in, u32* out, u32 n) {
  const u32 i = global_x(), word = in[i % n];
  const Entry& entry = entries[word % 3];
  const u64 weight = bits_of(entry.weight);
  u32 sum = mixed(entry.kind, *entry.where);
  sum = mixed(sum, static_cast<u32>(weight >> 32) ^ static_cast<u32>(weight));
  sum = mixed(sum, static_cast<u32>(entry.pair[word % 3]));
  sum = mixed(sum, static_cast<u32>(wide[word % 3] >> 7));
  sum = mixed(sum, words[word & 1].u + words[word >> 1 & 1].b[3]);
  sum = mixed(sum, fields.low + fields.middle * 3 + fields.high + static_cast<u32>(fields.negative));
  for (const char* p = texts[word & 3]; *p != 0; ++p) sum = mixed(sum, static_cast<u32>(*p));
  sum = mixed(sum, matrix[word % 3][word & 3][word >> 4 & 1]);
  sum = mixed(sum, addresses[word & 1][word & 1]);
  out[i] = functions[word >> 8 & 1 ? 2 : word & 1](sum);
}
