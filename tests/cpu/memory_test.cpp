// Loads and stores of every width and pattern, local and shared memory, atomics.
#include <gtest/gtest.h>

#include "cpu/warp_program.h"

namespace ww::cpu {
namespace {

class Memory : public testing::TestWithParam<HostIsa> {};

// out[i] = in[index(i)], four 32-bit fields a lane; odd lanes only, or all.
TEST_P(Memory, VectorsOfFourInAndOutOfOrder) {
  for (const bool reversed : {false, true})
    for (const bool odd_only : {false, true}) {
      WarpProgram program(kernel_text(2, std::string("  %rev = sub i32 63, %t\n  %from = ") +
                                             (reversed ? "add i32 %rev, 0" : "add i32 %t, 0") + R"(
  %i = zext i32 %from to i64
  %o = zext i32 %t to i64
  %source = getelementptr {i32, i32, i32, i32}, ptr addrspace(1) %p0, i64 %i
  %target = getelementptr {i32, i32, i32, i32}, ptr addrspace(1) %p1, i64 %o
  %bit = and i32 %t, 1
  %c = icmp )" + (odd_only ? "ne" : "ule") + R"( i32 %bit, )" +
                                             (odd_only ? "0" : "1") + R"(
  br i1 %c, label %go, label %end
go:
  %v = load {i32, i32, i32, i32}, ptr addrspace(1) %source, align 16
  %v0 = extractvalue {i32, i32, i32, i32} %v, 0
  %v3 = extractvalue {i32, i32, i32, i32} %v, 3
  %w = insertvalue {i32, i32, i32, i32} %v, i32 %v0, 3
  %w2 = insertvalue {i32, i32, i32, i32} %w, i32 %v3, 0
  store {i32, i32, i32, i32} %w2, ptr addrspace(1) %target, align 16
  br label %end
end:
  ret void)"),
                          GetParam(), {64, 1, 1});
      std::vector<uint32_t> in(256), out(256, 5);
      for (uint32_t i = 0; i < 256; ++i) in[i] = i * 3 + 1;
      ASSERT_TRUE(program.run(1, {address_of(in), address_of(out)}).ok());
      for (uint32_t lane = 0; lane < 64; ++lane)
        for (uint32_t field = 0; field < 4; ++field) {
          const uint32_t from = reversed ? 63 - lane : lane, from_field = field == 0 ? 3 : field == 3 ? 0 : field;
          ASSERT_EQ(out[4 * lane + field], odd_only && lane % 2 == 0 ? 5 : in[4 * from + from_field])
              << lane << "." << field << (reversed ? " reversed" : "") << (odd_only ? " odd" : "");
        }
    }
}

TEST_P(Memory, NarrowElements) {
  WarpProgram program(kernel_text(3, R"(
  %i = zext i32 %t to i64
  %a = getelementptr i8, ptr addrspace(1) %p0, i64 %i
  %two = mul i64 %i, 6
  %b = getelementptr i8, ptr addrspace(1) %p1, i64 %two
  %c = getelementptr i16, ptr addrspace(1) %p2, i64 %i
  %x = load i8, ptr addrspace(1) %a
  %y = load i16, ptr addrspace(1) %b
  %xw = zext i8 %x to i16
  %s = add i16 %xw, %y
  store i16 %s, ptr addrspace(1) %c
  %x1 = add i8 %x, 1
  store i8 %x1, ptr addrspace(1) %a
  ret void)"),
                      GetParam(), {40, 1, 1});
  std::vector<uint8_t> a(64);
  std::vector<uint16_t> b(200), c(64, 0xffff);
  for (unsigned i = 0; i < 64; ++i) a[i] = uint8_t(i * 7);
  for (unsigned i = 0; i < 200; ++i) b[i] = uint16_t(i * 301);
  ASSERT_TRUE(program.run(1, {address_of(a), address_of(b), address_of(c)}).ok());
  for (unsigned i = 0; i < 64; ++i) {
    ASSERT_EQ(c[i], i < 40 ? uint16_t(uint8_t(i * 7) + b[3 * i]) : 0xffff);
    ASSERT_EQ(a[i], uint8_t(i * 7 + (i < 40 ? 1 : 0)));
  }
}

TEST_P(Memory, LocalArraysAreALanesOwn) {
  WarpProgram program(kernel_text(1, R"(
  %array = alloca [16 x i32], align 4, addrspace(5)
  br label %fill
fill:
  %k = phi i32 [ 0, %entry ], [ %k1, %fill ]
  %slot = getelementptr [16 x i32], ptr addrspace(5) %array, i32 0, i32 %k
  %v = mul i32 %k, %t
  store i32 %v, ptr addrspace(5) %slot
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, 16
  br i1 %again, label %fill, label %read
read:
  %index = and i32 %t, 15
  %mine = getelementptr [16 x i32], ptr addrspace(5) %array, i32 0, i32 %index
  %generic = addrspacecast ptr addrspace(5) %mine to ptr
  %r = load i32, ptr %generic
  %i = zext i32 %t to i64
  %to = getelementptr i32, ptr addrspace(1) %p0, i64 %i
  store i32 %r, ptr addrspace(1) %to
  ret void)"),
                      GetParam(), {64, 1, 1});
  std::vector<uint32_t> out(64);
  ASSERT_TRUE(program.run(1, {address_of(out)}).ok());
  for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], (i & 15) * i);
}

// A tree sum in shared memory over eight warps; barriers in a loop.
TEST_P(Memory, SharedReductionWithBarriers) {
  WarpProgram program(kernel_text(2, R"(
  %block = call i32 @ww.ctaid.x()
  %base = mul i32 %block, 256
  %g = add i32 %base, %t
  %i = zext i32 %g to i64
  %from = getelementptr i32, ptr addrspace(1) %p0, i64 %i
  %x = load i32, ptr addrspace(1) %from
  %mine = getelementptr [256 x i32], ptr addrspace(3) @buffer, i32 0, i32 %t
  store i32 %x, ptr addrspace(3) %mine
  call void @ww.barrier.sync(i32 0, i32 0)
  br label %loop
loop:
  %half = phi i32 [ 128, %entry ], [ %next, %latch ]
  %active = icmp ult i32 %t, %half
  br i1 %active, label %add, label %latch
add:
  %o = add i32 %t, %half
  %other = getelementptr [256 x i32], ptr addrspace(3) @buffer, i32 0, i32 %o
  %u = load i32, ptr addrspace(3) %mine
  %v = load i32, ptr addrspace(3) %other
  %s = add i32 %u, %v
  store i32 %s, ptr addrspace(3) %mine
  br label %latch
latch:
  call void @ww.barrier.sync(i32 0, i32 0)
  %next = lshr i32 %half, 1
  %again = icmp ne i32 %next, 0
  br i1 %again, label %loop, label %end
end:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %out
write:
  %r = load i32, ptr addrspace(3) @buffer
  %b64 = zext i32 %block to i64
  %to = getelementptr i32, ptr addrspace(1) %p1, i64 %b64
  store i32 %r, ptr addrspace(1) %to
  br label %out
out:
  ret void)",
                                  "@buffer = internal addrspace(3) global [256 x i32] poison, align 4\n"
                                  "declare void @ww.barrier.sync(i32, i32) convergent\n"),
                      GetParam(), {256, 1, 1});
  std::vector<uint32_t> in(256 * 20), out(20);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * i;
  ASSERT_TRUE(program.run(20, {address_of(in), address_of(out)}).ok());
  for (uint32_t block = 0; block < 20; ++block) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 256; ++i) sum += in[256 * block + i];
    ASSERT_EQ(out[block], sum);
  }
}

TEST_P(Memory, AtomicsInLaneOrder) {
  WarpProgram program(kernel_text(3, R"(
  %i = zext i32 %t to i64
  %third = urem i32 %t, 3
  %third64 = zext i32 %third to i64
  %counter = getelementptr i32, ptr addrspace(1) %p0, i64 %third64
  %old = atomicrmw add ptr addrspace(1) %counter, i32 2 monotonic
  %to = getelementptr i32, ptr addrspace(1) %p1, i64 %i
  store i32 %old, ptr addrspace(1) %to
  %pair = cmpxchg ptr addrspace(1) %p2, i32 %t, i32 99 monotonic monotonic
  %seen = extractvalue { i32, i1 } %pair, 0
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %won, label %end
won:
  store i32 %seen, ptr addrspace(1) %to
  br label %end
end:
  ret void)"),
                      GetParam(), {32, 1, 1});
  std::vector<uint32_t> counters = {100, 200, 300}, out(32), cell = {17};
  ASSERT_TRUE(program.run(1, {address_of(counters), address_of(out), address_of(cell)}).ok());
  for (uint32_t i = 0; i < 32; ++i) ASSERT_EQ(out[i], i == 17 ? 17 : (i % 3 + 1) * 100 + i / 3 * 2);
  EXPECT_EQ(cell[0], 99u);
  EXPECT_EQ(counters[0], 122u);
}

TEST_P(Memory, DeadlockIsNamed) {
  WarpProgram program(kernel_text(0, R"(
  %c = icmp ult i32 %t, 32
  br i1 %c, label %wait, label %spin
wait:
  call void @ww.barrier.sync(i32 3, i32 96)
  br label %spin
spin:
  ret void)",
                                  "declare void @ww.barrier.sync(i32, i32) convergent\n"),
                      GetParam(), {64, 1, 1});
  const Status status = program.run(1, {});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("deadlock: 1 warps wait at barrier 3"), std::string::npos)
      << status.error().message;
}

INSTANTIATE_TEST_SUITE_P(Levels, Memory, testing::ValuesIn(host_levels_here()),
                         [](const auto& info) { return std::string(host_level(info.param).name.substr(7)); });

}  // namespace
}  // namespace ww::cpu
