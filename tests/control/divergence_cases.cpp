// Branches that part the lanes of a warp: loops, exits, tables, graphs that no structured program has.
#include "control/control_case.h"

namespace ww::control {

std::vector<ControlCase> divergence_cases() {
  std::vector<ControlCase> all;

  // Each thread adds 0, 1, ..., t - 1.
  all.push_back({"loop_by_lane", 2, 96, 192, "", R"(
  mov.u32 %r0, 0; mov.u32 %r1, 0;
again:
  setp.ge.u32 %p0, %r0, %t;
  @%p0 bra done;
  add.u32 %r1, %r1, %r0;
  add.u32 %r0, %r0, 1;
  bra again;
done:
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t i) { return (i % 96) * (i % 96 - 1) / 2; }});

  // Lanes leave the kernel in the middle of a loop, each in its own round; the others go on to count.
  all.push_back({"exit_in_a_loop", 1, 64, 64, "", R"(
  mov.u32 %r0, 0;
again:
  setp.eq.u32 %p0, %r0, %lane;
  st.global.u32 [%mine], %r0;
  @%p0 exit;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p1, %r0, 20;
  @%p1 bra again;
  mov.u32 %r0, 1000;
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t i) { return i % 32 < 20 ? i % 32 : 1000; }});

  // Three loops around each other; lanes leave one, two or all three by where they stand.
  all.push_back({"break_levels", 1, 64, 64, "", R"(
  mov.u32 %r0, 0; mov.u32 %r5, 0;
outer:
  mov.u32 %r1, 0;
middle:
  mov.u32 %r2, 0;
inner:
  add.u32 %r5, %r5, 1;
  mad.lo.u32 %r3, %r0, 7, %r1;
  mad.lo.u32 %r3, %r3, 5, %r2;
  add.u32 %r3, %r3, %t;
  rem.u32 %r4, %r3, 23;
  setp.eq.u32 %p0, %r4, 3;
  @%p0 bra after_inner;
  setp.eq.u32 %p0, %r4, 11;
  @%p0 bra after_middle;
  setp.eq.u32 %p0, %r4, 22;
  setp.gt.and.u32 %p0, %r0, 2, %p0;
  @%p0 bra after_outer;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 6;
  @%p1 bra inner;
after_inner:
  add.u32 %r5, %r5, 100;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 5;
  @%p1 bra middle;
after_middle:
  add.u32 %r5, %r5, 10000;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p1, %r0, 8;
  @%p1 bra outer;
after_outer:
  st.global.u32 [%mine], %r5;
)",
                 [](uint32_t t) {
                   uint32_t count = 0;
                   for (uint32_t a = 0; a < 8; ++a) {
                     for (uint32_t b = 0; b < 5; ++b) {
                       for (uint32_t c = 0; c < 6; ++c) {
                         ++count;
                         const uint32_t x = ((a * 7 + b) * 5 + c + t) % 23;
                         if (x == 3) break;
                         if (x == 11) goto next_a;
                         if (x == 22 && a > 2) return count;
                       }
                       count += 100;
                     }
                   next_a:
                     count += 10000;
                   }
                   return count;
                 }});

  // A machine of five states by a branch table, some of which fall through to the next.
  all.push_back({"branch_table", 1, 64, 64, "", R"(
  mov.u32 %r0, 0; mov.u32 %r1, %t; mov.u32 %r2, 0;
next:
  add.u32 %r2, %r2, 1;
  setp.gt.u32 %p0, %r2, 40;
  @%p0 bra done;
  rem.u32 %r3, %r1, 5;
  targets: .branchtargets s0, s1, s2, s3, s4;
  brx.idx %r3, targets;
s0:
  add.u32 %r1, %r1, 7;
s1:
  mad.lo.u32 %r1, %r1, 3, 1;
  bra next;
s2:
  shr.u32 %r1, %r1, 1;
  bra next;
s3:
  xor.b32 %r1, %r1, 0x55;
s4:
  add.u32 %r0, %r0, %r1;
  add.u32 %r1, %r1, 2;
  bra next;
done:
  xor.b32 %r0, %r0, %r1;
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t x) {
                   uint32_t sum = 0;
                   for (unsigned step = 0; step < 40; ++step) switch (x % 5) {
                       case 0:
                         x += 7;
                         [[fallthrough]];
                       case 1:
                         x = 3 * x + 1;
                         break;
                       case 2:
                         x >>= 1;
                         break;
                       case 3:
                         x ^= 0x55;
                         [[fallthrough]];
                       default:
                         sum += x;
                         x += 2;
                     }
                   return sum ^ x;
                 }});

  // A loop with two entries: odd lanes start in its middle.
  all.push_back({"two_entries", 1, 64, 64, "", R"(
  mov.u32 %r0, 0; mov.u32 %r1, 0;
  and.b32 %r2, %t, 1;
  setp.ne.u32 %p0, %r2, 0;
  @%p0 bra second;
first:
  add.u32 %r0, %r0, 1;
  setp.gt.u32 %p1, %r1, %t;
  @%p1 bra done;
second:
  add.u32 %r0, %r0, 100;
  add.u32 %r1, %r1, 3;
  bra first;
done:
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t t) {
                   uint32_t sum = 0, x = 0;
                   bool at_second = t % 2 != 0;
                   while (true) {
                     if (!at_second) {
                       sum += 1;
                       if (x > t) return sum;
                     }
                     at_second = false;
                     sum += 100;
                     x += 3;
                   }
                 }});

  // A cycle of four blocks that a branch table enters anywhere, and that leads back across itself.
  all.push_back({"four_entries", 1, 64, 64, "", R"(
  mov.u32 %r0, %t; mov.u32 %r1, 0;
  and.b32 %r2, %t, 3;
  entries: .branchtargets a, b, c, e;
  brx.idx %r2, entries;
a:
  add.u32 %r0, %r0, 3; add.u32 %r1, %r1, 1;
  setp.gt.u32 %p0, %r1, 50; @%p0 bra done;
  and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra c;
b:
  mul.lo.u32 %r0, %r0, 5; add.u32 %r1, %r1, 1;
  and.b32 %r3, %r0, 2; setp.eq.u32 %p1, %r3, 0; @%p1 bra e;
c:
  xor.b32 %r0, %r0, 0x33; add.u32 %r1, %r1, 1;
  and.b32 %r3, %r0, 4; setp.eq.u32 %p1, %r3, 0; @%p1 bra a;
e:
  shr.u32 %r3, %r0, 3; add.u32 %r0, %r0, %r3; add.u32 %r1, %r1, 1;
  and.b32 %r3, %r0, 8; setp.eq.u32 %p1, %r3, 0; @%p1 bra b;
  bra a;
done:
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t x) {
                   uint32_t state = x % 4, count = 0;
                   while (true) {
                     ++count;
                     switch (state) {
                       case 0:
                         x += 3;
                         if (count > 50) return x;
                         state = x & 1 ? 1 : 2;
                         break;
                       case 1:
                         x *= 5;
                         state = x & 2 ? 2 : 3;
                         break;
                       case 2:
                         x ^= 0x33;
                         state = x & 4 ? 3 : 0;
                         break;
                       default:
                         x += x >> 3;
                         state = x & 8 ? 0 : 1;
                     }
                   }
                 }});

  // Ifs in ifs, by the bits of the lane, each arm with a loop of its own length; the join adds what the arms made.
  all.push_back({"nested_arms", 1, 32, 32, "", R"(
  mov.u32 %r0, 1;
  and.b32 %r1, %lane, 1; setp.ne.u32 %p0, %r1, 0;
  and.b32 %r1, %lane, 2; setp.ne.u32 %p1, %r1, 0;
  and.b32 %r1, %lane, 4; setp.ne.u32 %p2, %r1, 0;
  mov.u32 %r2, 0;
  @!%p0 bra even;
  @!%p1 bra odd_low;
loop1:
  mad.lo.u32 %r0, %r0, 3, %lane; add.u32 %r2, %r2, 1;
  setp.lt.u32 %p3, %r2, %lane; @%p3 bra loop1;
  @%p2 bra join;
  add.u32 %r0, %r0, 1000;
  bra join;
odd_low:
  mad.lo.u32 %r0, %r0, 5, 2; add.u32 %r2, %r2, 4;
  setp.lt.u32 %p3, %r2, %lane; @%p3 bra odd_low;
  bra half;
even:
  @%p1 bra half;
  sub.u32 %r0, %r0, %lane;
half:
  xor.b32 %r0, %r0, 0xff00;
  @!%p2 bra join;
loop2:
  add.u32 %r0, %r0, %r2; add.u32 %r2, %r2, 1;
  setp.lt.u32 %p3, %r2, 12; @%p3 bra loop2;
join:
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t lane) {
                   uint32_t x = 1, i = 0;
                   const bool p0 = lane & 1, p1 = lane & 2, p2 = lane & 4;
                   if (p0 && p1) {
                     do {
                       x = 3 * x + lane;
                     } while (++i < lane);
                     return p2 ? x : x + 1000;
                   }
                   if (p0) {
                     do {
                       x = 5 * x + 2;
                       i += 4;
                     } while (i < lane);
                   } else if (!p1) {
                     x -= lane;
                   }
                   x ^= 0xff00;
                   if (p2) do {
                       x += i;
                     } while (++i < 12);
                   return x;
                 }});

  // Values of registers that a lane wrote before others left the loop, and that are read after it.
  all.push_back({"values_behind_a_loop", 1, 64, 64, "", R"(
  mov.u32 %r0, 0; mov.u32 %r1, 17; mov.u32 %r2, 0;
again:
  mov.u32 %r2, %r1;
  mad.lo.u32 %r1, %r1, 5, %r0;
  add.u32 %r0, %r0, 1;
  setp.eq.u32 %p0, %r0, %lane;
  @%p0 bra left;
  setp.lt.u32 %p1, %r0, 9;
  @%p1 bra again;
  mov.u32 %r2, 0;
left:
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%mine], %r2;
)",
                 [](uint32_t i) {
                   const uint32_t lane = i % 32;
                   uint32_t x = 17, before = 0;
                   for (uint32_t k = 0; k < 9; ++k) {
                     before = x;
                     x = 5 * x + k;
                     if (k + 1 == lane) return before + x;
                   }
                   return x;
                 }});
  return all;
}

}  // namespace ww::control
