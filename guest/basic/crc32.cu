// CRC-32 (ISO-HDLC, reflected polynomial edb88320) of rows of bytes; the table is made in shared memory first.
#include "ww_guest.h"

// 64 threads, one row each.
WW_KERNEL void crc32(const u8* rows, u32* out, u32 count, u32 length) {
  __shared__ u32 table[256];
  for (u32 i = threadIdx.x; i < 256; i += blockDim.x) {
    u32 c = i;
    for (u32 k = 0; k < 8; ++k) c = (c & 1) ? (c >> 1) ^ 0xedb88320u : c >> 1;
    table[i] = c;
  }
  __syncthreads();
  const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= count) return;
  u32 crc = ~0u;
  for (u32 i = 0; i < length; ++i) crc = table[(crc ^ rows[row * length + i]) & 255] ^ (crc >> 8);
  out[row] = ~crc;
}
