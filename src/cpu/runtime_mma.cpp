// mma by name: the vectorised functions of this level where there is one, else the scalar model.
#include "cpu/mma.h"
#include "cpu/runtime.h"
#include "devicelib/mma.h"

namespace ww::cpu {

using namespace devicelib;

void mma_by_model(const void* a, const void* b, const void* c, void* d, uint32_t packed) {
  const MmaShape shape = unpack_shape(packed);
  if (shape.accumulator == MmaAccumulator::kF64)
    return mma_f64(shape, static_cast<const u64*>(a), static_cast<const u64*>(b), static_cast<const u64*>(c),
                   static_cast<u64*>(d));
  const auto* b_words = static_cast<const u32*>(b);
  mma_32(kMmaHopper, shape, static_cast<const u32*>(a), b_words, static_cast<const u32*>(c), static_cast<u32*>(d),
         b_words + 32 * mma_b_registers(shape));
}

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
  MmaShape shape;
  return mma_shape(std::string(name).c_str(), shape) ? &mma_by_model : nullptr;
}

}  // namespace ww::cpu
