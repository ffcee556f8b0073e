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

MmaFunction model_of(HostIsa isa) {
  return isa == HostIsa::kV4 ? &v4::mma_by_model : isa == HostIsa::kV3 ? &v3::mma_by_model : &v2::mma_by_model;
}

}  // namespace

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
