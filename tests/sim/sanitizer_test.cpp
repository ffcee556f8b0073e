// Each class of fault is caught and named: kind, kernel, PTX line, block, thread, address.
#include "sim/run_ptx.h"

namespace ww {
namespace {
using test::kernel;
using test::PtxRunner;
using test::store32;

TEST(Sanitizer, OutOfBoundsNamesThreadAndAllocation) {
  PtxRunner sim;
  sim.load(kernel(store32("%t")));
  const auto out = sim.buffer(std::vector<uint32_t>(40));
  sim.expect_error("k", {2}, {64}, {out, 0},
                   {"test.ptx:", "in k:", "out-of-bounds write of 4 bytes", "thread (40,0,0) of block (0,0,0)",
                    "0 bytes past the end of the 160-byte allocation"});
  sim.expect_error("k", {1}, {1}, {0, 0}, {"out-of-bounds write", "a null pointer"});
}

TEST(Sanitizer, LineIsTheInstructions) {
  PtxRunner sim;
  sim.load(
      ".visible .entry k(.param .u64 p) {\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.u64 %d, [p];\n\nld.global.u32 %r, "
      "[%d+2];\nret;\n}\n");
  const auto out = sim.buffer(std::vector<uint32_t>(4));
  // Three lines stand before the text.
  sim.expect_error("k", {1}, {1}, {out},
                   {"test.ptx:9:", "misaligned read of 4 bytes of global memory", "needs a multiple of 4"});
}

TEST(Sanitizer, UseAfterFree) {
  PtxRunner sim;
  sim.load(kernel("ld.global.u32 %r1, [%a0];", 1));
  const auto gone = sim.buffer(std::vector<uint32_t>(4));
  ASSERT_TRUE(sim.device().free(gone).ok());
  sim.expect_error("k", {1}, {1}, {gone}, {"use after free: read of 4 bytes", "freed 16-byte allocation"});
  EXPECT_FALSE(sim.device().free(gone).ok());
}

TEST(Sanitizer, UninitialisedReads) {
  DeviceOptions options;
  options.check_uninitialized = true;
  PtxRunner sim(options);
  sim.load(
      kernel("ld.global.u32 %r1, [%a0];", 1) +
      ".shared .align 4 .b8 s[64];\n.visible .entry shared_k() {\n.reg .b32 %r;\nld.shared.u32 %r, [s+4];\nret;\n}\n");
  const auto fresh = sim.device().allocate(64);
  ASSERT_TRUE(fresh.ok());
  sim.expect_error("k", {1}, {1}, {*fresh}, {"uninitialised read of 4 bytes of global memory"});
  ASSERT_TRUE(sim.device().fill(*fresh, 0, 3).ok());
  sim.expect_error("k", {1}, {1}, {*fresh}, {"uninitialised"});
  ASSERT_TRUE(sim.device().fill(*fresh, 0, 4).ok());
  sim.expect_ok("k", {1}, {1}, {*fresh});
  sim.expect_error("shared_k", {1}, {1}, {}, {"uninitialised read of 4 bytes of shared memory"});
}

TEST(Sanitizer, SharedLocalConstantAndParameters) {
  PtxRunner sim;
  sim.load(R"(.shared .align 4 .b8 s[64]; .const .align 4 .u32 c[2] = {1, 2};
.visible .entry shared_k() { .reg .b32 %r; ld.shared.u32 %r, [s+64]; ret; }
.visible .entry local_k() { .reg .b32 %r; .local .align 4 .b8 l[16]; ld.local.u32 %r, [l+16]; ret; }
.visible .entry const_k() { .reg .b64 %d; mov.u64 %d, c; st.global.u32 [%d], 5; ret; }
.visible .entry wide_k() { .reg .b32 %r<2>; .reg .b64 %d; mov.u64 %d, 0x200000002; ld.u32 %r0, [%d]; ret; }
)");
  sim.expect_error("shared_k", {1}, {1}, {}, {"out-of-bounds read of 4 bytes of shared memory at 0x40", "64 bytes"});
  sim.expect_error("local_k", {1}, {1}, {}, {"out-of-bounds read of 4 bytes of local memory at 0x10"});
  sim.expect_error("const_k", {1}, {1}, {}, {"illegal write of 4 bytes of constant memory"});
  sim.expect_error("wide_k", {1}, {1}, {}, {"misaligned read of 4 bytes of shared memory"});
}

TEST(Sanitizer, BarriersThatNeverOpen) {
  PtxRunner sim;
  sim.load(kernel("setp.lt.u32 %p1, %t, 16;\n@%p1 bra A;\nbra B;\nA: bar.sync 0;\nB: bar.sync 1;", 0));
  sim.expect_error("k", {1}, {32}, {},
                   {"deadlock", "thread (0,0,0) of block (0,0,0)", "bar.sync 0", "bar.sync 1", "divergent"});
  PtxRunner warps;
  warps.load(kernel("setp.lt.u32 %p1, %t, 32;\n@%p1 bra A;\nbar.sync 1;\nret;\nA: bar.sync 2, 64;", 0));
  warps.expect_error("k", {1}, {64}, {}, {"deadlock", "bar.sync 2, 64"});
}

TEST(Sanitizer, BarrierMisuse) {
  PtxRunner sim;
  sim.load(kernel("mov.u32 %r1, 48;\nbar.sync 0, %r1;", 0));
  sim.expect_error("k", {1}, {64}, {}, {"thread count of 48", "not a multiple of 32"});
  PtxRunner number;
  number.load(kernel("mov.u32 %r1, 16;\nbar.sync %r1;", 0));
  number.expect_error("k", {1}, {32}, {}, {"barrier number 16"});
  PtxRunner mixed;
  mixed.load(kernel("setp.lt.u32 %p1, %t, 32;\n@%p1 bra A;\nbar.sync 0, 64;\nret;\nA: bar.sync 0, 96;", 0));
  mixed.expect_error("k", {1}, {96}, {}, {"while others wait"});
}

TEST(Sanitizer, MemberMasks) {
  PtxRunner sim;
  sim.load(kernel("shfl.sync.idx.b32 %r1, %t, 0, 31, 0xfffffffe;", 0));
  sim.expect_error("k", {1}, {32}, {}, {"not in its member mask", "thread (0,0,0)"});
  PtxRunner apart;
  apart.load(
      kernel("setp.eq.u32 %p1, %t, 0;\n@%p1 bra A;\nvote.sync.all.pred %p2, %p1, -1;\nret;\nA: vote.sync.any.pred "
             "%p2, %p1, -1;",
             0));
  apart.expect_error("k", {1}, {32}, {}, {"deadlock", "vote.sync", "member mask"});
  PtxRunner reads;
  reads.load(kernel("setp.lt.u32 %p1, %t, 16;\n@%p1 bra A;\nret;\nA: shfl.sync.idx.b32 %r1, %t, 20, 31, 0xffff;", 0));
  reads.expect_error("k", {1}, {32}, {}, {"reads lane 20, which does not take part"});
}

TEST(Sanitizer, TrapsCallsAndUnsupported) {
  PtxRunner sim;
  sim.load(kernel("setp.eq.u32 %p1, %t, 5;\n@%p1 trap;", 0));
  sim.expect_error("k", {1}, {32}, {}, {"trap executed by thread (5,0,0)"});
  PtxRunner debugged;
  debugged.load(kernel("setp.eq.u32 %p1, %t, 5;\n@%p1 brkpt;", 0));
  debugged.expect_error("k", {1}, {32}, {}, {"brkpt (where no debugger is) executed by thread (5,0,0)"});
  PtxRunner pointer;
  pointer.load(kernel("mov.u64 %d1, 12345;\nP: .callprototype _ ();\ncall %d1, P;", 0));
  pointer.expect_error("k", {1}, {1}, {}, {"indirect call to an address that is no function"});
}

TEST(Sanitizer, LaunchesThatDoNotFit) {
  PtxRunner sim;
  sim.load(".visible .entry k() .reqntid 64 { ret; }\n.visible .entry m() .maxntid 64 { ret; }\n");
  sim.expect_error("k", {1}, {32}, {}, {".reqntid", "32 x 1 x 1", "64 x 1 x 1"});
  sim.expect_error("m", {1}, {65}, {}, {".maxntid"});
  sim.expect_error("k", {1}, {2048}, {}, {"illegal size"});
  sim.expect_error("k", {1}, {64}, {1}, {"parameter block"});
  EXPECT_NE(sim.run("nobody", {1}, {1}, {}).error().to_string().find("k, m"), std::string::npos);
}

// Three lines stand before the text.
constexpr char kSpin[] = R"(.visible .entry k(.param .u64 unused) {
.reg .pred %p<2>;
.reg .b32 %r<2>;
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p0, %r0, 37;
setp.eq.and.u32 %p1, %r1, 2, %p0;
@!%p1 ret;
again:
bra again;
}
)";

TEST(Sanitizer, LoopsThatNeverEnd) {
  for (const uint64_t seed : {0, 1}) {
    DeviceOptions options;
    options.max_instructions = 10'000;
    options.schedule_seed = seed;
    PtxRunner sim(options);
    sim.load(kSpin);
    sim.expect_error("k", {4}, {64}, {0},
                     {"test.ptx:13:1: in k: the launch has not ended after 10000 warp instructions",
                      "thread (37,0,0) of block (2,0,0) at line 13 (bra again;)", "--max-instructions"});
    sim.expect_ok("k", {2}, {64}, {0});
  }
}

TEST(Sanitizer, TheLimitOfInstructionsIsExact) {
  // Six warps of one instruction each; each launch has the whole limit.
  const char text[] = ".visible .entry k(.param .u64 unused) {\nret;\n}\n";
  DeviceOptions options;
  options.max_instructions = 6;
  PtxRunner enough(options);
  enough.load(text);
  enough.expect_ok("k", {3}, {64}, {0});
  enough.expect_ok("k", {3}, {64}, {0});
  options.max_instructions = 5;
  PtxRunner few(options);
  few.load(text);
  few.expect_error("k", {3}, {64}, {0},
                   {"test.ptx:5:1:", "after 5 warp instructions", "thread (32,0,0) of block (2,0,0)"});
}

}  // namespace
}  // namespace ww
