// A tile of a matrix product on tensor cores, written as PTX in CUDA C++; integers, so that every sum is exact.
__device__ static unsigned shared_address(const void* p) {
  unsigned address;
  asm("{\n\t.reg .u64 a;\n\tcvta.to.shared.u64 a, %1;\n\tcvt.u32.u64 %0, a;\n\t}" : "=r"(address) : "l"(p));
  return address;
}

// a: 16 x k, b: k x 8 by columns (8 rows of k), halves as bits; c: 16 x 8 floats. One warp; k a multiple of 16, at
// most 64.
extern "C" __global__ void __launch_bounds__(32)
    multiply(const unsigned short* a, const unsigned short* b, float* c, int k) {
  __shared__ __align__(16) unsigned short tile_a[16][72];
  __shared__ __align__(16) unsigned short tile_b[8][72];
  const int lane = threadIdx.x;
  for (int i = lane; i < 16 * k; i += 32) tile_a[i / k][i % k] = a[i];
  for (int i = lane; i < 8 * k; i += 32) tile_b[i / k][i % k] = b[i];
  __syncthreads();
  float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 2
  for (int k0 = 0; k0 < k; k0 += 16) {
    unsigned fa[4], fb[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(shared_address(&tile_a[lane % 16][k0 + lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(shared_address(&tile_b[lane % 8][k0 + lane / 8 % 2 * 8])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  const int g = lane / 4;
  const int t = lane % 4;
  c[g * 8 + 2 * t] = d[0];
  c[g * 8 + 2 * t + 1] = d[1];
  c[(g + 8) * 8 + 2 * t] = d[2];
  c[(g + 8) * 8 + 2 * t + 1] = d[3];
}
