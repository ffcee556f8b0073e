// Speed of the interpreter in lane instructions a second: arithmetic in a loop, shared memory with barriers, global
// memory with divergence, and tensor-core steps.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sim/sim.h"

namespace {

const char kModule[] = R"(.version 8.7
.target sm_90
.address_size 64
.visible .entry arithmetic(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F000000; mov.u32 %r2, 0;
LOOP:
  fma.rn.f32 %f1, %f1, %f2, %f2; mul.rn.f32 %f3, %f1, %f1; add.rn.f32 %f2, %f3, 0f3E800000; xor.b32 %r3, %r1, %r2; mad.lo.u32 %r1, %r3, 5, 1;
  shr.u32 %r4, %r1, 3; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 2000; @%p bra LOOP;
  cvt.rn.f32.u32 %f4, %r4; add.rn.f32 %f1, %f1, %f4; mul.wide.u32 %d2, %r1, 0; add.s64 %d1, %d1, %d2; st.global.f32 [%d1], %f1; ret;
}
.shared .align 4 .b8 tile[1024];
.visible .entry shared_memory(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<10>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; mov.u32 %r5, 0;
LOOP:
  bar.sync 0; xor.b32 %r6, %r2, 64; add.u32 %r7, %r3, %r6; ld.shared.u32 %r8, [%r7]; add.u32 %r8, %r8, %r5; bar.sync 0; st.shared.u32 [%r4], %r8;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 300; @%p bra LOOP;
  st.global.u32 [%d1], %r8; ret;
}
.visible .entry divergence(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 27; mov.u32 %r3, 0; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
LOOP:
  and.b32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra EVEN;
  mad.lo.u32 %r2, %r2, 3, 1; st.global.u32 [%d3], %r2; bra NEXT;
EVEN:
  shr.u32 %r2, %r2, 1; ld.global.u32 %r5, [%d3]; add.u32 %r2, %r2, 0;
NEXT:
  add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 1000; @%p2 bra LOOP; ret;
}
.visible .entry matrix(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<10>; .reg .f32 %f<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, 0x3c003c00; mov.u32 %r2, 0; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
LOOP:
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f0, %f1, %f2, %f3};
  add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 200; @%p bra LOOP;
  st.global.f32 [%d1], %f0; ret;
}
)";

void run(benchmark::State& state, const char* entry, uint32_t block) {
  auto device = ww::sim::open("sim", {});
  auto module = (*device)->load_module(kModule, "bench.ptx");
  if (!module.ok()) return state.SkipWithError(module.error().to_string().c_str());
  auto kernel = (*module)->kernel(entry);
  const auto out = (*device)->allocate(1 << 20);
  const std::vector<uint64_t> parameters{*out};
  const ww::sim::Statistics before = ww::sim::statistics();
  for (auto _ : state) {
    ww::Launch launch;
    launch.grid = {4};
    launch.block = {block};
    launch.parameters = std::as_bytes(std::span(parameters));
    const ww::Status status = (*device)->launch(**kernel, launch);
    if (!status.ok()) return state.SkipWithError(status.error().to_string().c_str());
  }
  const auto lanes = double(ww::sim::statistics().lane_instructions - before.lane_instructions);
  state.counters["lane_instructions"] = benchmark::Counter(lanes, benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK_CAPTURE(run, arithmetic, "arithmetic", 256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, shared_memory, "shared_memory", 256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, divergence, "divergence", 256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, matrix, "matrix", 32)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
