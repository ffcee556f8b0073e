// Searches in text: Boyer, Moore and Horspool with a skip table in shared memory; an edit distance with two rows; the first match
// of all by an atomic minimum; a table of words in constant memory.
#include "device.h"

__constant__ const char* const words[4] = {"ab", "bca", "cabc", "a"};

static __device__ u32 length(const char* s) {
  u32 n = 0;
  while (s[n] != 0) ++n;
  return n;
}

static __device__ char letter(u32 word) { return static_cast<char>('a' + (word >> 13) % 3); }

extern "C" __global__ void search(const u32* in, u32* out, u32 n) {
  __shared__ char text[512];
  __shared__ u8 skip[4][256];
  __shared__ u32 first[4];
  for (u32 i = thread_x(); i < 512; i += threads_x()) text[i] = letter(in[(block_x() * 64 + i) % n]);
  if (thread_x() < 4) {
    const char* word = words[thread_x()];
    const u32 m = length(word);
    for (u32 c = 0; c < 256; ++c) skip[thread_x()][c] = static_cast<u8>(m);
    for (u32 k = 0; k + 1 < m; ++k) skip[thread_x()][static_cast<u8>(word[k])] = static_cast<u8>(m - 1 - k);
    first[thread_x()] = 0xffffffffu;
  }
  sync();
  u32 matches = 0;
  for (u32 w = 0; w < 4; ++w) {
    const char* word = words[w];
    const u32 m = length(word), begin = thread_x() * 8, end = begin + 8 + m - 1 < 512 ? begin + 8 + m - 1 : 512;
    for (u32 at = begin; at + m <= end;) {
      u32 k = m;
      while (k > 0 && text[at + k - 1] == word[k - 1]) --k;
      if (k == 0) {
        ++matches;
        atomic_smallest(&first[w], at);
      }
      at += skip[w][static_cast<u8>(text[at + m - 1])];
    }
  }
  sync();
  // Distance of this thread's eight letters from the next thread's.
  u8 row[9], previous[9];
  for (u32 j = 0; j <= 8; ++j) previous[j] = static_cast<u8>(j);
  for (u32 i = 1; i <= 8; ++i) {
    row[0] = static_cast<u8>(i);
    for (u32 j = 1; j <= 8; ++j) {
      const u32 same = text[thread_x() * 8 + i - 1] == text[(thread_x() * 8 + 8 + j - 1) & 511];
      u32 best = previous[j - 1] + 1 - same;
      if (previous[j] + 1u < best) best = previous[j] + 1u;
      if (row[j - 1] + 1u < best) best = row[j - 1] + 1u;
      row[j] = static_cast<u8>(best);
    }
    for (u32 j = 0; j <= 8; ++j) previous[j] = row[j];
  }
  out[global_x()] = matches | static_cast<u32>(previous[8]) << 8 | first[thread_x() & 3] << 16;
}
