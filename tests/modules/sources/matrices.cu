// Matrix products: wmma fragments of halves, mma of halves and of bytes with fragments that ldmatrix reads, a tiled product of floats.
#include "device.h"

// The half of an integer from -8 to 7.
static __device__ u16 half_of(u32 word) {
  u16 r;
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r) : "r"(static_cast<s32>(word & 15) - 8));
  return r;
}

static __device__ u32 shared_address(const void* p) {
  u32 r;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(r) : "l"(p));
  return r;
}

extern "C" __global__ void fragments(const u32* in, float* out, u32 k) {
  __shared__ __align__(16) u16 a[16 * 16], b[16 * 16];
  float c[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (u32 step = 0; step < k; ++step) {
    sync();
    for (u32 i = lane(); i < 256; i += 32) {
      a[i] = half_of(in[(block_x() * 64 + step * 256 + i) & 1023]);
      b[i] = half_of(in[(block_x() * 64 + step * 256 + i) & 1023] >> 9);
    }
    sync();
    asm volatile(
        "{\n\t.reg .b32 a<8>, b<8>;\n\t"
        "wmma.load.a.sync.aligned.m16n16k16.row.shared.f16 {a0,a1,a2,a3,a4,a5,a6,a7}, [%8], 16;\n\t"
        "wmma.load.b.sync.aligned.m16n16k16.col.shared.f16 {b0,b1,b2,b3,b4,b5,b6,b7}, [%9], 16;\n\t"
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {a0,a1,a2,a3,a4,a5,a6,a7}, "
        "{b0,b1,b2,b3,b4,b5,b6,b7}, {%0,%1,%2,%3,%4,%5,%6,%7};\n\t}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
        : "r"(shared_address(a)), "r"(shared_address(b))
        : "memory");
  }
  asm volatile(
      "wmma.store.d.sync.aligned.m16n16k16.row.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, 16;"
      :
      : "l"(out + block_x() * 256), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]), "f"(c[4]), "f"(c[5]), "f"(c[6]), "f"(c[7])
      : "memory");
}

extern "C" __global__ void steps(const u32* in, u32* out, u32 k) {
  __shared__ __align__(16) u16 a[16 * 16];
  float c[4] = {0, 0, 0, 0};
  s32 sums[4] = {1, 2, 3, 4};
  for (u32 step = 0; step < k; ++step) {
    sync();
    for (u32 i = lane(); i < 256; i += 32) a[i] = half_of(in[(block_x() * 32 + step * 256 + i) & 1023] >> 3);
    sync();
    u32 f[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"(shared_address(a) + (lane() & 15) * 32 + (lane() >> 4) * 16)
                 : "memory");
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(f[3]), "r"(f[0]));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(in[lane()]), "r"(in[lane() + 32]), "r"(in[lane() + 64]), "r"(in[lane() + step]), "r"(f[1]), "r"(f[2]));
  }
  for (u32 i = 0; i < 4; ++i) {
    out[(block_x() * 32 + lane()) * 8 + i] = bits_of(c[i]);
    out[(block_x() * 32 + lane()) * 8 + 4 + i] = static_cast<u32>(sums[i]);
  }
}

template <int kTile>
static __device__ float tiled(const float* a, const float* b, u32 n, float (*ta)[kTile], float (*tb)[kTile + 1]) {
  float sum = 0;
  const u32 x = thread_x(), y = thread_y();
  for (u32 base = 0; base < n; base += kTile) {
    ta[y][x] = a[(block_y() * kTile + y) * n + base + x];
    tb[y][x] = b[(base + y) * n + block_x() * kTile + x];
    sync();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum = fused(ta[y][i], tb[i][x], sum);
    sync();
  }
  return sum;
}

extern "C" __global__ void product(const float* a, const float* b, float* c, u32 n) {
  __shared__ float ta[8][8], tb[8][9];
  c[(block_y() * 8 + thread_y()) * n + block_x() * 8 + thread_x()] = tiled<8>(a, b, n, ta, tb);
}

extern "C" __global__ void numbers(const u32* in, float* out, float scale) {
  out[global_x()] = (unit(in[global_x()]) - 0.5f) * scale;
}
