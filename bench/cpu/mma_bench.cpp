// Matrix steps a second, by level: `bench-mma`. One step of m16n8k16 is 4096 floating-point operations.
#include <benchmark/benchmark.h>

#include <cstring>

#include "cpu/host_level.h"
#include "cpu/runtime.h"
#include "devicelib/mma_shape.h"

namespace {

void step(benchmark::State& state, ww::HostIsa isa, const char* name) {
  if (!ww::cpu::choose_host_isa(isa).ok()) {
    state.SkipWithError("this processor lacks the level");
    return;
  }
  const ww::cpu::MmaFunction function = ww::cpu::find_mma_function(isa, name);
  const uint32_t shape = ww::devicelib::pack_shape({});  // m16n8k16 of f16 with f32
  alignas(64) uint32_t in[32 * 10], out[32 * 4] = {};
  for (int i = 0; i < 32 * 6; ++i) in[i] = 0x3c003a00u + uint32_t(i) * 0x00010003u;
  for (int i = 32 * 6; i < 32 * 10; ++i) in[i] = 0x3f800000u;
  for (auto _ : state) {
    function(in, in + 32 * 4, in + 32 * 6, out, shape);
    benchmark::ClobberMemory();
  }
  state.counters["flops"] = benchmark::Counter(4096.0, benchmark::Counter::kIsIterationInvariantRate);
}

constexpr char kFast[] = "cpu.fast.mma.m16n8k16.row.col.f32.f16.f16.f32";
constexpr char kExact[] = "cpu.mma.m16n8k16.row.col.f32.f16.f16.f32";

BENCHMARK_CAPTURE(step, fast_v4, ww::HostIsa::kV4, kFast);
BENCHMARK_CAPTURE(step, fast_v3, ww::HostIsa::kV3, kFast);
BENCHMARK_CAPTURE(step, fast_v2, ww::HostIsa::kV2, kFast);
BENCHMARK_CAPTURE(step, exact_v4, ww::HostIsa::kV4, kExact);
BENCHMARK_CAPTURE(step, exact_v3, ww::HostIsa::kV3, kExact);
BENCHMARK_CAPTURE(step, exact_v2, ww::HostIsa::kV2, kExact);

}  // namespace

BENCHMARK_MAIN();
