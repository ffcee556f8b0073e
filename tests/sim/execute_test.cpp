// Kernels whose results plain C++ gives: memory, loops, divergence, calls, shared memory, atomics, warp instructions.
#include <bit>
#include <numeric>

#include "sim/run_ptx.h"
#include "support/negated_predicates.h"

namespace ww {
namespace {
using test::kernel;
using test::PtxRunner;
using test::store32;

TEST(Execute, VectorAdd) {
  PtxRunner sim;
  sim.load(kernel(R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %t;
    cvt.u32.u64 %r4, %a3; setp.ge.u32 %p1, %r3, %r4; @%p1 bra DONE;
    mul.wide.u32 %d1, %r3, 4; add.s64 %d2, %a1, %d1; add.s64 %d3, %a2, %d1; add.s64 %d4, %a0, %d1;
    ld.global.f32 %f1, [%d2]; ld.global.f32 %f2, [%d3]; add.rn.f32 %f3, %f1, %f2; st.global.f32 [%d4], %f3;
    DONE:)",
                  4));
  std::vector<float> a(1000), b(1000);
  for (int i = 0; i < 1000; ++i) {
    a[i] = float(i) * 0.5f;
    b[i] = 1000.0f - float(i);
  }
  const auto out = sim.buffer(std::vector<float>(1000)), x = sim.buffer(a), y = sim.buffer(b);
  sim.expect_ok("k", {4}, {256}, {out, x, y, 1000});
  const auto c = sim.read<float>(out, 1000);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(c[i], a[i] + b[i]);
}

TEST(Execute, DivergentLoopsMeetAgain) {
  // Collatz steps of tid + 1; then all lanes count who is there.
  PtxRunner sim;
  sim.load(kernel(R"(
    add.u32 %r1, %t, 1; mov.u32 %r2, 0;
    LOOP: setp.eq.u32 %p1, %r1, 1; @%p1 bra OUT;
    and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra EVEN;
    mad.lo.u32 %r1, %r1, 3, 1; bra NEXT;
    EVEN: shr.u32 %r1, %r1, 1;
    NEXT: add.u32 %r2, %r2, 1; bra LOOP;
    OUT: activemask.b32 %r4; )" +
                  store32("%r2") + store32("%r4", "%a1")));
  const auto steps = sim.buffer(std::vector<uint32_t>(64)), masks = sim.buffer(std::vector<uint32_t>(64));
  sim.expect_ok("k", {1}, {64}, {steps, masks});
  const auto s = sim.read<uint32_t>(steps, 64), m = sim.read<uint32_t>(masks, 64);
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t n = i + 1, count = 0;
    for (; n != 1; ++count) n = n % 2 ? 3 * n + 1 : n / 2;
    EXPECT_EQ(s[i], count);
    EXPECT_EQ(m[i], 0xffffffffu);
  }
}

TEST(Execute, SharedMemoryReduction) {
  const std::string text = kernel(R"(
    mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %t;
    mov.u32 %r4, 128;
    LOOP: bar.sync 0; setp.ge.u32 %p1, %t, %r4; @%p1 bra SKIP;
    shl.b32 %r5, %r4, 2; add.u32 %r6, %r3, %r5; ld.shared.u32 %r7, [%r6]; ld.shared.u32 %r8, [%r3]; add.u32 %r7, %r7, %r8; st.shared.u32 [%r3], %r7;
    SKIP: shr.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra LOOP;
    bar.sync 0; ld.shared.u32 %r9, [tile]; )" +
                                      store32("%r9"),
                                  1, ".shared .align 4 .b8 tile[1024];\n");
  for (uint64_t seed : {0, 1, 2, 3, 4}) {
    DeviceOptions options;
    options.schedule_seed = seed;
    options.check_uninitialized = true;
    PtxRunner sim(options);
    sim.load(text);
    const auto out = sim.buffer(std::vector<uint32_t>(256));
    sim.expect_ok("k", {1}, {256}, {out});
    for (uint32_t v : sim.read<uint32_t>(out, 256)) ASSERT_EQ(v, 255u * 256 / 2) << "seed " << seed;
  }
}

TEST(Execute, CallsRecursionAndPointers) {
  const std::string functions = R"(
.visible .func (.param .b32 result) fib(.param .b32 n) {
  .reg .pred %p; .reg .b32 %r<8>; .param .b32 arg; .param .b32 ret0;
  ld.param.b32 %r1, [n]; setp.lt.u32 %p, %r1, 2; @%p bra BASE;
  sub.u32 %r2, %r1, 1; st.param.b32 [arg], %r2; call.uni (ret0), fib, (arg); ld.param.b32 %r3, [ret0];
  sub.u32 %r2, %r1, 2; st.param.b32 [arg], %r2; call.uni (ret0), fib, (arg); ld.param.b32 %r4, [ret0];
  add.u32 %r5, %r3, %r4; st.param.b32 [result], %r5; ret;
  BASE: st.param.b32 [result], %r1; ret;
}
.func (.param .b32 result) twice(.param .b32 n) { .reg .b32 %r<3>; ld.param.b32 %r1, [n]; add.u32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret; }
.func (.param .b32 result) square(.param .b32 n) { .reg .b32 %r<3>; ld.param.b32 %r1, [n]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret; }
)";
  PtxRunner sim;
  sim.load(kernel(R"(
    .param .b32 x; .param .b32 y;
    and.b32 %r1, %t, 15; st.param.b32 [x], %r1; call (y), fib, (x); ld.param.b32 %r2, [y]; )" +
                      store32("%r2") + R"(
    and.b32 %r3, %t, 1; setp.eq.u32 %p1, %r3, 0; mov.u64 %d1, twice; mov.u64 %d2, square; selp.b64 %d3, %d1, %d2, %p1;
    st.param.b32 [x], %t; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (y), %d3, (x), P; ld.param.b32 %r4, [y]; )" +
                      store32("%r4", "%a1"),
                  2, functions));
  const auto fib = sim.buffer(std::vector<uint32_t>(32)), pick = sim.buffer(std::vector<uint32_t>(32));
  sim.expect_ok("k", {1}, {32}, {fib, pick});
  const auto f = sim.read<uint32_t>(fib, 32), p = sim.read<uint32_t>(pick, 32);
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t a = 0, b = 1;
    for (uint32_t j = 0; j < i % 16; ++j) std::tie(a, b) = std::pair(b, a + b);
    EXPECT_EQ(f[i], a);
    EXPECT_EQ(p[i], i % 2 ? i * i : 2 * i);
  }
}

TEST(Execute, LanesOfAWarpThatWaitForEachOther) {
  // A spin lock that each lane takes: with masked execution it would never end.
  const std::string text = kernel(R"(
    TRY: atom.global.cas.b32 %r1, [%a0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra TRY;
    ld.volatile.global.u32 %r2, [%a1]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%a1], %r2;
    membar.gl; atom.global.exch.b32 %r3, [%a0], 0;)");
  for (uint64_t seed : {0, 7}) {
    DeviceOptions options;
    options.schedule_seed = seed;
    PtxRunner sim(options);
    sim.load(text);
    const auto lock = sim.buffer(std::vector<uint32_t>(1)), count = sim.buffer(std::vector<uint32_t>(1));
    sim.expect_ok("k", {2}, {64}, {lock, count});
    EXPECT_EQ(sim.read<uint32_t>(count, 1)[0], 128u);
  }
}

TEST(Execute, WarpInstructions) {
  PtxRunner sim;
  sim.load(kernel(R"(
    shfl.sync.bfly.b32 %r1|%p1, %t, 1, 31, -1; )" +
                      store32("%r1") + R"(
    shfl.sync.up.b32 %r2|%p2, %t, 3, 0, -1; selp.u32 %r3, %r2, 99, %p2; )" +
                      store32("%r3", "%a1") + R"(
    and.b32 %r4, %t, 3; setp.eq.u32 %p3, %r4, 0; vote.sync.ballot.b32 %r5, %p3, -1; )" +
                      store32("%r5", "%a2") + R"(
    match.any.sync.b32 %r6, %r4, -1; )" +
                      store32("%r6", "%a3") + R"(
    redux.sync.add.u32 %r7, %t, -1; )" +
                      store32("%r7", "%a4"),
                  5));
  std::vector<uint64_t> out;
  for (int i = 0; i < 5; ++i) out.push_back(sim.buffer(std::vector<uint32_t>(32)));
  sim.expect_ok("k", {1}, {32}, out);
  const auto butterfly = sim.read<uint32_t>(out[0], 32), up = sim.read<uint32_t>(out[1], 32),
             ballot = sim.read<uint32_t>(out[2], 32), match = sim.read<uint32_t>(out[3], 32),
             sum = sim.read<uint32_t>(out[4], 32);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(butterfly[i], i ^ 1);
    EXPECT_EQ(up[i], i < 3 ? 99 : i - 3);
    EXPECT_EQ(ballot[i], 0x11111111u);
    EXPECT_EQ(match[i], 0x11111111u << (i % 4));
    EXPECT_EQ(sum[i], 496u);
  }
}

TEST(Execute, NegatedPredicates) {
  auto device = sim::open("sim", {});
  ASSERT_TRUE(device.ok());
  testing::expect_negated_predicates(**device);
}

TEST(Execute, TensorCoreOfSmallIntegersIsExact) {
  // A[r][c] = r + c, B[k][n] = k == n: the product is A's first 8 columns; all values are exact.
  PtxRunner sim;
  sim.load(kernel(R"(
    shr.u32 %r20, %lane, 2; and.b32 %r21, %lane, 3; shl.b32 %r22, %r21, 1;   // g, t, 2t
    add.u32 %r1, %r20, %r22; cvt.rn.f32.u32 %f1, %r1; add.rn.f32 %f2, %f1, 0f3F800000; cvt.rn.f16x2.f32 %r10, %f2, %f1;
    add.rn.f32 %f3, %f1, 0f41000000; add.rn.f32 %f4, %f2, 0f41000000; cvt.rn.f16x2.f32 %r11, %f4, %f3;
    add.rn.f32 %f5, %f3, 0f41000000; add.rn.f32 %f6, %f4, 0f41000000; cvt.rn.f16x2.f32 %r13, %f6, %f5;
    setp.eq.u32 %p1, %r20, %r22; add.u32 %r23, %r22, 1; setp.eq.u32 %p2, %r20, %r23;
    selp.u32 %r14, 0x3c00, 0, %p1; selp.u32 %r15, 0x3c000000, 0, %p2; or.b32 %r14, %r14, %r15;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f10, %f11, %f12, %f13}, {%r10, %r11, %r11, %r13}, {%r14, %r15}, {0f00000000, 0f00000000, 0f00000000, 0f00000000};
    shl.b32 %r30, %r20, 3; add.u32 %r30, %r30, %r22; mul.wide.u32 %d1, %r30, 4; add.s64 %d1, %d1, %a0;
    st.global.v2.f32 [%d1], {%f10, %f11}; st.global.v2.f32 [%d1+256], {%f12, %f13};)",
                  1));
  // The second b register names rows 8 to 15, which have to be zero: clear %r15 first.
  const auto out = sim.buffer(std::vector<float>(128));
  sim.expect_ok("k", {1}, {32}, {out});
  const auto d = sim.read<float>(out, 128);
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 8; ++c) {
      // %r15 as rows 8..15 of B: element (8 + 2t + 1, g) is 1 where g = 2t + 1.
      const float extra = c % 2 ? float(r + 8 + c) : 0.0f;
      EXPECT_EQ(d[size_t(r * 8 + c)], float(r + c) + extra) << r << " " << c;
    }
}

TEST(Execute, ConversionsAndHalfPrecision) {
  PtxRunner sim;
  sim.load(kernel(R"(
    cvt.rn.f32.s32 %f1, -3; mul.rn.f32 %f1, %f1, 0f3F200000; cvt.rzi.s32.f32 %r1, %f1;   // -1.875
    cvt.rni.s32.f32 %r2, %f1; cvt.rmi.s32.f32 %r3, %f1; cvt.rpi.s32.f32 %r4, %f1;
    cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f2, %h1; mov.b32 %r5, %f2;
    cvt.s8.s32 %h2, 200; cvt.s32.s16 %r6, %h2; cvt.sat.u8.s32 %h3, 300; cvt.u32.u16 %r7, %h3;
    st.global.v4.u32 [%a0], {%r1, %r2, %r3, %r4}; st.global.u32 [%a0+16], %r5; st.global.v2.u32 [%a0+24], {%r6, %r7};)",
                  1));
  const auto out = sim.buffer(std::vector<int32_t>(8));
  sim.expect_ok("k", {1}, {1}, {out});
  const auto v = sim.read<int32_t>(out, 8);
  EXPECT_EQ(v[0], -1);
  EXPECT_EQ(v[1], -2);
  EXPECT_EQ(v[2], -2);
  EXPECT_EQ(v[3], -1);
  EXPECT_EQ(std::bit_cast<float>(v[4]), -1.875f);
  EXPECT_EQ(v[6], -56);
  EXPECT_EQ(v[7], 255);
}

TEST(Execute, InitialisedVariablesAndTheirAddresses) {
  PtxRunner sim;
  sim.load(kernel(R"(
    ld.global.u64 %d1, [pointer]; ld.u32 %r1, [%d1+4]; ld.const.u32 %r2, [table+8]; st.global.v2.u32 [%a0], {%r1, %r2};)",
                  1,
                  ".global .align 4 .u32 numbers[3] = {10, 20, 30};\n.global .align 8 .u64 pointer = "
                  "generic(numbers);\n.const .align 4 .u32 table[3] = {7, 8, 9};\n"));
  const auto out = sim.buffer(std::vector<uint32_t>(2));
  sim.expect_ok("k", {1}, {1}, {out});
  EXPECT_EQ(sim.read<uint32_t>(out, 2), (std::vector<uint32_t>{20, 9}));
  EXPECT_EQ(sim.module().global("numbers")->second, 12u);
}

TEST(Execute, LocalMemoryAndGenericAddresses) {
  PtxRunner sim;
  sim.load(kernel(R"(
    .local .align 8 .b8 scratch[64];
    mov.u64 %d1, scratch; cvta.local.u64 %d2, %d1; st.local.u32 [%d1+8], %t; ld.u32 %r1, [%d2+8];
    mov.u64 %d3, tile; cvta.shared.u64 %d4, %d3; mul.wide.u32 %d5, %t, 4; add.s64 %d4, %d4, %d5; st.u32 [%d4], %r1;
    bar.sync 0; cvta.to.shared.u64 %d6, %d4; ld.shared.u32 %r2, [%d6]; )" +
                      store32("%r2"),
                  1, ".shared .align 4 .b8 tile[256];\n"));
  const auto out = sim.buffer(std::vector<uint32_t>(64));
  sim.expect_ok("k", {1}, {64}, {out});
  const auto v = sim.read<uint32_t>(out, 64);
  for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(v[i], i);
}

}  // namespace
}  // namespace ww
