// mma by name: the vectorised functions of this level where there is one, else the scalar model.
#include <algorithm>
#include <array>
#include <iterator>

#include "cpu/mma.h"
#include "cpu/runtime.h"
#include "devicelib/mma.h"

namespace ww::cpu {

using devicelib::MmaAccumulator;
using devicelib::MmaShape;
using devicelib::MmaType;

// Registers between "array of 32 a register" here and "a lane's registers together" there.
template <typename T>
static void by_lane(const T* arrays, int registers, T* lanes) {
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < 32; ++lane) lanes[lane * registers + r] = arrays[r * 32 + lane];
}
template <typename T>
static void by_register(const T* lanes, int registers, T* arrays) {
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < 32; ++lane) arrays[r * 32 + lane] = lanes[lane * registers + r];
}

template <MmaShape shape>
static void by_model(const void* in, void* out) {
  if constexpr (shape.accumulator == MmaAccumulator::kF64) {
    constexpr int kA = shape.m * shape.k / 32, kB = shape.n * shape.k / 32, kC = shape.m * shape.n / 32;
    const auto* words = static_cast<const uint64_t*>(in);
    devicelib::u64 a[32 * kA], b[32 * kB], c[32 * kC];
    by_lane<devicelib::u64>(reinterpret_cast<const devicelib::u64*>(words), kA, a);
    by_lane<devicelib::u64>(reinterpret_cast<const devicelib::u64*>(words) + 32 * kA, kB, b);
    by_lane<devicelib::u64>(reinterpret_cast<const devicelib::u64*>(words) + 32 * (kA + kB), kC, c);
    devicelib::mma_f64(shape, a, b, c, c);
    by_register<devicelib::u64>(c, kC, static_cast<devicelib::u64*>(out));
  } else {
    const int a_registers = mma_a_registers(shape), b_registers = mma_b_registers(shape), c_registers = mma_c_registers(shape);
    const auto* words = static_cast<const uint32_t*>(in);
    uint32_t a[32 * 8], b[32 * 4], c[32 * 4];
    by_lane(words, a_registers, a);
    by_lane(words + 32 * a_registers, b_registers, b);
    by_lane(words + 32 * (a_registers + b_registers), c_registers, c);
    mma_32(devicelib::kMmaHopper, shape, a, b, c, c);
    by_register(c, c_registers, static_cast<uint32_t*>(out));
  }
}

template <MmaShape shape>
static void model(WarpContext*, uint32_t, const void* in, void* out) {
  by_model<shape>(in, out);
}

void mma_by_model_k16_f32(const void* in, void* out) {
  by_model<MmaShape{16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}>(in, out);
}
void mma_by_model_k8_f32(const void* in, void* out) {
  by_model<MmaShape{16, 8, 8, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}>(in, out);
}

// Behind "mma." and in front of the numerics: the shape and types as PTX has them.
#define WW_ROW(m, n, k, a, b, accumulator, name_d, name_a, name_b)                          \
  {"m" #m "n" #n "k" #k ".row.col." name_d "." name_a "." name_b "." name_d,               \
   &model<MmaShape{m, n, k, MmaType::a, MmaType::b, MmaAccumulator::accumulator, false}>}
#define WW_SATURATING_ROW(m, n, k, a, b, name_a, name_b)                          \
  {"m" #m "n" #n "k" #k ".row.col.satfinite.s32." name_a "." name_b ".s32",     \
   &model<MmaShape{m, n, k, MmaType::a, MmaType::b, MmaAccumulator::kS32, true}>}
#define WW_F8_ROWS(k, accumulator, name_d)                                             \
  WW_ROW(16, 8, k, kE4M3, kE4M3, accumulator, name_d, "e4m3", "e4m3"),                 \
      WW_ROW(16, 8, k, kE4M3, kE5M2, accumulator, name_d, "e4m3", "e5m2"),             \
      WW_ROW(16, 8, k, kE5M2, kE4M3, accumulator, name_d, "e5m2", "e4m3"),             \
      WW_ROW(16, 8, k, kE5M2, kE5M2, accumulator, name_d, "e5m2", "e5m2")
#define WW_BYTE_ROWS(m, k)                                                                        \
  WW_ROW(m, 8, k, kS8, kS8, kS32, "s32", "s8", "s8"), WW_ROW(m, 8, k, kS8, kU8, kS32, "s32", "s8", "u8"), \
      WW_ROW(m, 8, k, kU8, kS8, kS32, "s32", "u8", "s8"), WW_ROW(m, 8, k, kU8, kU8, kS32, "s32", "u8", "u8"), \
      WW_SATURATING_ROW(m, 8, k, kS8, kS8, "s8", "s8"), WW_SATURATING_ROW(m, 8, k, kS8, kU8, "s8", "u8"),     \
      WW_SATURATING_ROW(m, 8, k, kU8, kS8, "u8", "s8"), WW_SATURATING_ROW(m, 8, k, kU8, kU8, "u8", "u8")

static constexpr WarpFunctionRow kModelRows[] = {
    WW_ROW(16, 8, 16, kF16, kF16, kF32, "f32", "f16", "f16"),
    WW_ROW(16, 8, 8, kF16, kF16, kF32, "f32", "f16", "f16"),
    WW_ROW(16, 8, 16, kF16, kF16, kF16, "f16", "f16", "f16"),
    WW_ROW(16, 8, 8, kF16, kF16, kF16, "f16", "f16", "f16"),
    WW_ROW(16, 8, 16, kBf16, kBf16, kF32, "f32", "bf16", "bf16"),
    WW_ROW(16, 8, 8, kBf16, kBf16, kF32, "f32", "bf16", "bf16"),
    WW_ROW(16, 8, 8, kTf32, kTf32, kF32, "f32", "tf32", "tf32"),
    WW_ROW(16, 8, 4, kTf32, kTf32, kF32, "f32", "tf32", "tf32"),
    WW_F8_ROWS(32, kF32, "f32"),
    WW_F8_ROWS(16, kF32, "f32"),
    WW_F8_ROWS(32, kF16, "f16"),
    WW_F8_ROWS(16, kF16, "f16"),
    WW_BYTE_ROWS(8, 16),
    WW_BYTE_ROWS(16, 16),
    WW_BYTE_ROWS(16, 32),
    WW_ROW(8, 8, 4, kF64, kF64, kF64, "f64", "f64", "f64"),
    WW_ROW(16, 8, 4, kF64, kF64, kF64, "f64", "f64", "f64"),
    WW_ROW(16, 8, 8, kF64, kF64, kF64, "f64", "f64", "f64"),
    WW_ROW(16, 8, 16, kF64, kF64, kF64, "f64", "f64", "f64"),
};

WarpFunction find_mma_function(HostIsa isa, std::string_view name) {
  const bool fast = name.starts_with("cpu.fast.mma.");
  if (!fast && !name.starts_with("cpu.mma.")) return nullptr;
  name.remove_prefix(std::string_view(fast ? "cpu.fast.mma." : "cpu.mma.").size());
  const MmaFunctions& functions = isa == HostIsa::kV4   ? v4::kMmaFunctions
                                  : isa == HostIsa::kV3 ? v3::kMmaFunctions
                                                        : v2::kMmaFunctions;
  if (name == "m16n8k16.row.col.f32.f16.f16.f32") return fast ? functions.fast_k16_f32 : functions.exact_k16_f32;
  if (name == "m16n8k8.row.col.f32.f16.f16.f32") return fast ? functions.fast_k8_f32 : functions.exact_k8_f32;
  if (fast && name == "m16n8k16.row.col.f16.f16.f16.f16") return functions.fast_k16_f16;
  if (fast && name == "m16n8k8.row.col.f16.f16.f16.f16") return functions.fast_k8_f16;
  const auto* found = std::find_if(std::begin(kModelRows), std::end(kModelRows), [&](const WarpFunctionRow& row) { return row.name == name; });
  return found == std::end(kModelRows) ? nullptr : found->function;
}

}  // namespace ww::cpu
