#include "cpu/host_level.h"

#include <array>

namespace ww::cpu {

// LLVM knows the levels as CPUs; for v4 it would prefer 256-bit vectors.
static constexpr std::array<HostLevel, 3> kLevels = {{
    {HostIsa::kV2, "x86-64-v2", "", 4, false, false, false},
    {HostIsa::kV3, "x86-64-v3", "", 8, true, true, false},
    {HostIsa::kV4, "x86-64-v4", "-prefer-256-bit", 16, true, true, true},
}};

const HostLevel& host_level(HostIsa isa) {
  return kLevels[isa == HostIsa::kV4 ? 2 : isa == HostIsa::kV3 ? 1 : 0];
}

Result<HostIsa> best_host_isa() {
  __builtin_cpu_init();
  const bool v2 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("ssse3");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v4) return HostIsa::kV4;
  if (v3) return HostIsa::kV3;
  if (v2) return HostIsa::kV2;
  return unsupported_error("this processor lacks the instructions of x86-64-v2 (SSE4.2, POPCNT)",
                           "Use a processor made after 2009, or the device `sim`");
}

Result<HostIsa> choose_host_isa(HostIsa wanted) {
  WW_ASSIGN(const HostIsa best, best_host_isa());
  if (wanted == HostIsa::kNative) return best;
  if (wanted > best)
    return usage_error("this processor does not support " + std::string(host_level(wanted).name) + "; its level is " +
                           std::string(host_level(best).name),
                       "Leave --host-isa out, or ask for a lower level");
  return wanted;
}

}  // namespace ww::cpu
