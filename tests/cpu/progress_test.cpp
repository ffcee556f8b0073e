// Warps, lanes and blocks that wait in loops for each other make progress. (Each of these kernels would hang if one ran
// to its end before another begins; a test's time limit would tell.)
#include <gtest/gtest.h>

#include <string>

#include "cpu/cpu_device.h"
#include "support/kernel_parameters.h"

namespace ww::cpu {
namespace {

const char kKernels[] = R"(.version 8.0
.target sm_80
.address_size 64
// Warp 0 waits until warp 1 has written the flag in shared memory; all lanes of a warp leave together, by a vote.
.visible .entry warps_by_vote(.param .u64 out) {
  .shared .align 4 .b32 flag;
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  setp.ge.u32 %p0, %r0, 32;
  @%p0 bra writer;
again:
  ld.volatile.shared.u32 %r1, [flag];
  setp.ne.u32 %p1, %r1, 0;
  vote.sync.any.pred %p1, %p1, -1;
  @!%p1 bra again;
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd1, %rd0, %rd1;
  st.global.u32 [%rd1], %r1;
  ret;
writer:
  mov.u32 %r2, 77;
  st.volatile.shared.u32 [flag], %r2;
  ret;
}
// The same without the vote, over global memory: flags[warp - 1] for every warp but the last, which starts.
.visible .entry warps_in_turn(.param .u64 flags, .param .u32 warps) {
  .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [flags]; ld.param.u32 %r4, [warps];
  mov.u32 %r0, %tid.x;
  shr.u32 %r1, %r0, 5;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd1, %rd0, %rd1;
  add.u32 %r2, %r1, 1;
  setp.eq.u32 %p0, %r2, %r4;
  mov.u32 %r3, 0;
  @%p0 bra put;
again:
  ld.volatile.global.u32 %r3, [%rd1+4];
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra again;
put:
  add.u32 %r3, %r3, 1;
  st.volatile.global.u32 [%rd1], %r3;
  ret;
}
// Lanes of a warp, each waiting for the next: lane 31 starts.
.visible .entry lanes_in_turn(.param .u64 flags) {
  .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [flags];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd1, %rd0, %rd1;
  mov.u32 %r2, %ntid.x;
  sub.u32 %r2, %r2, 1;
  setp.eq.u32 %p0, %r0, %r2;
  mov.u32 %r3, 0;
  @%p0 bra put;
again:
  ld.volatile.global.u32 %r3, [%rd1+4];
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra again;
put:
  add.u32 %r3, %r3, 1;
  st.volatile.global.u32 [%rd1], %r3;
  bar.warp.sync -1;
  bar.sync 0;
  ret;
}
// A lock that each lane takes in a loop of its own, and a plain counter behind it.
.visible .entry lock(.param .u64 lock, .param .u64 counter) {
  .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [lock]; ld.param.u64 %rd1, [counter];
again:
  atom.global.cas.b32 %r0, [%rd0], 0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra again;
  membar.gl;
  ld.volatile.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.volatile.global.u32 [%rd1], %r1;
  membar.gl;
  atom.global.exch.b32 %r0, [%rd0], 0;
  ret;
}
// One lane waits for all blocks, the others at the barrier: a barrier of the grid. Plain loads behind a fence.
.visible .entry grid_barrier(.param .u64 count, .param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [count]; ld.param.u64 %rd1, [out];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra behind;
  atom.global.add.u32 %r3, [%rd0], 1;
again:
  membar.gl;
  ld.global.u32 %r3, [%rd0];
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra again;
behind:
  bar.sync 0;
  ld.global.u32 %r4, [%rd0];
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd2, %rd1, %rd2;
  @!%p0 st.global.u32 [%rd2], %r4;
  ret;
}
// Look-back: block n adds one to what block n - 1 has put, or (forward) block n + 1.
.visible .entry chain(.param .u64 sums, .param .u32 forward) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [sums]; ld.param.u32 %r7, [forward];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x;
  setp.ne.u32 %p0, %r7, 0;
  sub.u32 %r2, %r1, 1;
  sub.u32 %r3, %r2, %r0;
  selp.b32 %r4, %r3, %r0, %p0;
  setp.eq.u32 %p1, %r4, 0;
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd1, %rd0, %rd1;
  mov.u32 %r5, 0;
  @%p1 bra put;
again:
  @%p0 ld.acquire.gpu.global.u32 %r5, [%rd1+4];
  @!%p0 ld.acquire.gpu.global.u32 %r5, [%rd1-4];
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra again;
put:
  add.u32 %r5, %r5, 1;
  st.release.gpu.global.u32 [%rd1], %r5;
  ret;
}
// Waits for a flag that nobody sets, in block 1; block 0 stops with a wild store.
.visible .entry waits_for_the_dead(.param .u64 flag) {
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [flag];
  mov.u32 %r0, %ctaid.x;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra dies;
again:
  ld.volatile.global.u32 %r1, [%rd0];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
dies:
  mov.u64 %rd1, 16;
  st.global.u32 [%rd1], %r0;
  ret;
}
)";

class Progress : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.threads = GetParam();
    auto opened = open_device("cpu", options);
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    device_ = std::move(*opened);
    auto loaded = device_->load_module(kKernels, "progress.ptx");
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
    module_ = std::move(*loaded);
    memory_ = *device_->allocate(kWords * 4);
    ASSERT_TRUE(device_->fill(memory_, 0, kWords * 4).ok());
  }

  template <typename... T>
  void run(const char* kernel, uint32_t blocks, uint32_t threads, T... values) {
    Status status = launch(kernel, blocks, threads, values...);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    words_.resize(kWords);
    ASSERT_TRUE(device_->download(std::as_writable_bytes(std::span(words_)), memory_).ok());
  }
  template <typename... T>
  Status launch(const char* kernel, uint32_t blocks, uint32_t threads, T... values) {
    const std::vector<std::byte> bytes = testing::kernel_parameters(values...);
    WW_ASSIGN(DeviceKernel * entry, module_->kernel(kernel));
    return device_->launch(*entry, {{blocks, 1, 1}, {threads, 1, 1}, 0, bytes});
  }

  static constexpr uint64_t kWords = 4096;
  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceModule> module_;
  DeviceAddress memory_ = 0;
  std::vector<uint32_t> words_;
};

TEST_P(Progress, WarpsThatLeaveTogether) {
  run("warps_by_vote", 1, 64, memory_);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(words_[i], 77u) << i;
}

TEST_P(Progress, WarpsInTurn) {
  run("warps_in_turn", 1, 256, memory_, 8u);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(words_[i], 8 - i) << i;
}

TEST_P(Progress, LanesInTurn) {
  run("lanes_in_turn", 1, 96, memory_);
  for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(words_[i], 96 - i) << i;
}

TEST_P(Progress, ALockForEachLane) {
  run("lock", 5, 100, memory_, memory_ + 4);
  EXPECT_EQ(words_[0], 0u);
  EXPECT_EQ(words_[1], 500u);
}

TEST_P(Progress, GridBarrier) {
  run("grid_barrier", 60, 64, memory_, memory_ + 4);
  EXPECT_EQ(words_[0], 60u);
  for (uint32_t i = 1; i <= 60; ++i) EXPECT_EQ(words_[i], 60u) << i;
}

TEST_P(Progress, BlocksThatWaitForEarlierOnes) {
  run("chain", 500, 1, memory_, 0u);
  for (uint32_t i = 0; i < 500; ++i) EXPECT_EQ(words_[i], i + 1) << i;
}

TEST_P(Progress, BlocksThatWaitForLaterOnes) {
  run("chain", 500, 1, memory_, 1u);
  for (uint32_t i = 0; i < 500; ++i) EXPECT_EQ(words_[i], 500 - i) << i;
}

TEST_P(Progress, AFaultEndsThoseWhoWait) {
  Status status = launch("waits_for_the_dead", 40, 32, memory_);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("illegal address"), std::string::npos) << status.error().message;
}

INSTANTIATE_TEST_SUITE_P(Threads, Progress, ::testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace ww::cpu
