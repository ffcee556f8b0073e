// The warp matrix interface of older code: wmma load, multiply, store. One warp, m16n16k16.
#include "ww_guest.h"

namespace {

struct Fragment {
  u32 r[8];
};

WW_DEVICE Fragment load_a_row(const f16* from, u32 pitch) {
  Fragment f;
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3]), "=r"(f.r[4]), "=r"(f.r[5]), "=r"(f.r[6]),
                 "=r"(f.r[7])
               : "l"(from), "r"(pitch)
               : "memory");
  return f;
}
WW_DEVICE Fragment load_b_column(const f16* from, u32 pitch) {
  Fragment f;
  asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3]), "=r"(f.r[4]), "=r"(f.r[5]), "=r"(f.r[6]),
                 "=r"(f.r[7])
               : "l"(from), "r"(pitch)
               : "memory");
  return f;
}

}  // namespace

// d = a * b + c: a 16 x k row-major, b k x 16 column-major, c and d 16 x 16 row-major f32; k a multiple of 16.
WW_KERNEL void wmma_f32(const f16* a, const f16* b, const float* c, float* d, u32 k) {
  float s[8];
  asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
               : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7])
               : "l"(c)
               : "memory");
  for (u32 k0 = 0; k0 < k; k0 += 16) {
    const Fragment fa = load_a_row(a + k0, k);
    const Fragment fb = load_b_column(b + k0, k);
    asm volatile(
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
        "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
        "{%0, %1, %2, %3, %4, %5, %6, %7};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]), "+f"(s[7])
        : "r"(fa.r[0]), "r"(fa.r[1]), "r"(fa.r[2]), "r"(fa.r[3]), "r"(fa.r[4]), "r"(fa.r[5]), "r"(fa.r[6]),
          "r"(fa.r[7]), "r"(fb.r[0]), "r"(fb.r[1]), "r"(fb.r[2]), "r"(fb.r[3]), "r"(fb.r[4]), "r"(fb.r[5]),
          "r"(fb.r[6]), "r"(fb.r[7]));
  }
  asm volatile(
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 16;" ::"l"(d),
      "f"(s[0]), "f"(s[1]), "f"(s[2]), "f"(s[3]), "f"(s[4]), "f"(s[5]), "f"(s[6]), "f"(s[7])
      : "memory");
}
