// Runs mma.sync on generated fragments on a real GPU and writes inputs and outputs: mma_evaluate.cpp then finds the
// model that explains them. Build with nvcc; see mma_probe.sh.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

// One kernel a shape: registers of lane l stand at [l * n + i].
#define WW_PROBE(name, na, nb, nc, text)                                                       \
  __global__ void name(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) { \
    const unsigned lane = threadIdx.x;                                                         \
    a += (blockIdx.x * 32 + lane) * na;                                                        \
    b += (blockIdx.x * 32 + lane) * nb;                                                        \
    c += (blockIdx.x * 32 + lane) * nc;                                                        \
    d += (blockIdx.x * 32 + lane) * nc;                                                        \
    uint32_t r[4] = {};                                                                        \
    text;                                                                                      \
    for (int i = 0; i < nc; ++i) d[i] = r[i];                                                  \
  }
#define WW_A4_B2_C4(shape)                                                                                          \
  asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"               \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), \
                 "r"(c[3]))
#define WW_A2_B1_C4(shape)                                                                \
  asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                           \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define WW_A4_B2_C2(shape)                                                            \
  asm volatile("mma.sync.aligned." shape " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" \
               : "=r"(r[0]), "=r"(r[1])                                               \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]))
// f32 operands are registers of another class in PTX: .f32 wants "f" constraints in inline assembly of some compilers,
// but ptxas takes untyped 32-bit registers.
WW_PROBE(f16_k16, 4, 2, 4, WW_A4_B2_C4("m16n8k16.row.col.f32.f16.f16.f32"))
WW_PROBE(f16_k8, 2, 1, 4, WW_A2_B1_C4("m16n8k8.row.col.f32.f16.f16.f32"))
WW_PROBE(bf16_k16, 4, 2, 4, WW_A4_B2_C4("m16n8k16.row.col.f32.bf16.bf16.f32"))
WW_PROBE(bf16_k8, 2, 1, 4, WW_A2_B1_C4("m16n8k8.row.col.f32.bf16.bf16.f32"))
WW_PROBE(tf32_k8, 4, 2, 4, WW_A4_B2_C4("m16n8k8.row.col.f32.tf32.tf32.f32"))
WW_PROBE(tf32_k4, 2, 1, 4, WW_A2_B1_C4("m16n8k4.row.col.f32.tf32.tf32.f32"))
WW_PROBE(e4m3_k32, 4, 2, 4, WW_A4_B2_C4("m16n8k32.row.col.f32.e4m3.e4m3.f32"))
WW_PROBE(e5m2_k32, 4, 2, 4, WW_A4_B2_C4("m16n8k32.row.col.f32.e5m2.e5m2.f32"))
WW_PROBE(f16_k16_f16, 4, 2, 2, WW_A4_B2_C2("m16n8k16.row.col.f16.f16.f16.f16"))
WW_PROBE(s8_k32, 4, 2, 4, WW_A4_B2_C4("m16n8k32.row.col.satfinite.s32.s8.s8.s32"))

using Kernel = void (*)(const uint32_t*, const uint32_t*, const uint32_t*, uint32_t*);
struct Probe {
  const char* name;
  Kernel kernel;
  int a_registers, b_registers, c_registers;
  int bits, exponent_bits, mantissa_bits;  // of an input element; exponent_bits 0: integers
};
const Probe kProbes[] = {
    {"f16_k16", f16_k16, 4, 2, 4, 16, 5, 10},         {"f16_k8", f16_k8, 2, 1, 4, 16, 5, 10},
    {"bf16_k16", bf16_k16, 4, 2, 4, 16, 8, 7},        {"bf16_k8", bf16_k8, 2, 1, 4, 16, 8, 7},
    {"tf32_k8", tf32_k8, 4, 2, 4, 32, 8, 10},         {"tf32_k4", tf32_k4, 2, 1, 4, 32, 8, 10},
    {"e4m3_k32", e4m3_k32, 4, 2, 4, 8, 4, 3},         {"e5m2_k32", e5m2_k32, 4, 2, 4, 8, 5, 2},
    {"f16_k16_f16", f16_k16_f16, 4, 2, 2, 16, 5, 10}, {"s8_k32", s8_k32, 4, 2, 4, 8, 0, 8},
};

std::mt19937 g_random(20260101);

// An element whose exponent field lies `spread` or less around `centre` (clamped to the format), in the class's style.
uint32_t element(int exponent_bits, int mantissa_bits, int style, int centre, int spread) {
  const uint32_t r = g_random();
  if (exponent_bits == 0) return r & 0xff;
  const int most = (1 << exponent_bits) - 2;
  int field = centre + int(r >> 8) % (2 * spread + 1) - spread;
  field = field < 0 ? 0 : field > most ? most : field;
  uint32_t mantissa = g_random() & ((1u << mantissa_bits) - 1);
  if (style == 1) mantissa = 0;                                   // powers of two
  if (style == 2) mantissa = (1u << mantissa_bits) - 1;           // all ones
  if (style == 3) mantissa = 1u << (g_random() % mantissa_bits);  // one bit
  if (style == 4 && g_random() % 4 == 0) field = mantissa = 0;    // zeros among others
  if (style == 5 && g_random() % 3 == 0) field = 0;               // subnormals
  if (style == 6 && g_random() % 24 == 0) {                       // infinities and NaNs
    field = most + 1;
    mantissa = g_random() % 2 ? 0 : mantissa;
  }
  return (r & 1) << (exponent_bits + mantissa_bits) | uint32_t(field) << mantissa_bits | mantissa;
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : ".";
  for (const Probe& p : kProbes) {
    const int warps = 1400;  // 200 of each of 7 styles
    const int per = 32 / p.bits, bias = p.exponent_bits ? (1 << (p.exponent_bits - 1)) - 1 : 0;
    std::vector<uint32_t> a(warps * 32 * p.a_registers), b(warps * 32 * p.b_registers), c(warps * 32 * p.c_registers),
        d(c.size());
    for (int w = 0; w < warps; ++w) {
      const int style = w % 7;
      const int spread = 1 + int(g_random() % (p.exponent_bits >= 8 ? 24 : p.exponent_bits == 5 ? 12 : 6));
      const int centre = bias + int(g_random() % 5) - 2;
      const auto fill = [&](std::vector<uint32_t>& to, int registers) {
        for (int i = 0; i < 32 * registers; ++i) {
          uint32_t word = 0;
          for (int e = 0; e < per; ++e) {
            uint32_t x = element(p.exponent_bits, p.mantissa_bits, style, centre, spread);
            if (p.bits == 32) x <<= 13;
            word |= x << (e * p.bits % 32);
          }
          to[size_t(w) * 32 * registers + i] = word;
        }
      };
      fill(a, p.a_registers);
      fill(b, p.b_registers);
      for (int i = 0; i < 32 * p.c_registers; ++i) {
        uint32_t word;
        if (p.exponent_bits == 0)
          word = g_random() % 3 ? g_random() : 0x7fffff00u;
        else if (p.c_registers == 2)
          word = element(5, 10, style, 15, 10) | element(5, 10, style, 15, 10) << 16;
        else
          word = g_random() % 5 == 0
                     ? 0
                     : element(8, 23, style == 6 ? 0 : style, 127 + int(g_random() % 9) - 4, 1 + spread);
        c[size_t(w) * 32 * p.c_registers + i] = word;
      }
    }
    // Every third warp: products that cancel in pairs. In the A fragment, registers 0 and 2 hold columns t.. and t
    // + 8..; making them opposite, with equal B registers, leaves what rounding leaves.
    if (p.a_registers == 4 && p.exponent_bits != 0)
      for (int w = 0; w < warps; w += 3)
        for (int lane = 0; lane < 32; ++lane) {
          uint32_t* ra = &a[(size_t(w) * 32 + lane) * 4];
          uint32_t* rb = &b[(size_t(w) * 32 + lane) * 2];
          const uint32_t signs = p.bits == 8 ? 0x80808080u : p.bits == 16 ? 0x80008000u : 0x80000000u;
          ra[2] = ra[0] ^ signs;
          ra[3] = ra[1] ^ signs;
          rb[1] = rb[0] ^ (lane % 8 == 0 ? 1u << (g_random() % p.mantissa_bits + (p.bits == 32 ? 13 : 0)) : 0);
        }
    uint32_t *da, *db, *dc, *dd;
    cudaMalloc(&da, a.size() * 4);
    cudaMalloc(&db, b.size() * 4);
    cudaMalloc(&dc, c.size() * 4);
    cudaMalloc(&dd, d.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
    p.kernel<<<warps, 32>>>(da, db, dc, dd);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      std::printf("%s: %s\n", p.name, cudaGetErrorString(error));
      return 1;
    }
    cudaMemcpy(d.data(), dd, d.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dd);
    char path[512];
    std::snprintf(path, sizeof path, "%s/%s.bin", folder, p.name);
    std::FILE* file = std::fopen(path, "wb");
    if (!file) return 1;
    for (const auto* v : {&a, &b, &c, &d}) std::fwrite(v->data(), 4, v->size(), file);
    std::fclose(file);
    std::printf("%s: %d warps\n", p.name, warps);
  }
  return 0;
}
