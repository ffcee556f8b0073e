// A kernel that negates a predicate in every place where PTX allows it, and what each thread must find.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"
#include "support/kernel_parameters.h"

namespace ww::testing {

// Threads of the one block.
constexpr uint32_t kNegatedThreads = 32;
// Words that a thread stores, thread by thread.
constexpr uint32_t kNegatedWords = 9;

// Entry `negated(.param .u64 out)`; out: kNegatedThreads * kNegatedWords words.
inline std::string negated_predicates_ptx() {
  std::string text = R"(.version 8.7
.target sm_80
.address_size 64
.visible .entry negated(.param .u64 out) {
.reg .pred %p<12>;
.reg .b32 %t, %bits, %bit, %r<8>;
.reg .b64 %a, %offset;
ld.param.u64 %a, [out];
mov.u32 %t, %tid.x;
and.b32 %r0, %t, 1;
setp.ne.u32 %p0, %r0, 0;
setp.ge.u32 %p1, %t, 16;
setp.lt.and.u32 %p2, %t, 8, !%p0;
setp.lt.or.u32 %p3|%p4, %t, 8, !%p0;
and.pred %p5, !%p0, %p1;
or.pred %p6, %p0, !%p1;
xor.pred %p7, !%p0, %p1;
not.pred %p8, !%p0;
lop3.and.b32 %r7|%p9, %t, 4, 0, 0xC0, !%p0;
vote.sync.all.pred %p10, !%p1, -1;
vote.sync.any.pred %p11, !%p1, -1;
selp.u32 %r1, 10, 20, !%p0;
set.lt.xor.u32.u32 %r2, %t, 8, !%p0;
vote.sync.ballot.b32 %r3, !%p0, -1;
bar.red.popc.u32 %r4, 0, !%p2;
mov.u32 %r5, 0;
@!%p0 mov.u32 %r5, 1;
mov.u32 %r6, 0;
@!%p1 bra low;
mov.u32 %r6, 1;
low:
mov.u32 %bits, 0;
)";
  for (uint32_t p = 2; p <= 11; ++p)
    text +=
        "selp.u32 %bit, " + std::to_string(1u << p) + ", 0, %p" + std::to_string(p) + ";\nor.b32 %bits, %bits, %bit;\n";
  return text + R"(mul.wide.u32 %offset, %t, 36;
add.u64 %a, %a, %offset;
st.global.u32 [%a], %bits;
st.global.u32 [%a+4], %r1;
st.global.u32 [%a+8], %r2;
st.global.u32 [%a+12], %r3;
st.global.u32 [%a+16], %r4;
st.global.u32 [%a+20], %r5;
st.global.u32 [%a+24], %r6;
st.global.u32 [%a+28], %r7;
@!%p0 st.global.u32 [%a+32], 3;
ret;
}
)";
}

// What `out` holds if it was all zero before. From the manual: setp and set combine the comparison (setp's second
// result: its complement) with c, lop3 the test of its result for not zero with q.
inline std::vector<uint32_t> negated_predicates_expected() {
  std::vector<uint32_t> words;
  for (uint32_t t = 0; t < kNegatedThreads; ++t) {
    const bool even = t % 2 == 0, high = t >= 16, below = t < 8;
    const bool p[] = {below && even, below || even, !below || even,       even && high, !even || !high,
                      even != high,  !even,         (t & 4) != 0 && even, false,        true};
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 10; ++i) bits |= uint32_t{p[i]} << (i + 2);
    words.push_back(bits);
    words.push_back(even ? 10 : 20);
    words.push_back(below != even ? 0xffffffffu : 0);
    words.push_back(0x55555555u);  // the even lanes
    words.push_back(28);           // all but threads 0, 2, 4 and 6
    words.push_back(even ? 1 : 0);
    words.push_back(high ? 1 : 0);
    words.push_back(t & 4);
    words.push_back(even ? 3 : 0);
  }
  return words;
}

// Runs the kernel.
inline void expect_negated_predicates(Device& device) {
  const auto module = device.load_module(negated_predicates_ptx(), "negated.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  const auto kernel = (*module)->kernel("negated");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  const std::vector<uint32_t> expected = negated_predicates_expected();
  std::vector<uint32_t> found(expected.size());
  const auto out = device.allocate(4 * found.size());
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE(device.fill(*out, 0, 4 * found.size()).ok());
  const std::vector<std::byte> parameters = kernel_parameters(*out);
  const Status status = device.launch(**kernel, {{1, 1, 1}, {kNegatedThreads, 1, 1}, 0, parameters});
  ASSERT_TRUE(status.ok()) << status.error().to_string();
  ASSERT_TRUE(device.download(std::as_writable_bytes(std::span(found)), *out).ok());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], expected[i]) << "thread " << i / kNegatedWords << ", word " << i % kNegatedWords;
}

}  // namespace ww::testing
