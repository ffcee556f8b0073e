// psABI levels by cpuid, through the compiler's own checks (these include the operating system's support for the
// registers).
#include "device/host.h"

#include <sched.h>

#include <thread>

namespace ww {

unsigned host_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
                  __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                  __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : v3 ? 3 : v2 ? 2 : 1;
#else
  return 1;
#endif
}

unsigned level_of(HostIsa isa) {
  switch (isa) {
    case HostIsa::kV2:
      return 2;
    case HostIsa::kV3:
      return 3;
    case HostIsa::kV4:
      return 4;
    case HostIsa::kNative:
      break;
  }
  return host_level();
}

unsigned host_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return static_cast<unsigned>(CPU_COUNT(&set));
  const unsigned all = std::thread::hardware_concurrency();
  return all == 0 ? 1 : all;
}

std::string host_description() {
  const unsigned threads = host_threads();
  return "x86-64-v" + std::to_string(host_level()) + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

}  // namespace ww
