// Tensor-core steps and the loads that feed them. Lane-to-element layouts: PTX manual, "Matrix Fragments for
// mma.m16n8k16" and "ldmatrix". With g = lane / 4 and t = lane % 4:
//   A (16x16): a0 rows g,   columns 2t, 2t+1; a1 rows g+8, same columns; a2, a3: columns + 8
//   B (16x8):  b0 rows 2t, 2t+1 of column g; b1 rows + 8
//   C (16x8):  c0, c1 row g, columns 2t, 2t+1; c2, c3 row g+8
#pragma once
#include "ww_guest/core.h"

namespace ww {
// d = a * b + c on f16 with f32 accumulators.
WW_DEVICE void mma_m16n8k16(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}
// The same with f16 accumulators, two a register.
WW_DEVICE void mma_m16n8k16_f16(u32 (&d)[2], const u32 (&a)[4], const u32 (&b)[2], const u32 (&c)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
}

// The 32-bit address of an object in shared memory.
WW_DEVICE u32 shared_address(const void* p) {
  return u32(u64((const __attribute__((address_space(3))) void*)p));
}

// Four 8x8 matrices of halves: lane i names the address of row i % 8 of matrix i / 8 (16 bytes, aligned).
WW_DEVICE void ldmatrix_x4(u32 (&d)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(address)
               : "memory");
}
WW_DEVICE void ldmatrix_x4_trans(u32 (&d)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(address)
               : "memory");
}
WW_DEVICE void ldmatrix_x2(u32 (&d)[2], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(address)
               : "memory");
}
WW_DEVICE void ldmatrix_x2_trans(u32 (&d)[2], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(address)
               : "memory");
}
}  // namespace ww
