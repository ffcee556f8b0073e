// mma by name: the vectorised functions of this level where there is one, else the scalar model.
#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>

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
static void model(const void* a_in, const void* b_in, const void* c_in, void* d_out) {
  using Word = std::conditional_t<shape.accumulator == MmaAccumulator::kF64, devicelib::u64, uint32_t>;
  constexpr bool kWide = shape.accumulator == MmaAccumulator::kF64;
  const int a_registers = kWide ? shape.m * shape.k / 32 : mma_a_registers(shape);
  const int b_registers = kWide ? shape.n * shape.k / 32 : mma_b_registers(shape);
  const int c_registers = kWide ? shape.m * shape.n / 32 : mma_c_registers(shape);
  Word a[32 * 8], b[32 * 4], c[32 * 4];
  by_lane(static_cast<const Word*>(a_in), a_registers, a);
  by_lane(static_cast<const Word*>(b_in), b_registers, b);
  by_lane(static_cast<const Word*>(c_in), c_registers, c);
  if constexpr (kWide)
    devicelib::mma_f64(shape, a, b, c, c);
  else
    mma_32(devicelib::kMmaHopper, shape, a, b, c, c);
  by_register(c, c_registers, static_cast<Word*>(d_out));
}

void mma_by_model_k16_f32(const void* a, const void* b, const void* c, void* d) {
  model<MmaShape{16, 8, 16, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}>(a, b, c, d);
}
void mma_by_model_k8_f32(const void* a, const void* b, const void* c, void* d) {
  model<MmaShape{16, 8, 8, MmaType::kF16, MmaType::kF16, MmaAccumulator::kF32, false}>(a, b, c, d);
}

namespace {

struct ModelRow {
  std::string_view name;
  MmaFunction function;
};

}  // namespace

// Behind "mma." and in front of the numerics: the shape and types as PTX has them.
#define WW_ROW(m, n, k, a, b, accumulator, name_d, name_a, name_b)                            \
  {                                                                                           \
    "m" #m "n" #n "k" #k ".row.col." name_d "." name_a "." name_b "." name_d,                 \
        &model<MmaShape{m, n, k, MmaType::a, MmaType::b, MmaAccumulator::accumulator, false}> \
  }
#define WW_SATURATING_ROW(m, n, k, a, b, name_a, name_b)                              \
  {                                                                                   \
    "m" #m "n" #n "k" #k ".row.col.satfinite.s32." name_a "." name_b ".s32",          \
        &model<MmaShape{m, n, k, MmaType::a, MmaType::b, MmaAccumulator::kS32, true}> \
  }
#define WW_F8_ROWS(k, accumulator, name_d)                                 \
  WW_ROW(16, 8, k, kE4M3, kE4M3, accumulator, name_d, "e4m3", "e4m3"),     \
      WW_ROW(16, 8, k, kE4M3, kE5M2, accumulator, name_d, "e4m3", "e5m2"), \
      WW_ROW(16, 8, k, kE5M2, kE4M3, accumulator, name_d, "e5m2", "e4m3"), \
      WW_ROW(16, 8, k, kE5M2, kE5M2, accumulator, name_d, "e5m2", "e5m2")
#define WW_BYTE_ROWS(m, k)                                                                                    \
  WW_ROW(m, 8, k, kS8, kS8, kS32, "s32", "s8", "s8"), WW_ROW(m, 8, k, kS8, kU8, kS32, "s32", "s8", "u8"),     \
      WW_ROW(m, 8, k, kU8, kS8, kS32, "s32", "u8", "s8"), WW_ROW(m, 8, k, kU8, kU8, kS32, "s32", "u8", "u8"), \
      WW_SATURATING_ROW(m, 8, k, kS8, kS8, "s8", "s8"), WW_SATURATING_ROW(m, 8, k, kS8, kU8, "s8", "u8"),     \
      WW_SATURATING_ROW(m, 8, k, kU8, kS8, "u8", "s8"), WW_SATURATING_ROW(m, 8, k, kU8, kU8, "u8", "u8")

static constexpr ModelRow kModelRows[] = {
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

MmaFunction find_mma_function(HostIsa isa, std::string_view name) {
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
  const auto* found =
      std::find_if(std::begin(kModelRows), std::end(kModelRows), [&](const ModelRow& row) { return row.name == name; });
  return found == std::end(kModelRows) ? nullptr : found->function;
}

}  // namespace ww::cpu
