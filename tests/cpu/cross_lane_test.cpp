// Shuffles, votes, match, reductions, matrices of a warp, against plain C++; functions that are called.
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/warp_program.h"

namespace ww::cpu {
namespace {

class CrossLane : public testing::TestWithParam<HostIsa> {};

const char kDeclarations[] = R"(
declare {i32, i1} @ww.shfl.up(i32, i32, i32, i32) convergent
declare {i32, i1} @ww.shfl.down(i32, i32, i32, i32) convergent
declare {i32, i1} @ww.shfl.bfly(i32, i32, i32, i32) convergent
declare {i32, i1} @ww.shfl.idx(i32, i32, i32, i32) convergent
declare i32 @ww.vote.ballot(i1, i32) convergent
declare i1 @ww.vote.all(i1, i32) convergent
declare i32 @ww.activemask() convergent
declare i32 @ww.match.any.b32(i32, i32) convergent
declare {i32, i1} @ww.match.all.b32(i32, i32) convergent
declare i32 @ww.redux.add(i32, i32) convergent
declare i32 @ww.redux.min.s32(i32, i32) convergent
declare {i32, i32} @ww.ldmatrix.x2(ptr addrspace(3)) convergent
declare {i32, i32} @ww.ldmatrix.x2.trans(ptr addrspace(3)) convergent
)";

// PTX manual, "shfl.sync".
void shuffle(const std::string& kind, uint32_t lane, uint32_t b, uint32_t c, uint32_t& source, bool& in_range) {
  const int segment = int(c >> 8 & 31), least = int(lane) & segment, most = least | (int(c & 31) & ~segment);
  int j = int(lane);
  if (kind == "up") j = int(lane) - int(b & 31);
  if (kind == "down") j = int(lane) + int(b & 31);
  if (kind == "bfly") j = int(lane ^ (b & 31));
  if (kind == "idx") j = least | (int(b & 31) & ~segment);
  in_range = kind == "up" ? j >= most : j <= most;
  source = in_range ? uint32_t(j) : lane;
}

TEST_P(CrossLane, ShufflesByConstantAndByValue) {
  for (const std::string kind : {"up", "down", "bfly", "idx"})
    for (const uint32_t b : {0u, 1u, 5u, 16u, 31u})
      for (const uint32_t c : {0x1fu, 0u, 0x181fu, 0x1800u})
        for (const bool constant : {true, false}) {
          WarpProgram program(
              kernel_text(
                  2,
                  "  %i = zext i32 %t to i64\n  %to = getelementptr i32, ptr addrspace(1) %p0, i64 %i\n"
                  "  %b = load i32, ptr addrspace(1) %p1\n  %v = mul i32 %t, 11\n  %r = call {i32, i1} @ww.shfl." +
                      kind + "(i32 %v, i32 " + (constant ? std::to_string(b) : "%b") + ", i32 " + std::to_string(c) +
                      R"(, i32 -1)
  %x = extractvalue {i32, i1} %r, 0
  %p = extractvalue {i32, i1} %r, 1
  %pw = zext i1 %p to i32
  %h = shl i32 %pw, 16
  %o = or i32 %x, %h
  store i32 %o, ptr addrspace(1) %to
  ret void)",
                  kDeclarations),
              GetParam(), {32, 1, 1});
          std::vector<uint32_t> out(32), distance = {b};
          ASSERT_TRUE(program.run(1, {address_of(out), address_of(distance)}).ok());
          for (uint32_t lane = 0; lane < 32; ++lane) {
            uint32_t source;
            bool in_range;
            shuffle(kind, lane, b, c, source, in_range);
            ASSERT_EQ(out[lane], source * 11 | uint32_t(in_range) << 16)
                << kind << " lane " << lane << " b " << b << " c " << c;
          }
        }
}

TEST_P(CrossLane, VotesMatchAndReduxInADivergentBranch) {
  WarpProgram program(kernel_text(1, R"(
  %third = urem i32 %t, 3
  %go = icmp ne i32 %third, 1
  br i1 %go, label %in, label %end
in:
  %i = zext i32 %t to i64
  %to = getelementptr [6 x i32], ptr addrspace(1) %p0, i64 %i
  %big = icmp ugt i32 %t, 12
  %ballot = call i32 @ww.vote.ballot(i1 %big, i32 -1)
  %active = call i32 @ww.activemask()
  %quarter = lshr i32 %t, 2
  %match = call i32 @ww.match.any.b32(i32 %quarter, i32 -1)
  %sum = call i32 @ww.redux.add(i32 %t, i32 -1)
  %neg = sub i32 5, %t
  %min = call i32 @ww.redux.min.s32(i32 %neg, i32 -1)
  %all = call i1 @ww.vote.all(i1 %go, i32 -1)
  %allw = zext i1 %all to i32
  %o0 = getelementptr i32, ptr addrspace(1) %to, i64 0
  %o1 = getelementptr i32, ptr addrspace(1) %to, i64 1
  %o2 = getelementptr i32, ptr addrspace(1) %to, i64 2
  %o3 = getelementptr i32, ptr addrspace(1) %to, i64 3
  %o4 = getelementptr i32, ptr addrspace(1) %to, i64 4
  %o5 = getelementptr i32, ptr addrspace(1) %to, i64 5
  store i32 %ballot, ptr addrspace(1) %o0
  store i32 %active, ptr addrspace(1) %o1
  store i32 %match, ptr addrspace(1) %o2
  store i32 %sum, ptr addrspace(1) %o3
  store i32 %min, ptr addrspace(1) %o4
  store i32 %allw, ptr addrspace(1) %o5
  br label %end
end:
  ret void)",
                                  kDeclarations),
                      GetParam(), {32, 1, 1});
  std::vector<uint32_t> out(192, 7);
  ASSERT_TRUE(program.run(1, {address_of(out)}).ok());
  uint32_t active = 0, ballot = 0, sum = 0;
  int32_t least = 100;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (lane % 3 == 1) continue;
    active |= 1u << lane;
    if (lane > 12) ballot |= 1u << lane;
    sum += lane;
    least = std::min(least, 5 - int32_t(lane));
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const bool runs = lane % 3 != 1;
    const uint32_t match = active & (0xfu << (lane / 4 * 4));
    const uint32_t expected[] = {ballot, active, match, sum, uint32_t(least), 1};
    for (unsigned k = 0; k < 6; ++k) ASSERT_EQ(out[6 * lane + k], runs ? expected[k] : 7) << lane << " " << k;
  }
}

TEST_P(CrossLane, LoadsMatrices) {
  for (const bool transposed : {false, true}) {
    WarpProgram program(
        kernel_text(2,
                    std::string(R"(
  %i = zext i32 %t to i64
  %from = getelementptr {i32, i32}, ptr addrspace(1) %p0, i64 %i
  %v = load {i32, i32}, ptr addrspace(1) %from, align 8
  %mine = getelementptr [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  %v0 = extractvalue {i32, i32} %v, 0
  %v1 = extractvalue {i32, i32} %v, 1
  %mine2 = getelementptr i8, ptr addrspace(3) %mine, i32 128
  store i32 %v0, ptr addrspace(3) %mine
  store i32 %v1, ptr addrspace(3) %mine2
  %row = getelementptr [16 x i8], ptr addrspace(3) @tile, i32 %t
  %m = call {i32, i32} @ww.ldmatrix.x2)") +
                        (transposed ? ".trans" : "") + R"((ptr addrspace(3) %row)
  %to = getelementptr {i32, i32}, ptr addrspace(1) %p1, i64 %i
  store {i32, i32} %m, ptr addrspace(1) %to, align 8
  ret void)",
                    std::string("@tile = internal addrspace(3) global [512 x i8] poison, align 16\n") + kDeclarations),
        GetParam(), {32, 1, 1});
    std::vector<uint32_t> in(64), out(64);
    std::vector<uint16_t> tile(128);
    for (uint32_t i = 0; i < 64; ++i) in[i] = (2 * i + 1) << 16 | (2 * i);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t k = 0; k < 2; ++k)
        for (uint32_t h = 0; h < 2; ++h) tile[64 * k + 2 * lane + h] = uint16_t(in[2 * lane + k] >> (16 * h));
    ASSERT_TRUE(program.run(1, {address_of(in), address_of(out)}).ok());
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t k = 0; k < 2; ++k)
        for (uint32_t h = 0; h < 2; ++h) {
          const uint32_t row = lane / 4, column = 2 * (lane % 4) + h;
          ASSERT_EQ(uint16_t(out[2 * lane + k] >> (16 * h)),
                    tile[64 * k + (transposed ? 8 * column + row : 8 * row + column)]);
        }
  }
}

TEST_P(CrossLane, RecursionAndFunctionPointers) {
  WarpProgram program(kernel_text(1, R"(
  %odd.bit = and i32 %t, 1
  %odd = icmp ne i32 %odd.bit, 0
  %f = select i1 %odd, ptr @fibonacci, ptr @square
  %n = urem i32 %t, 13
  %r = call i32 %f(i32 %n)
  %i = zext i32 %t to i64
  %to = getelementptr i32, ptr addrspace(1) %p0, i64 %i
  store i32 %r, ptr addrspace(1) %to
  ret void)",
                                  R"(
define internal i32 @square(i32 %n) {
  %r = mul i32 %n, %n
  ret i32 %r
}
define internal i32 @fibonacci(i32 %n) {
entry:
  %small = icmp ult i32 %n, 2
  br i1 %small, label %end, label %recurse
recurse:
  %n1 = sub i32 %n, 1
  %n2 = sub i32 %n, 2
  %a = call i32 @fibonacci(i32 %n1)
  %b = call i32 @fibonacci(i32 %n2)
  %s = add i32 %a, %b
  br label %end
end:
  %r = phi i32 [ %n, %entry ], [ %s, %recurse ]
  ret i32 %r
})"),
                      GetParam(), {64, 1, 1});
  std::vector<uint32_t> out(64);
  ASSERT_TRUE(program.run(1, {address_of(out)}).ok());
  const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], i % 2 ? fibonacci[i % 13] : (i % 13) * (i % 13)) << i;
}

INSTANTIATE_TEST_SUITE_P(Levels, CrossLane, testing::ValuesIn(host_levels_here()),
                         [](const auto& info) { return std::string(host_level(info.param).name.substr(7)); });

}  // namespace
}  // namespace ww::cpu
