// The trace: what each line says, worked out by hand from the PTX manual; lanes that diverge, wait and fault.
#include "sim/run_ptx.h"

namespace ww {
namespace {
using test::PtxRunner;

// Collects the lines of each traced thread, without what all of them begin with.
class Traced {
 public:
  Traced(std::initializer_list<ThreadPosition> threads) : lines(threads.size()) {
    options_.trace.threads = threads;
    options_.trace.sink = [this](size_t thread, std::string_view line) { lines[thread].emplace_back(line); };
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  PtxRunner runner() const { return PtxRunner(options_); }

  // "12: in k: " becomes "12: ": file, kernel and thread are the same in all lines.
  std::vector<std::string> brief(size_t thread, const std::string& kernel, const std::string& who) const {
    std::vector<std::string> texts;
    const std::string file = "test.ptx:", rest = ": in " + kernel + ": " + who + ": ";
    for (const std::string& line : lines[thread]) {
      const size_t at = line.find(rest);
      if (!line.starts_with(file) || at == std::string::npos || !line.ends_with("\n")) {
        texts.push_back("not of " + who + " of " + kernel + ": " + line);
        continue;
      }
      texts.push_back(line.substr(file.size(), at - file.size()) + ": " +
                      line.substr(at + rest.size(), line.size() - at - rest.size() - 1));
    }
    return texts;
  }

  std::vector<std::vector<std::string>> lines;

 private:
  DeviceOptions options_;
};

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Its first line is the fourth of the module.
constexpr char kMixed[] = R"(.visible .entry mixed(.param .u64 in, .param .u64 out) {
.reg .pred %p<3>;
.reg .b16 %h;
.reg .b32 %r<8>;
.reg .b64 %d<4>;
ld.param.u64 %d0, [in];
ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %d2, %r0, 4;
add.s64 %d3, %d0, %d2;
ld.global.u32 %r1, [%d3];
sub.s32 %r2, 0, %r1;
cvt.u16.u32 %h, %r2;
setp.ge.s32 %p0, %r1, 10;
@%p0 bra big;
shl.b32 %r3, %r1, 4;
bra.uni join;
big:
setp.eq.u32 %p1|%p2, %r1, 20;
@!%p1 mov.u32 %r3, 7;
@%p1 mov.u32 %r3, 9;
join:
shfl.sync.idx.b32 %r4, %r3, 0, 31, 7;
bar.red.popc.u32 %r5, 0, %p0;
add.s64 %d3, %d1, %d2;
st.global.u32 [%d3], %r4;
ret;
}
)";

TEST(Trace, ShowsWhatEachThreadRanAndComputed) {
  Traced traced{{{0, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {1, 0, 0}}, {{1, 0, 0}, {2, 0, 0}}};
  PtxRunner sim = traced.runner();
  sim.load(kMixed);
  const auto in = sim.buffer(std::vector<uint32_t>{3, 20, 11}), out = sim.buffer(std::vector<uint32_t>(3));
  sim.expect_ok("mixed", {2}, {3}, {in, out});
  const std::vector<std::string> first = {
      "9: ld.param.u64 %d0, [in];  -> " + hex(in),
      "10: ld.param.u64 %d1, [out];  -> " + hex(out),
      "11: mov.u32 %r0, %tid.x;  -> 0x0",
      "12: mul.wide.u32 %d2, %r0, 4;  -> 0x0",
      "13: add.s64 %d3, %d0, %d2;  -> " + hex(in),
      "14: ld.global.u32 %r1, [%d3];  -> 0x3",
      "15: sub.s32 %r2, 0, %r1;  -> 0xfffffffd",
      "16: cvt.u16.u32 %h, %r2;  -> 0xfffd",
      "17: setp.ge.s32 %p0, %r1, 10;  -> 0",
      "19: shl.b32 %r3, %r1, 4;  -> 0x30",
      "20: bra.uni join;",
      "26: shfl.sync.idx.b32 %r4, %r3, 0, 31, 7;  -> 0x30",
      "27: bar.red.popc.u32 %r5, 0, %p0;  -> 0x2",
      "28: add.s64 %d3, %d1, %d2;  -> " + hex(out),
      "29: st.global.u32 [%d3], %r4;  -> 0x30",
      "30: ret;",
  };
  EXPECT_EQ(traced.brief(0, "mixed", "thread (0,0,0) of block (0,0,0)"), first);
  const std::vector<std::string> second = {
      "9: ld.param.u64 %d0, [in];  -> " + hex(in),
      "10: ld.param.u64 %d1, [out];  -> " + hex(out),
      "11: mov.u32 %r0, %tid.x;  -> 0x1",
      "12: mul.wide.u32 %d2, %r0, 4;  -> 0x4",
      "13: add.s64 %d3, %d0, %d2;  -> " + hex(in + 4),
      "14: ld.global.u32 %r1, [%d3];  -> 0x14",
      "15: sub.s32 %r2, 0, %r1;  -> 0xffffffec",
      "16: cvt.u16.u32 %h, %r2;  -> 0xffec",
      "17: setp.ge.s32 %p0, %r1, 10;  -> 1",
      "18: @%p0 bra big;",
      "22: setp.eq.u32 %p1|%p2, %r1, 20;  -> 1, 0",
      "24: @%p1 mov.u32 %r3, 9;  -> 0x9",
      "26: shfl.sync.idx.b32 %r4, %r3, 0, 31, 7;  -> 0x30",
      "27: bar.red.popc.u32 %r5, 0, %p0;  -> 0x2",
      "28: add.s64 %d3, %d1, %d2;  -> " + hex(out + 4),
      "29: st.global.u32 [%d3], %r4;  -> 0x30",
      "30: ret;",
  };
  EXPECT_EQ(traced.brief(1, "mixed", "thread (1,0,0) of block (1,0,0)"), second);
  const auto third = traced.brief(2, "mixed", "thread (2,0,0) of block (1,0,0)");
  ASSERT_EQ(third.size(), second.size());
  EXPECT_EQ(third[10], "22: setp.eq.u32 %p1|%p2, %r1, 20;  -> 0, 1");
  EXPECT_EQ(third[11], "23: @!%p1 mov.u32 %r3, 7;  -> 0x7");
}

TEST(Trace, EndsWithTheInstructionThatFailed) {
  Traced traced{{{0, 0, 0}, {1, 0, 0}}};
  PtxRunner sim = traced.runner();
  sim.load(kMixed);
  sim.expect_error("mixed", {1}, {2}, {0, 0}, {"test.ptx:14:", "a null pointer"});
  const auto lines = traced.brief(0, "mixed", "thread (1,0,0) of block (0,0,0)");
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[4], "13: add.s64 %d3, %d0, %d2;  -> 0x4");
  EXPECT_EQ(lines[5], "14: ld.global.u32 %r1, [%d3];") << "it has no result";
}

TEST(Trace, ShowsVectorsWideRegistersAndCalledFunctions) {
  Traced traced{{{0, 0, 0}, {0, 1, 0}}};
  PtxRunner sim = traced.runner();
  sim.load(R"(.func (.reg .b32 %o) twice(.reg .b32 %i) {
add.u32 %o, %i, %i;
ret;
}
.visible .entry k(.param .u64 buffer) {
.reg .b32 %r<4>;
.reg .b64 %d<4>;
.reg .b128 %q;
ld.param.u64 %d0, [buffer];
ld.global.v2.u32 {%r0, %r1}, [%d0];
call (%r2), twice, (%r1);
st.global.v2.u32 [%d0], {%r2, 5};
mov.u64 %d1, 1;
mov.u64 %d2, 2;
mov.b128 %q, {%d1, %d2};
mov.b128 {%d2, %d1}, %q;
ret;
}
)");
  const auto buffer = sim.buffer(std::vector<uint32_t>{0x80000000u, 0xc0000000u});
  sim.expect_ok("k", {1}, {1, 2}, {buffer});
  const std::vector<std::string> expected = {
      "12: ld.param.u64 %d0, [buffer];  -> " + hex(buffer),
      "13: ld.global.v2.u32 {%r0, %r1}, [%d0];  -> 0x80000000, 0xc0000000",
      "14: call (%r2), twice, (%r1);",
      "5: add.u32 %o, %i, %i;  -> 0x80000000",
      "6: ret;",
      "15: st.global.v2.u32 [%d0], {%r2, 5};  -> 0x80000000, 0x5",
      "16: mov.u64 %d1, 1;  -> 0x1",
      "17: mov.u64 %d2, 2;  -> 0x2",
      "18: mov.b128 %q, {%d1, %d2};  -> 0x20000000000000001",
      "19: mov.b128 {%d2, %d1}, %q;  -> 0x1, 0x2",
      "20: ret;",
  };
  EXPECT_EQ(traced.brief(0, "k", "thread (0,1,0) of block (0,0,0)"), expected);
}

TEST(Trace, OfAThreadThatIsNotThereIsEmpty) {
  // Thread (3,0,0) of a block three wide is no other name of thread (0,1,0).
  Traced traced{{{0, 0, 0}, {3, 0, 0}}, {{2, 0, 0}, {0, 0, 0}}};
  PtxRunner sim = traced.runner();
  sim.load(test::kernel("", 0));
  sim.expect_ok("k", {2}, {3, 2}, {});
  EXPECT_EQ(traced.lines, std::vector<std::vector<std::string>>(2));
}

}  // namespace
}  // namespace ww
