// mbarrier objects: pipelines between warps, and lanes of one warp that wait for each other.
#include "control/control_case.h"

namespace ww::control {

std::vector<ControlCase> mbarrier_cases() {
  std::vector<ControlCase> all;

  // Warp 0 fills four stages in turn, twelve times; warps 1 and 2 read them. "Full" counts the producer's 32 lanes,
  // "empty" the consumers' 64.
  all.push_back({"mbarrier_pipeline", 2, 96, 128, "", R"(
  .shared .align 8 .b64 full[4];
  .shared .align 8 .b64 empty[4];
  .shared .b32 words[128];
  mov.u32 %r20, full; mov.u32 %r21, empty; mov.u32 %r22, words;
  setp.ge.u32 %p0, %t, 4;
  @%p0 bra ready;
  mad.lo.u32 %r0, %t, 8, %r20;
  mbarrier.init.shared.b64 [%r0], 32;
  mad.lo.u32 %r0, %t, 8, %r21;
  mbarrier.init.shared.b64 [%r0], 64;
ready:
  bar.sync 0;
  mov.u32 %r1, 0; mov.u32 %r9, 0;
  setp.ge.u32 %p1, %t, 32;
  @%p1 bra consume;
produce:
  and.b32 %r2, %r1, 3;
  shr.u32 %r3, %r1, 2;
  add.u32 %r3, %r3, 1;
  and.b32 %r3, %r3, 1;
  mad.lo.u32 %r4, %r2, 8, %r21;
wait_empty:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r4], %r3;
  @!%p2 bra wait_empty;
  mad.lo.u32 %r5, %r2, 32, %lane;
  mad.lo.u32 %r5, %r5, 4, %r22;
  mad.lo.u32 %r6, %r1, 100, %lane;
  add.u32 %r6, %r6, %b;
  st.shared.u32 [%r5], %r6;
  mad.lo.u32 %r4, %r2, 8, %r20;
  mbarrier.arrive.shared.b64 _, [%r4];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p3, %r1, 12;
  @%p3 bra produce;
  ret;
consume:
  and.b32 %r2, %r1, 3;
  shr.u32 %r3, %r1, 2;
  and.b32 %r3, %r3, 1;
  mad.lo.u32 %r4, %r2, 8, %r20;
wait_full:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r4], %r3;
  @!%p2 bra wait_full;
  xor.b32 %r5, %lane, 31;
  mad.lo.u32 %r5, %r2, 32, %r5;
  mad.lo.u32 %r5, %r5, 4, %r22;
  ld.shared.u32 %r6, [%r5];
  mad.lo.u32 %r9, %r9, 3, %r6;
  mad.lo.u32 %r4, %r2, 8, %r21;
  mbarrier.arrive.shared.b64 %d0, [%r4];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p3, %r1, 12;
  @%p3 bra consume;
  sub.u32 %r10, %t, 32;
  mad.lo.u32 %r10, %b, 64, %r10;
  mad.wide.u32 %d1, %r10, 4, %out;
  st.global.u32 [%d1], %r9;
)",
                 [](uint32_t i) {
                   uint32_t x = 0;
                   for (uint32_t k = 0; k < 12; ++k) x = 3 * x + 100 * k + (i % 32 ^ 31) + i / 64;
                   return x;
                 }});

  // Lanes of one warp: the even ones wait for the odd ones, which come later, each after work of its own length.
  all.push_back({"mbarrier_in_a_warp", 1, 32, 32, "", R"(
  .shared .align 8 .b64 bar;
  .shared .b32 words[32];
  mov.u32 %r20, words;
  mad.lo.u32 %r0, %lane, 4, %r20;
  setp.ne.u32 %p0, %lane, 0;
  @%p0 bra ready;
  mbarrier.init.shared.b64 [bar], 16;
ready:
  bar.warp.sync 0xffffffff;
  and.b32 %r1, %lane, 1;
  setp.eq.u32 %p1, %r1, 1;
  @%p1 bra odd;
again:
  mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
  @!%p2 bra again;
  xor.b32 %r2, %lane, 31;
  mad.lo.u32 %r2, %r2, 4, %r20;
  ld.shared.u32 %r3, [%r2];
  bra join;
odd:
  mov.u32 %r3, %lane; mov.u32 %r4, 0;
work:
  mad.lo.u32 %r3, %r3, 3, 1;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p3, %r4, %lane;
  @%p3 bra work;
  st.shared.u32 [%r0], %r3;
  mbarrier.arrive.shared.b64 %d0, [bar];
join:
  st.global.u32 [%mine], %r3;
)",
                 [](uint32_t lane) {
                   const uint32_t odd = lane % 2 != 0 ? lane : lane ^ 31;
                   uint32_t x = odd;
                   for (uint32_t i = 0; i < odd; ++i) x = 3 * x + 1;
                   return x;
                 }});

  // States: waiting with the state of one's own arrival, counts of more than one, dropping out, what is still pending.
  all.push_back({"mbarrier_states", 1, 64, 192, "", R"(
  .shared .align 8 .b64 bar;
  .shared .b32 sum;
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra ready;
  mbarrier.init.shared.b64 [bar], 100;
  st.shared.u32 [sum], %t;
ready:
  bar.sync 0;
  atom.shared.add.u32 %r0, [sum], %t;
  setp.lt.u32 %p1, %t, 36;
  mov.u32 %r1, 1;
  @%p1 mov.u32 %r1, 2;
  mbarrier.arrive.shared.b64 %d0, [bar], %r1;
first:
  mbarrier.test_wait.shared.b64 %p2, [bar], %d0;
  @!%p2 bra first;
  ld.shared.u32 %r2, [sum];
  st.global.u32 [%mine], %r2;
  bar.sync 0;
  setp.ge.u32 %p3, %t, 36;
  @%p3 bra drops;
  mbarrier.arrive.shared.b64 %d0, [bar], 2;
  bra second;
drops:
  mbarrier.arrive_drop.shared.b64 %d0, [bar];
second:
  mbarrier.try_wait.shared.b64 %p2, [bar], %d0;
  @!%p2 bra second;
  st.global.u32 [%mine+256], %r2;
  bar.sync 0;
  setp.ne.u32 %p4, %t, 5;
  @%p4 exit;
  mbarrier.arrive.shared.b64 %d0, [bar], 10;
  mbarrier.pending_count.b64 %r3, %d0;
  mbarrier.arrive.shared.b64 %d1, [bar], 3;
  mbarrier.pending_count.b64 %r4, %d1;
  mad.lo.u32 %r3, %r3, 1000, %r4;
  st.global.u32 [%mine+512], %r3;
)",
                 [](uint32_t i) -> uint32_t {
                   if (i < 128) return 64 * 63 / 2;
                   // 100 - 28 threads that dropped out are expected in the third phase.
                   return i == 128 + 5 ? 72 * 1000 + 62 : 0;
                 }});
  return all;
}

}  // namespace ww::control
