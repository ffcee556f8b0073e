#include "devicelib/mma_levels.h"

#include "devicelib/mma.h"

namespace ww::devicelib {
namespace {

const MmaFunctions& functions_of(MmaLevel level) {
#if defined(WW_MMA_LEVELS)
  if (level == MmaLevel::kV4) return v4::kMmaFunctions;
  if (level == MmaLevel::kV3) return v3::kMmaFunctions;
#endif
  return base::kMmaFunctions;
}

}  // namespace

MmaLevel best_mma_level() {
#if defined(WW_MMA_LEVELS)
  static const MmaLevel level = [] {
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512cd");
    return v3 && v4 ? MmaLevel::kV4 : v3 ? MmaLevel::kV3 : MmaLevel::kBase;
  }();
  return level;
#else
  return MmaLevel::kBase;
#endif
}

void mma_32(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d,
            const u32* metadata, MmaLevel level) {
  functions_of(level).multiply_32(model, shape, a, b, c, d, metadata);
}
void mma_f64(const MmaShape& shape, const u64* a, const u64* b, const u64* c, u64* d, MmaLevel level) {
  functions_of(level).multiply_64(shape, a, b, c, d);
}
u32 mma_dot(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, int count, u32 c) {
  return functions_of(best_mma_level()).dot(model, shape, a, b, count, c);
}

}  // namespace ww::devicelib
