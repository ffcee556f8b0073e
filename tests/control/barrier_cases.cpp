// Barriers of a block: with threads that have ended, with numbers and counts, from divergent code, with reductions.
#include "control/control_case.h"

namespace ww::control {

std::vector<ControlCase> barrier_cases() {
  std::vector<ControlCase> all;

  // Warps end one after the other, in the rounds of a loop of barriers: those that have ended count as arrived.
  all.push_back({"warps_end_between_barriers", 2, 128, 256, "", R"(
  .shared .b32 words[128];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  mov.u32 %r2, 0; mov.u32 %r3, %t;
  shr.u32 %r4, %t, 5;
  add.u32 %r4, %r4, 2;
again:
  st.shared.u32 [%r1], %r3;
  bar.sync 0;
  add.u32 %r5, %t, 32;
  and.b32 %r5, %r5, 127;
  mad.lo.u32 %r5, %r5, 4, %r0;
  ld.shared.u32 %r6, [%r5];
  bar.sync 0;
  mad.lo.u32 %r3, %r3, 3, %r6;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p0, %r2, %r4;
  @%p0 bra again;
  st.global.u32 [%mine], %r3;
)",
                 [](uint32_t i) {
                   // Words of the four warps' threads in this column; a warp that has ended leaves its last one.
                   const uint32_t t = i % 128;
                   uint32_t word[4], seen[4];
                   for (uint32_t w = 0; w < 4; ++w) word[w] = 32 * w + t % 32;
                   for (uint32_t w = 0; w < 4; ++w) seen[w] = word[w];
                   for (uint32_t round = 0; round < 5; ++round) {
                     for (uint32_t w = 0; w < 4; ++w)
                       if (round < w + 2) seen[w] = word[w];
                     for (uint32_t w = 0; w < 4; ++w)
                       if (round < w + 2) word[w] = 3 * word[w] + seen[(w + 1) % 4];
                   }
                   return word[t / 32];
                 }});

  // The upper half of each warp has ended; the lower halves go through barriers.
  all.push_back({"half_warps_end", 1, 96, 96, "", R"(
  .shared .b32 words[96];
  setp.ge.u32 %p0, %lane, 16;
  @%p0 ret;
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  mul.lo.u32 %r2, %t, %t;
  st.shared.u32 [%r1], %r2;
  bar.sync 0;
  add.u32 %r3, %t, 32;
  rem.u32 %r3, %r3, 96;
  mad.lo.u32 %r3, %r3, 4, %r0;
  ld.shared.u32 %r4, [%r3];
  st.global.u32 [%mine], %r4;
)",
                 [](uint32_t t) {
                   const uint32_t other = (t + 32) % 96;
                   return t % 32 < 16 ? other * other : 0;
                 }});

  // Pairs of warps meet at barriers of their own, then all of them at another.
  all.push_back({"numbers_and_counts", 1, 128, 256, "", R"(
  .shared .b32 words[128];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  shr.u32 %r2, %t, 6;
  add.u32 %r3, %r2, 1;
  mov.u32 %r4, 0; mov.u32 %r5, %t;
again:
  st.shared.u32 [%r1], %r5;
  barrier.sync %r3, 64;
  xor.b32 %r6, %t, 32;
  mad.lo.u32 %r6, %r6, 4, %r0;
  ld.shared.u32 %r7, [%r6];
  barrier.sync %r3, 64;
  mad.lo.u32 %r5, %r5, 5, %r7;
  add.u32 %r4, %r4, 1;
  mad.lo.u32 %r8, %r2, 3, 2;
  setp.lt.u32 %p0, %r4, %r8;
  @%p0 bra again;
  st.global.u32 [%mine], %r5;
  st.shared.u32 [%r1], %r4;
  bar.sync 15, 128;
  xor.b32 %r6, %t, 64;
  mad.lo.u32 %r6, %r6, 4, %r0;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%mine+512], %r7;
)",
                 [](uint32_t i) {
                   const uint32_t t = i % 128, rounds = t < 64 ? 2 : 5;
                   if (i >= 128) return 7 - rounds;
                   uint32_t own = t, other = t ^ 32;
                   for (uint32_t r = 0; r < rounds; ++r) {
                     const uint32_t before = own;
                     own = 5 * own + other;
                     other = 5 * other + before;
                   }
                   return own;
                 }});

  // A producer warp fills a word a lane eight times; bar.arrive says "full" and "empty" without waiting.
  all.push_back({"arrive_and_sync", 1, 64, 32, "", R"(
  .shared .b32 words[32];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %lane, 4, %r0;
  mov.u32 %r2, 0; mov.u32 %r3, 0;
  setp.ge.u32 %p0, %t, 32;
  @%p0 bra consumer;
produce:
  bar.sync 1, 64;
  mad.lo.u32 %r4, %r2, 10, %lane;
  st.shared.u32 [%r1], %r4;
  bar.arrive 2, 64;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 8;
  @%p1 bra produce;
  ret;
consumer:
  bar.arrive 1, 64;
consume:
  bar.sync 2, 64;
  ld.shared.u32 %r4, [%r1];
  mad.lo.u32 %r3, %r3, 3, %r4;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 8;
  @%p1 bar.arrive 1, 64;
  @%p1 bra consume;
  mad.wide.u32 %d0, %lane, 4, %out;
  st.global.u32 [%d0], %r3;
)",
                 [](uint32_t lane) {
                   uint32_t x = 0;
                   for (uint32_t i = 0; i < 8; ++i) x = 3 * x + 10 * i + lane;
                   return x;
                 }});

  // Reductions over the threads that are left.
  all.push_back({"reductions", 1, 96, 384, "", R"(
  setp.ge.u32 %p0, %t, 80;
  @%p0 exit;
  rem.u32 %r0, %t, 3;
  setp.eq.u32 %p1, %r0, 0;
  setp.lt.u32 %p2, %t, 80;
  setp.eq.u32 %p3, %t, 79;
  barrier.red.popc.u32 %r1, 0, %p1;
  st.global.u32 [%mine], %r1;
  barrier.red.and.pred %p4, 0, %p2;
  barrier.red.and.pred %p5, 0, %p1;
  selp.u32 %r2, 1, 0, %p4;
  selp.u32 %r3, 2, 0, %p5;
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%mine+384], %r2;
  barrier.red.or.pred %p4, 0, %p3;
  barrier.red.or.pred %p5, 0, !%p2;
  selp.u32 %r2, 1, 0, %p4;
  selp.u32 %r3, 2, 0, %p5;
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%mine+768], %r2;
  setp.lt.u32 %p6, %t, 64;
  @!%p6 exit;
  barrier.red.popc.u32 %r1, 3, 64, !%p1;
  st.global.u32 [%mine+1152], %r1;
)",
                 [](uint32_t i) -> uint32_t {
                   const uint32_t t = i % 96;
                   if (t >= 80) return 0;
                   if (i < 96) return 27;
                   if (i < 288) return 1;
                   return t < 64 ? 64 - 22 : 0;
                 }});

  // barrier.sync counts threads, not warps: halves of a warp arrive from two arms.
  all.push_back({"barrier_in_two_arms", 1, 64, 64, "", R"(
  .shared .b32 words[64];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  xor.b32 %r2, %t, 47;
  mad.lo.u32 %r3, %r2, 4, %r0;
  setp.lt.u32 %p0, %lane, 10;
  @%p0 bra low;
  add.u32 %r4, %t, 500;
  st.shared.u32 [%r1], %r4;
  barrier.sync 0;
  ld.shared.u32 %r5, [%r3];
  bra join;
low:
  mul.lo.u32 %r4, %t, 3;
  st.shared.u32 [%r1], %r4;
  barrier.sync 0;
  ld.shared.u32 %r5, [%r3];
  add.u32 %r5, %r5, 1;
join:
  st.global.u32 [%mine], %r5;
)",
                 [](uint32_t t) {
                   const uint32_t other = t ^ 47;
                   return (other % 32 < 10 ? 3 * other : other + 500) + (t % 32 < 10 ? 1 : 0);
                 }});

  // Lanes come to the barrier one by one, each after as many rounds as its number.
  all.push_back({"lanes_arrive_one_by_one", 1, 64, 64, "", R"(
  .shared .b32 words[64];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  mov.u32 %r2, 0;
again:
  setp.ne.u32 %p0, %r2, %lane;
  @%p0 bra next;
  st.shared.u32 [%r1], %r2;
  barrier.sync 0;
  xor.b32 %r3, %t, 63;
  mad.lo.u32 %r3, %r3, 4, %r0;
  ld.shared.u32 %r4, [%r3];
next:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 32;
  @%p1 bra again;
  st.global.u32 [%mine], %r4;
)",
                 [](uint32_t t) { return 31 - t % 32; }});

  // A reduction whose threads stand at two places.
  all.push_back({"reduction_in_two_arms", 1, 64, 64, "", R"(
  and.b32 %r0, %t, 5;
  setp.eq.u32 %p1, %r0, 5;
  setp.lt.u32 %p0, %lane, 20;
  @%p0 bra low;
  barrier.red.popc.u32 %r1, 0, %p1;
  add.u32 %r1, %r1, 100;
  bra join;
low:
  barrier.red.popc.u32 %r1, 0, !%p1;
join:
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t t) {
                   uint32_t count = 0;
                   for (uint32_t other = 0; other < 64; ++other) count += ((other & 5) == 5) == (other % 32 >= 20);
                   return count + (t % 32 < 20 ? 0 : 100);
                 }});

  // A cluster of one block: its barrier is the block's.
  all.push_back({"cluster_of_one", 2, 96, 192, "", R"(
  .shared .b32 words[96];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  st.shared.u32 [%r1], %t;
  barrier.cluster.arrive;
  mul.lo.u32 %r2, %t, 1000;
  barrier.cluster.wait;
  mov.u32 %r3, 95;
  sub.u32 %r3, %r3, %t;
  mad.lo.u32 %r3, %r3, 4, %r0;
  ld.shared.u32 %r4, [%r3];
  add.u32 %r4, %r4, %r2;
  st.global.u32 [%mine], %r4;
)",
                 [](uint32_t i) { return 95 - i % 96 + 1000 * (i % 96); }});
  return all;
}

}  // namespace ww::control
