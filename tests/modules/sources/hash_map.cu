// A hash map with open addressing that all threads fill by compare and swap, 32-bit and 64-bit slots; then each thread looks its
// keys up. What comes out does not depend on the order of the insertions.
#include "device.h"

struct Slot {
  u32 key, count;
};

extern "C" __global__ void insert(const u32* in, Slot* table, u64* wide, u32 mask) {
  const u32 key = in[global_x()] % 500 + 1;
  for (u32 probe = mixed(key, 1);; ++probe) {
    Slot* slot = &table[probe & mask];
    const u32 seen = atomic_compare_swap(&slot->key, 0u, key);
    if (seen == 0 || seen == key) {
      atomic_sum(&slot->count, key * 3 + 1);
      break;
    }
  }
  u64 expected = 0;
  const u64 full = static_cast<u64>(key) << 40 | 0x123456;
  u32 probe = mixed(key, 2);
  while ((expected = atomic_compare_swap(&wide[probe & mask], static_cast<u64>(0), full)) != 0 && expected != full) ++probe;
}

extern "C" __global__ void lookup(const u32* in, const Slot* table, const u64* wide, u32* out, u32 mask) {
  const u32 key = in[global_x()] % 700 + 1;
  u32 count = 0xffffffffu, found = 0;
  for (u32 probe = mixed(key, 1);; ++probe) {
    const Slot slot = table[probe & mask];
    if (slot.key == key) count = slot.count;
    if (slot.key == key || slot.key == 0) break;
  }
  for (u32 probe = mixed(key, 2); wide[probe & mask] != 0; ++probe) {
    if (wide[probe & mask] >> 40 == key) {
      found = 1;
      break;
    }
  }
  out[global_x()] = count ^ found << 31;
}
