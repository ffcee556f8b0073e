// Control flow in which lanes part: each case against the same algorithm in plain C++, a lane at a time.
#include <gtest/gtest.h>

#include "cpu/warp_program.h"

namespace ww::cpu {
namespace {

class Divergence : public testing::TestWithParam<HostIsa> {
 protected:
  // Runs a kernel that maps in[i] to out[i] for `threads` threads.
  void check(const std::string& body, uint32_t threads, const std::vector<uint32_t>& in,
             uint32_t (*expected)(uint32_t)) {
    WarpProgram program(
        kernel_text(2,
                    "  %i = zext i32 %t to i64\n  %from = getelementptr i32, ptr addrspace(1) %p0, i64 %i\n"
                    "  %to = getelementptr i32, ptr addrspace(1) %p1, i64 %i\n"
                    "  %x = load i32, ptr addrspace(1) %from\n" +
                        body),
        GetParam(), {threads, 1, 1});
    std::vector<uint32_t> source = in, out(in.size(), 0xdeadbeef);
    ASSERT_TRUE(program.run(1, {address_of(source), address_of(out)}).ok());
    for (uint32_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], i < threads ? expected(in[i]) : 0xdeadbeef) << "thread " << i << ", input " << in[i];
  }
  static std::vector<uint32_t> numbers(uint32_t count) {
    std::vector<uint32_t> result;
    uint32_t state = 12345;
    for (uint32_t i = 0; i < count; ++i) {
      state = state * 1664525 + 1013904223;
      result.push_back(state >> 24);
    }
    return result;
  }
};

TEST_P(Divergence, EarlyReturn) {
  check(R"(
  store i32 1, ptr addrspace(1) %to
  %small = icmp ult i32 %x, 100
  br i1 %small, label %done, label %go
go:
  %y = mul i32 %x, %x
  store i32 %y, ptr addrspace(1) %to
  ret void
done:
  ret void)",
        96, numbers(96), [](uint32_t x) { return x < 100 ? 1 : x * x; });
}

TEST_P(Divergence, PartlyEmptyWarp) {
  check(R"(
  %y = add i32 %x, 7
  store i32 %y, ptr addrspace(1) %to
  ret void)",
        45, numbers(64), [](uint32_t x) { return x + 7; });
}

TEST_P(Divergence, LoopWithDataDependentCount) {
  check(R"(
  br label %head
head:
  %n = phi i32 [ %x, %entry ], [ %next, %latch ]
  %steps = phi i32 [ 0, %entry ], [ %more, %latch ]
  %finished = icmp ule i32 %n, 1
  br i1 %finished, label %exit, label %body
body:
  %bit = and i32 %n, 1
  %odd = icmp eq i32 %bit, 1
  br i1 %odd, label %up, label %down
up:
  %triple = mul i32 %n, 3
  %raised = add i32 %triple, 1
  br label %latch
down:
  %halved = lshr i32 %n, 1
  br label %latch
latch:
  %next = phi i32 [ %raised, %up ], [ %halved, %down ]
  %more = add i32 %steps, 1
  br label %head
exit:
  store i32 %steps, ptr addrspace(1) %to
  ret void)",
        64, numbers(64), [](uint32_t x) {
          uint32_t steps = 0;
          for (; x > 1; ++steps) x = x % 2 ? 3 * x + 1 : x / 2;
          return steps;
        });
}

// A counter that is the same in all lanes of the loop is not when they have left it in different rounds.
TEST_P(Divergence, UniformCounterAfterDivergentExit) {
  check(R"(
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %k1, %head ]
  %k1 = add i32 %k, 1
  %square = mul i32 %k, %k
  %more = icmp ult i32 %square, %x
  br i1 %more, label %head, label %exit
exit:
  store i32 %k, ptr addrspace(1) %to
  ret void)",
        64, numbers(64), [](uint32_t x) {
          uint32_t k = 0;
          while (k * k < x) ++k;
          return k;
        });
}

TEST_P(Divergence, NestedLoopsWithBreakOfBoth) {
  check(R"(
  br label %outer
outer:
  %i2 = phi i32 [ 0, %entry ], [ %i3, %outer.latch ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %outer.latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner.latch ]
  %s = phi i32 [ %sum, %outer ], [ %s1, %inner.latch ]
  %product = mul i32 %i2, %j
  %big = icmp ugt i32 %product, %x
  br i1 %big, label %out, label %inner.body
inner.body:
  %mixed = xor i32 %j, %x
  %low = and i32 %mixed, 7
  %break = icmp eq i32 %low, 5
  br i1 %break, label %outer.latch, label %inner.latch
inner.latch:
  %s1 = add i32 %s, %low
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j1, 12
  br i1 %again, label %inner, label %outer.latch
outer.latch:
  %sum2 = phi i32 [ %s, %inner.body ], [ %s1, %inner.latch ]
  %i3 = add i32 %i2, 1
  %outer.again = icmp ult i32 %i3, 20
  br i1 %outer.again, label %outer, label %out2
out:
  %r1 = mul i32 %s, 1000
  br label %end
out2:
  %r2 = add i32 %sum2, 3
  br label %end
end:
  %r = phi i32 [ %r1, %out ], [ %r2, %out2 ]
  store i32 %r, ptr addrspace(1) %to
  ret void)",
        64, numbers(64), [](uint32_t x) {
          uint32_t sum = 0;
          for (uint32_t i = 0; i < 20; ++i)
            for (uint32_t j = 0; j < 12; ++j) {
              if (i * j > x) return sum * 1000;
              if (((j ^ x) & 7) == 5) break;
              sum += (j ^ x) & 7;
            }
          return sum + 3;
        });
}

TEST_P(Divergence, SwitchWithSharedTargets) {
  check(R"(
  %low = and i32 %x, 7
  switch i32 %low, label %other [ i32 0, label %zero
    i32 1, label %one
    i32 2, label %one
    i32 5, label %five ]
zero:
  br label %join
one:
  %o = mul i32 %x, 3
  br label %five
five:
  %f0 = phi i32 [ 100, %entry ], [ %o, %one ]
  %f = add i32 %f0, 1
  br label %join
other:
  %q = udiv i32 1000, %low
  br label %join
join:
  %r = phi i32 [ 9, %zero ], [ %f, %five ], [ %q, %other ]
  store i32 %r, ptr addrspace(1) %to
  ret void)",
        96, numbers(96), [](uint32_t x) -> uint32_t {
          switch (x & 7) {
            case 0:
              return 9;
            case 1:
            case 2:
              return x * 3 + 1;
            case 5:
              return 101;
            default:
              return 1000 / (x & 7);
          }
        });
}

// A loop that all lanes run equally often, inside of a branch that only some take.
TEST_P(Divergence, UniformLoopInDivergentBranch) {
  check(R"(
  %odd.bit = and i32 %x, 1
  %odd = icmp ne i32 %odd.bit, 0
  br i1 %odd, label %pre, label %join
pre:
  br label %loop
loop:
  %k = phi i32 [ 0, %pre ], [ %k1, %loop ]
  %acc = phi i32 [ %x, %pre ], [ %acc1, %loop ]
  %scaled = mul i32 %acc, 5
  %acc1 = add i32 %scaled, %k
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, 10
  br i1 %again, label %loop, label %after
after:
  %r1 = xor i32 %acc1, %k1
  br label %join
join:
  %r = phi i32 [ 77, %entry ], [ %r1, %after ]
  store i32 %r, ptr addrspace(1) %to
  ret void)",
        64, numbers(64), [](uint32_t x) {
          if (x % 2 == 0) return 77u;
          uint32_t acc = x;
          for (uint32_t k = 0; k < 10; ++k) acc = acc * 5 + k;
          return acc ^ 10;
        });
}

// Values exchanged by phis in one round, and an exit in the middle of the loop.
TEST_P(Divergence, SwappedPhisAndMiddleExit) {
  check(R"(
  br label %head
head:
  %a = phi i32 [ %x, %entry ], [ %b, %latch ]
  %b = phi i32 [ 1, %entry ], [ %a.next, %latch ]
  %n = phi i32 [ 0, %entry ], [ %n1, %latch ]
  %a.next = add i32 %a, %n
  %stop = icmp ugt i32 %a.next, 300
  br i1 %stop, label %exit, label %latch
latch:
  %n1 = add i32 %n, 3
  %again = icmp ult i32 %n1, 90
  br i1 %again, label %head, label %end
exit:
  %e = mul i32 %b, 7
  br label %end
end:
  %r = phi i32 [ %e, %exit ], [ %a.next, %latch ]
  store i32 %r, ptr addrspace(1) %to
  ret void)",
        64, numbers(64), [](uint32_t x) {
          uint32_t a = x, b = 1, n = 0;
          while (true) {
            const uint32_t next = a + n;
            if (next > 300) return b * 7;
            n += 3;
            if (n >= 90) return next;
            a = b;
            b = next;
          }
        });
}

INSTANTIATE_TEST_SUITE_P(Levels, Divergence, testing::ValuesIn(host_levels_here()),
                         [](const auto& info) { return std::string(host_level(info.param).name.substr(7)); });

}  // namespace
}  // namespace ww::cpu
