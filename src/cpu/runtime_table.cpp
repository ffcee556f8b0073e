#include "cpu/runtime_table.h"

#include <array>
#include <cmath>
#include <cstring>

#include "cpu/runtime.h"

extern "C" {
__extension__ typedef __int128 WwInt128;
__extension__ typedef unsigned __int128 WwUint128;
WwInt128 __divti3(WwInt128, WwInt128);
WwInt128 __modti3(WwInt128, WwInt128);
WwUint128 __udivti3(WwUint128, WwUint128);
WwUint128 __umodti3(WwUint128, WwUint128);
}

namespace ww::cpu {

namespace {

struct Row {
  std::string_view name;
  const void* function;
};

}  // namespace

template <typename F>
static const void* address(F* function) {
  return reinterpret_cast<const void*>(function);
}

static constexpr std::array<std::string_view, 18> kLibraryCalls = {
    "memcpy", "memmove", "memset", "fma",  "fmaf",  "floor",    "floorf",   "ceil",      "ceilf",
    "trunc",  "truncf",  "rint",   "fmod", "fmodf", "__divti3", "__modti3", "__udivti3", "__umodti3"};

static const void* library_call(std::string_view name) {
  static const Row kRows[] = {
      {"memcpy", address(&std::memcpy)},
      {"memmove", address(&std::memmove)},
      {"memset", address(&std::memset)},
      {"fma", address<double(double, double, double)>(&::fma)},
      {"fmaf", address<float(float, float, float)>(&::fmaf)},
      {"floor", address<double(double)>(&::floor)},
      {"floorf", address<float(float)>(&::floorf)},
      {"ceil", address<double(double)>(&::ceil)},
      {"ceilf", address<float(float)>(&::ceilf)},
      {"trunc", address<double(double)>(&::trunc)},
      {"truncf", address<float(float)>(&::truncf)},
      {"rint", address<double(double)>(&::rint)},
      {"fmod", address<double(double, double)>(&::fmod)},
      {"fmodf", address<float(float, float)>(&::fmodf)},
      {"__divti3", address(&__divti3)},
      {"__modti3", address(&__modti3)},
      {"__udivti3", address(&__udivti3)},
      {"__umodti3", address(&__umodti3)},
  };
  for (const Row& row : kRows)
    if (row.name == name) return row.function;
  return nullptr;
}

std::span<const std::string_view> runtime_library_calls() {
  return kLibraryCalls;
}

const void* runtime_function(HostIsa isa, std::string_view name) {
  if (const MmaFunction function = find_mma_function(isa, name)) return address(function);
  if (const WarpFunction function = find_warp_function(name)) return address(function);
  if (name == "cpu.meet") return address(&meet);
  return library_call(name);
}

}  // namespace ww::cpu
