// mma by name: the vectorised functions of this level where there is one, else the scalar model.
#include "cpu/mma.h"
#include "cpu/runtime.h"
#include "devicelib/mma.h"

namespace ww::cpu {

using namespace devicelib;

namespace {

// Any shape and type.
template <MmaLevel level>
void by_model(const void* a, const void* b, const void* c, void* d, uint32_t packed) {
  const MmaShape shape = unpack_shape(packed);
  if (shape.accumulator == MmaAccumulator::kF64)
    return mma_f64(shape, static_cast<const u64*>(a), static_cast<const u64*>(b), static_cast<const u64*>(c),
                   static_cast<u64*>(d), level);
  const auto* b_words = static_cast<const u32*>(b);
  mma_32(mma_model(shape.ada), shape, static_cast<const u32*>(a), b_words, static_cast<const u32*>(c),
         static_cast<u32*>(d), b_words + 32 * mma_b_registers(shape), level);
}

}  // namespace

namespace v2 {
void mma_by_model(const void* a, const void* b, const void* c, void* d, uint32_t shape) {
  by_model<MmaLevel::kBase>(a, b, c, d, shape);
}
}  // namespace v2
namespace v3 {
void mma_by_model(const void* a, const void* b, const void* c, void* d, uint32_t shape) {
  by_model<MmaLevel::kV3>(a, b, c, d, shape);
}
}  // namespace v3
namespace v4 {
void mma_by_model(const void* a, const void* b, const void* c, void* d, uint32_t shape) {
  by_model<MmaLevel::kV4>(a, b, c, d, shape);
}
}  // namespace v4

namespace {

// For lanes that come one by one: the packed shape, then the registers of a, b and c, and the metadata of a sparse a.
void mma_of_lanes(WarpContext*, uint32_t, const void* in, void* out) {
  const MmaShape shape = unpack_shape(*in_array<uint32_t>(in, 0));
  const bool is_double = shape.accumulator == MmaAccumulator::kF64;
  const size_t bytes = warp_array_bytes(is_double ? 8 : 4);
  const size_t a = warp_array_bytes(4), b = a + bytes * size_t(mma_a_registers(shape)),
               c = b + bytes * size_t(mma_b_registers(shape)), metadata = c + bytes * size_t(mma_c_registers(shape));
  if (is_double)
    mma_f64(shape, in_array<u64>(in, a), in_array<u64>(in, b), in_array<u64>(in, c), out_array<u64>(out, 0),
            MmaLevel::kBase);
  else
    mma_32(mma_model(shape.ada), shape, in_array<u32>(in, a), in_array<u32>(in, b), in_array<u32>(in, c),
           out_array<u32>(out, 0), in_array<u32>(in, metadata), MmaLevel::kBase);
}

MmaFunction model_of(HostIsa isa) {
  return isa == HostIsa::kV4 ? &v4::mma_by_model : isa == HostIsa::kV3 ? &v3::mma_by_model : &v2::mma_by_model;
}

}  // namespace

WarpFunction find_lane_mma_function(std::string_view name) {
  return name == "cpu.mma" ? &mma_of_lanes : nullptr;
}

MmaFunction find_mma_function(HostIsa isa, std::string_view name) {
  const bool fast = name.starts_with("cpu.fast.mma.");
  const bool ada = name.starts_with("cpu.ada.mma.");
  const std::string_view prefix = fast ? "cpu.fast.mma." : ada ? "cpu.ada.mma." : "cpu.mma.";
  if (!name.starts_with(prefix)) return nullptr;
  name.remove_prefix(prefix.size());
  const MmaFunctions& functions = isa == HostIsa::kV4   ? v4::kMmaFunctions
                                  : isa == HostIsa::kV3 ? v3::kMmaFunctions
                                                        : v2::kMmaFunctions;
  if (!ada && name == "m16n8k16.row.col.f32.f16.f16.f32")
    return fast ? functions.fast_k16_f32 : functions.exact_k16_f32;
  if (!ada && name == "m16n8k8.row.col.f32.f16.f16.f32") return fast ? functions.fast_k8_f32 : functions.exact_k8_f32;
  if (fast && name == "m16n8k16.row.col.f16.f16.f16.f16") return functions.fast_k16_f16;
  if (fast && name == "m16n8k8.row.col.f16.f16.f16.f16") return functions.fast_k8_f16;
  MmaShape shape;
  return mma_shape(std::string(name).c_str(), shape) ? model_of(isa) : nullptr;
}

}  // namespace ww::cpu
