// Lanes and warps that wait in loops for what others write: every thread makes progress, as on sm_70 and later.
#include "control/control_case.h"

namespace ww::control {

std::vector<ControlCase> waiting_cases() {
  std::vector<ControlCase> all;

  // A lock per block that every lane takes in a loop of its own, with the critical section behind the loop.
  all.push_back({"lock", 3, 64, 2, "", R"(
again:
  atom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra again;
  ld.global.u32 %r1, [%out+4];
  mad.lo.u32 %r1, %r1, 1, 3;
  st.global.u32 [%out+4], %r1;
  atom.release.gpu.global.exch.b32 %r0, [%out], 0;
)",
                 [](uint32_t i) { return i == 1 ? 3 * 192u : 0u; }});

  // The same with the section inside of the loop, and a variable that says it is done.
  all.push_back({"lock_until_done", 3, 64, 2, "", R"(
  mov.u32 %r2, 0;
again:
  atom.acquire.gpu.global.exch.b32 %r0, [%out], 1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra next;
  ld.global.u32 %r1, [%out+4];
  add.u32 %r1, %r1, 5;
  st.global.u32 [%out+4], %r1;
  st.release.gpu.global.u32 [%out], 0;
  mov.u32 %r2, 1;
next:
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra again;
)",
                 [](uint32_t i) { return i == 1 ? 5 * 192u : 0u; }});

  // Tickets: a lane waits until its number is served.
  all.push_back({"tickets", 2, 64, 131, "", R"(
  atom.global.add.u32 %r0, [%out], 1;
again:
  ld.acquire.gpu.global.u32 %r1, [%out+4];
  setp.ne.u32 %p0, %r1, %r0;
  @%p0 bra again;
  ld.global.u32 %r2, [%out+8];
  mad.lo.u32 %r2, %r2, 5, %r0;
  st.global.u32 [%out+8], %r2;
  mad.wide.u32 %d0, %r0, 4, %out;
  st.global.u32 [%d0+12], %r2;
  add.u32 %r1, %r1, 1;
  st.release.gpu.global.u32 [%out+4], %r1;
)",
                 [](uint32_t i) -> uint32_t {
                   if (i < 2) return 128;
                   uint32_t x = 0;
                   for (uint32_t k = 0; k < (i == 2 ? 128 : i - 2); ++k) x = 5 * x + k;
                   return x;
                 }});

  // The waiting arm stands in front of the one that wakes it; shared memory, volatile.
  all.push_back({"wait_first_shared", 1, 32, 32, "", R"(
  .shared .b32 flag;
  mov.u32 %r0, 0;
  st.shared.u32 [flag], %r0;
  bar.warp.sync 0xffffffff;
  setp.eq.u32 %p0, %lane, 31;
  @%p0 bra wake;
again:
  ld.volatile.shared.u32 %r0, [flag];
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra again;
  add.u32 %r0, %r0, %lane;
  bra join;
wake:
  mov.u32 %r0, 500;
  st.volatile.shared.u32 [flag], %r0;
join:
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t lane) { return lane == 31 ? 500 : 500 + lane; }});

  // The waiting arm stands behind it; global memory, relaxed and a fence.
  all.push_back({"wait_last_global", 1, 32, 34, "", R"(
  setp.ne.u32 %p0, %lane, 7;
  @%p0 bra again;
  mov.u32 %r0, 321;
  st.global.u32 [%out+132], %r0;
  fence.acq_rel.gpu;
  mov.u32 %r1, 1;
  st.relaxed.gpu.global.u32 [%out+128], %r1;
  bra join;
again:
  ld.relaxed.gpu.global.u32 %r1, [%out+128];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra again;
  fence.acq_rel.gpu;
  ld.global.u32 %r0, [%out+132];
  add.u32 %r0, %r0, %lane;
join:
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t i) {
                   return i == 33 ? 321 : i == 32 ? 1 : i == 7 ? 321 : 321 + i;
                 }});

  // What a lane waits for decides inside of the loop, not at its end.
  all.push_back({"wait_inside", 1, 32, 34, "", R"(
  setp.eq.u32 %p0, %lane, 20;
  @%p0 bra wake;
  mov.u32 %r2, 0; mov.u32 %r4, 0;
again:
  ld.acquire.gpu.global.u32 %r1, [%out+128];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra next;
  ld.global.u32 %r3, [%out+132];
  st.global.u32 [%mine], %r3;
  mov.u32 %r2, 1;
next:
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra again;
  ret;
wake:
  mov.u32 %r0, 42;
  st.global.u32 [%out+132], %r0;
  st.release.gpu.global.u32 [%out+128], %r0;
)",
                 [](uint32_t i) { return i == 20 ? 0 : 42; }});

  // A second way out that nobody takes, and a patience that never runs out in time.
  all.push_back({"wait_with_other_exits", 1, 32, 33, "", R"(
  setp.eq.u32 %p0, %lane, 3;
  @%p0 bra wake;
  mov.u32 %r2, 0;
again:
  ld.volatile.global.u32 %r1, [%out+128];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra got;
  setp.gt.u32 %p2, %n, 500;
  @%p2 bra never;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p3, %r2, 100000000;
  @%p3 bra again;
never:
  mov.u32 %r1, 66;
got:
  st.global.u32 [%mine], %r1;
  ret;
wake:
  mov.u32 %r1, 9;
  st.global.u32 [%mine], %r1;
  st.volatile.global.u32 [%out+128], %r1;
)",
                 [](uint32_t) { return 9u; }});

  // A token goes around the lanes of two warps, in shared memory, three times.
  all.push_back({"token_ring", 1, 64, 64, "", R"(
  .shared .b32 token; .shared .b32 value;
  mov.u32 %r0, 0;
  setp.ne.u32 %p0, %t, 0;
  @!%p0 st.shared.u32 [token], %r0;
  @!%p0 st.shared.u32 [value], %r0;
  bar.sync 0;
  mov.u32 %r1, %t; mov.u32 %r5, 0;
again:
  ld.acquire.cta.shared.u32 %r2, [token];
  setp.ne.u32 %p1, %r2, %r1;
  @%p1 bra again;
  ld.shared.u32 %r3, [value];
  mad.lo.u32 %r3, %r3, 3, %t;
  st.shared.u32 [value], %r3;
  add.u32 %r2, %r2, 1;
  st.release.cta.shared.u32 [token], %r2;
  add.u32 %r1, %r1, 64;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 3;
  @%p2 bra again;
  st.global.u32 [%mine], %r3;
)",
                 [](uint32_t t) {
                   uint32_t x = 0;
                   for (uint32_t k = 0; k <= t + 128; ++k) x = 3 * x + k % 64;
                   return x;
                 }});

  // A queue of four places between lane 0, which fills it, and lane 1, which empties it.
  all.push_back({"queue_in_a_warp", 1, 32, 32, "", R"(
  .shared .b32 head; .shared .b32 tail; .shared .b32 items[4];
  mov.u32 %r20, items;
  mov.u32 %r0, 0; mov.u32 %r1, 0;
  setp.gt.u32 %p0, %lane, 1;
  @%p0 exit;
  st.shared.u32 [head], %r0;
  st.shared.u32 [tail], %r0;
  bar.warp.sync 3;
  setp.eq.u32 %p1, %lane, 0;
  @%p1 bra fill;
take:
  ld.acquire.cta.shared.u32 %r2, [tail];
  setp.eq.u32 %p2, %r2, %r0;
  @%p2 bra take;
  and.b32 %r3, %r0, 3;
  mad.lo.u32 %r3, %r3, 4, %r20;
  ld.shared.u32 %r4, [%r3];
  mad.lo.u32 %r1, %r1, 7, %r4;
  add.u32 %r0, %r0, 1;
  st.release.cta.shared.u32 [head], %r0;
  setp.lt.u32 %p3, %r0, 50;
  @%p3 bra take;
  st.global.u32 [%mine], %r1;
  ret;
fill:
  ld.acquire.cta.shared.u32 %r2, [head];
  sub.u32 %r3, %r0, %r2;
  setp.ge.u32 %p2, %r3, 4;
  @%p2 bra fill;
  and.b32 %r3, %r0, 3;
  mad.lo.u32 %r3, %r3, 4, %r20;
  mul.lo.u32 %r4, %r0, %r0;
  st.shared.u32 [%r3], %r4;
  add.u32 %r0, %r0, 1;
  st.release.cta.shared.u32 [tail], %r0;
  setp.lt.u32 %p3, %r0, 50;
  @%p3 bra fill;
)",
                 [](uint32_t lane) {
                   uint32_t x = 0;
                   for (uint32_t i = 0; i < 50; ++i) x = 7 * x + i * i;
                   return lane == 1 ? x : 0;
                 }});

  // Lanes wait for each other, then shuffle and vote: the whole warp has to come together again.
  all.push_back({"wait_then_shuffle", 1, 64, 64, "", R"(
  .shared .b32 turn[2];
  shr.u32 %r10, %t, 5;
  mov.u32 %r11, turn;
  mad.lo.u32 %r11, %r10, 4, %r11;
  mov.u32 %r0, 31;
  setp.eq.u32 %p0, %lane, 0;
  @%p0 st.shared.u32 [%r11], %r0;
  bar.warp.sync 0xffffffff;
again:
  ld.volatile.shared.u32 %r0, [%r11];
  setp.ne.u32 %p1, %r0, %lane;
  @%p1 bra again;
  mad.lo.u32 %r1, %lane, 3, %t;
  sub.u32 %r0, %r0, 1;
  st.volatile.shared.u32 [%r11], %r0;
  bar.warp.sync 0xffffffff;
  shfl.sync.bfly.b32 %r2, %r1, 5, 31, 0xffffffff;
  setp.gt.u32 %p2, %r1, 40;
  vote.sync.ballot.b32 %r3, %p2, 0xffffffff;
  popc.b32 %r3, %r3;
  redux.sync.max.u32 %r4, %r1, 0xffffffff;
  mad.lo.u32 %r2, %r2, 100, %r3;
  add.u32 %r2, %r2, %r4;
  st.global.u32 [%mine], %r2;
)",
                 [](uint32_t t) {
                   const auto x = [](uint32_t u) { return 3 * (u % 32) + u; };
                   uint32_t count = 0;
                   for (uint32_t lane = 0; lane < 32; ++lane) count += x(t / 32 * 32 + lane) > 40;
                   return 100 * x(t ^ 5) + count + x(t / 32 * 32 + 31);
                 }});

  // The lane that is waited for must first get through a shuffle of its own half.
  all.push_back({"shuffle_then_wake", 1, 32, 33, "", R"(
  setp.ge.u32 %p0, %lane, 16;
  @%p0 bra wake;
again:
  ld.acquire.gpu.global.u32 %r0, [%out+128];
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra again;
  bra join;
wake:
  mov.u32 %r0, %lane;
  shfl.sync.down.b32 %r1, %r0, 8, 31, 0xffff0000;
  add.u32 %r0, %r0, %r1;
  shfl.sync.bfly.b32 %r1, %r0, 3, 31, 0xffff0000;
  mad.lo.u32 %r0, %r0, 2, %r1;
  setp.eq.u32 %p2, %lane, 22;
  @%p2 st.release.gpu.global.u32 [%out+128], %r0;
join:
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t i) {
                   const auto half = [](uint32_t lane) {
                     const auto sum = [](uint32_t l) { return l + (l < 24 ? l + 8 : l); };
                     return 2 * sum(lane) + sum(lane ^ 3);
                   };
                   return i >= 16 && i < 32 ? half(i) : half(22);
                 }});

  // Sleeping between looks, with times that grow.
  all.push_back({"nanosleep", 2, 64, 129, "", R"(
  setp.eq.u32 %p0, %g, 77;
  @%p0 bra wake;
  mov.u32 %r2, 16;
again:
  ld.relaxed.gpu.global.u32 %r0, [%out+512];
  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra got;
  nanosleep.u32 %r2;
  shl.b32 %r2, %r2, 1;
  min.u32 %r2, %r2, 512;
  bra again;
got:
  add.u32 %r0, %r0, %g;
  st.global.u32 [%mine], %r0;
  ret;
wake:
  nanosleep.u32 1000;
  mov.u32 %r0, 1234;
  st.relaxed.gpu.global.u32 [%out+512], %r0;
)",
                 [](uint32_t i) { return i == 77    ? 0
                                         : i == 128 ? 1234
                                                    : 1234 + i; }});

  // Looking with atomic operations that change nothing.
  all.push_back({"polling_atomics", 1, 32, 34, "", R"(
  setp.eq.u32 %p0, %lane, 15;
  @%p0 bra wake;
  and.b32 %r1, %lane, 3;
  kinds: .branchtargets add, or, cas, max;
  brx.idx %r1, kinds;
add:
  atom.acquire.gpu.global.add.u32 %r0, [%out+128], 0;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra add;
  bra got;
or:
  atom.acquire.gpu.global.or.b32 %r0, [%out+128], 0;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra or;
  bra got;
cas:
  atom.acquire.gpu.global.cas.b32 %r0, [%out+128], 7777, 7777;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra cas;
  bra got;
max:
  atom.acquire.gpu.global.max.u32 %r0, [%out+128], 0;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra max;
got:
  ld.global.u32 %r2, [%out+132];
  add.u32 %r0, %r0, %r2;
  st.global.u32 [%mine], %r0;
  ret;
wake:
  mov.u32 %r0, 1000;
  st.global.u32 [%out+132], %r0;
  red.release.gpu.global.add.u32 [%out+128], 6;
)",
                 [](uint32_t i) {
                   return i == 15 ? 0 : i == 32 ? 6 : i == 33 ? 1000 : 1006;
                 }});

  // Looking with .mmio, which is relaxed for the whole system.
  all.push_back({"polling_mmio", 2, 32, 65, "", R"(
  setp.eq.u32 %p0, %g, 40;
  @%p0 bra wake;
again:
  ld.mmio.relaxed.sys.global.u32 %r0, [%out+256];
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra again;
  st.global.u32 [%mine], %r0;
  ret;
wake:
  mov.u32 %r0, 31;
  st.mmio.relaxed.sys.global.u32 [%out+256], %r0;
)",
                 [](uint32_t i) { return i == 40 ? 0 : 31; }});

  // Peterson's algorithm between two lanes of a warp, and between two warps.
  all.push_back({"peterson", 1, 64, 8, "", R"(
  and.b32 %r0, %lane, 1;
  setp.gt.u32 %p0, %lane, 1;
  @%p0 exit;
  mov.u32 %r9, 0;
  mov.u32 %r8, 1;
  shr.u32 %r1, %t, 5;
  mad.wide.u32 %d0, %r1, 16, %out;
  mad.wide.u32 %d1, %r0, 4, %d0;
  xor.b32 %r2, %r0, 1;
  mad.wide.u32 %d2, %r2, 4, %d0;
  mov.u32 %r3, 0;
again:
  st.relaxed.gpu.global.u32 [%d1], %r8;
  st.relaxed.gpu.global.u32 [%d0+8], %r2;
  fence.sc.gpu;
wait:
  ld.acquire.gpu.global.u32 %r4, [%d2];
  ld.acquire.gpu.global.u32 %r5, [%d0+8];
  setp.ne.u32 %p1, %r4, 0;
  setp.eq.and.u32 %p1, %r5, %r2, %p1;
  @%p1 bra wait;
  ld.global.u32 %r6, [%d0+12];
  add.u32 %r6, %r6, 1;
  st.global.u32 [%d0+12], %r6;
  st.release.gpu.global.u32 [%d1], %r9;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 100;
  @%p2 bra again;
  st.relaxed.gpu.global.u32 [%d0+8], %r9;
)",
                 [](uint32_t i) { return i % 4 == 3 ? 200u : 0u; }});

  // The lock is taken in a function that waits, given back in another.
  all.push_back({"lock_in_a_function", 2, 64, 2, R"(
.func take(.reg .b64 %lock) {
  .reg .pred %p; .reg .b32 %r;
again:
  atom.acquire.gpu.global.cas.b32 %r, [%lock], 0, 1;
  setp.eq.u32 %p, %r, 0;
  @%p ret;
  bra again;
}
.func give(.reg .b64 %lock) {
  .reg .b32 %r;
  mov.u32 %r, 0;
  st.release.gpu.global.u32 [%lock], %r;
}
)",
                 R"(
  and.b32 %r1, %lane, 3;
  setp.eq.u32 %p0, %r1, 2;
  @%p0 bra join;
  call take, (%out);
  ld.global.u32 %r0, [%out+4];
  add.u32 %r0, %r0, 1;
  st.global.u32 [%out+4], %r0;
  call give, (%out);
join:
)",
                 [](uint32_t i) { return i == 1 ? 96u : 0u; }});

  // Warps wait for warps in shared memory, lane by lane, then all meet at a barrier.
  all.push_back({"warps_in_turn", 1, 256, 256, "", R"(
  .shared .b32 flags[256];
  mov.u32 %r20, flags;
  mad.lo.u32 %r0, %t, 4, %r20;
  mov.u32 %r1, 0;
  st.shared.u32 [%r0], %r1;
  bar.sync 0;
  setp.ge.u32 %p0, %t, 224;
  @%p0 bra put;
again:
  ld.volatile.shared.u32 %r1, [%r0+128];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra again;
put:
  mad.lo.u32 %r1, %r1, 2, %lane;
  add.u32 %r1, %r1, 1;
  st.volatile.shared.u32 [%r0], %r1;
  bar.sync 0;
  xor.b32 %r2, %t, 37;
  mad.lo.u32 %r2, %r2, 4, %r20;
  ld.shared.u32 %r3, [%r2];
  st.global.u32 [%mine], %r3;
)",
                 [](uint32_t t) {
                   const uint32_t other = t ^ 37;
                   uint32_t x = 0;
                   for (uint32_t warp = 8; warp > other / 32; --warp) x = 2 * x + other % 32 + 1;
                   return x;
                 }});
  return all;
}

}  // namespace ww::control
