// Calls that only some lanes make: returns and exits in the callee, recursion, function pointers, the stack.
#include "control/control_case.h"

namespace ww::control {

namespace {

uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

}  // namespace

std::vector<ControlCase> call_cases() {
  std::vector<ControlCase> all;

  // A function returns out of a loop, in a round of each lane's own; only two thirds of the lanes call it.
  all.push_back({"return_in_a_loop", 1, 64, 64, R"(
.func (.reg .b32 %result) steps(.reg .b32 %x) {
  .reg .pred %p; .reg .b32 %i, %r;
  mov.u32 %i, 0;
again:
  add.u32 %i, %i, 1;
  mul.lo.u32 %r, %i, %i;
  setp.gt.u32 %p, %r, %x;
  mov.u32 %result, %i;
  @%p ret;
  bra again;
}
)",
                 R"(
  rem.u32 %r0, %t, 3;
  setp.eq.u32 %p0, %r0, 0;
  mov.u32 %r1, 77;
  @%p0 bra join;
  call (%r1), steps, (%t);
join:
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t t) {
                   if (t % 3 == 0) return 77u;
                   uint32_t i = 1;
                   while (i * i <= t) ++i;
                   return i;
                 }});

  // A function ends the thread for some lanes; the others come back, meet at a barrier and see each other's
  // words: lane t reads that of t ^ 34, which for t % 4 == 3 is a lane that has left.
  all.push_back({"exit_in_a_function", 1, 64, 64, R"(
.func (.reg .b32 %result) maybe(.reg .b32 %x) {
  .reg .pred %p; .reg .b32 %r;
  and.b32 %r, %x, 3;
  setp.eq.u32 %p, %r, 1;
  @%p exit;
  add.u32 %result, %x, 100;
}
)",
                 R"(
  .shared .b32 words[64];
  mov.u32 %r2, words;
  mad.lo.u32 %r3, %t, 4, %r2;
  mov.u32 %r0, 0;
  st.shared.u32 [%r3], %r0;
  barrier.sync 0;
  mov.u32 %r0, 5;
  st.global.u32 [%mine], %r0;
  call (%r1), maybe, (%t);
  st.shared.u32 [%r3], %r1;
  barrier.sync 0;
  xor.b32 %r4, %t, 34;
  mad.lo.u32 %r3, %r4, 4, %r2;
  ld.shared.u32 %r5, [%r3];
  st.global.u32 [%mine], %r5;
)",
                 [](uint32_t t) { return t % 4 == 1          ? 5u
                                         : (t ^ 34) % 4 == 1 ? 0u
                                                             : (t ^ 34) + 100; }});

  // Recursion to a depth of each lane's own, with a value kept across the calls.
  all.push_back({"recursion", 1, 64, 64, R"(
.func (.reg .b32 %result) fib(.reg .b32 %n) {
  .reg .pred %p; .reg .b32 %a, %b, %m;
  setp.lt.u32 %p, %n, 2;
  mov.u32 %result, %n;
  @%p ret;
  sub.u32 %m, %n, 1;
  call (%a), fib, (%m);
  sub.u32 %m, %n, 2;
  call (%b), fib, (%m);
  add.u32 %result, %a, %b;
}
)",
                 R"(
  rem.u32 %r0, %t, 11;
  setp.eq.u32 %p0, %r0, 4;
  mov.u32 %r1, 9999;
  @!%p0 call (%r1), fib, (%r0);
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t t) { return t % 11 == 4 ? 9999u : fibonacci(t % 11); }});

  // Two functions that call each other: how often a lane goes through each.
  all.push_back({"mutual_recursion", 1, 64, 64, R"(
.func (.reg .b32 %result) odd(.reg .b32 %n);
.func (.reg .b32 %result) even(.reg .b32 %n) {
  .reg .pred %p; .reg .b32 %m, %r;
  setp.eq.u32 %p, %n, 0;
  mov.u32 %result, 1;
  @%p ret;
  sub.u32 %m, %n, 1;
  call (%r), odd, (%m);
  mad.lo.u32 %result, %r, 3, %n;
}
.func (.reg .b32 %result) odd(.reg .b32 %n) {
  .reg .pred %p; .reg .b32 %m, %r;
  setp.eq.u32 %p, %n, 0;
  mov.u32 %result, 2;
  @%p ret;
  sub.u32 %m, %n, 1;
  call (%r), even, (%m);
  xor.b32 %result, %r, %n;
}
)",
                 R"(
  and.b32 %r0, %t, 15;
  call (%r1), even, (%r0);
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t t) {
                   // From the innermost call outwards: depth n is `even` where n and t have the same parity.
                   const uint32_t n = t % 16;
                   uint32_t x = n % 2 == 0 ? 1 : 2;
                   for (uint32_t i = 1; i <= n; ++i) x = (n - i) % 2 == 0 ? 3 * x + i : x ^ i;
                   return x;
                 }});

  // The thread ends at the bottom of a recursion, for half of the lanes.
  all.push_back({"exit_in_a_recursion", 1, 64, 64, R"(
.func (.reg .b32 %result) down(.reg .b32 %n, .reg .b32 %leaves) {
  .reg .pred %p; .reg .b32 %m;
  setp.ne.u32 %p, %n, 0;
  @%p bra deeper;
  setp.ne.u32 %p, %leaves, 0;
  @%p exit;
  mov.u32 %result, 1;
  ret;
deeper:
  sub.u32 %m, %n, 1;
  call (%result), down, (%m, %leaves);
  mad.lo.u32 %result, %result, 2, 1;
}
)",
                 R"(
  mov.u32 %r0, 5;
  st.global.u32 [%mine], %r0;
  and.b32 %r1, %t, 7;
  and.b32 %r2, %t, 1;
  call (%r3), down, (%r1, %r2);
  st.global.u32 [%mine], %r3;
)",
                 [](uint32_t t) { return t % 2 != 0 ? 5u : (2u << t % 8) - 1; }});

  // Lanes call different functions through pointers, in a loop, by what the last one gave.
  all.push_back({"divergent_pointers", 1, 64, 64, R"(
.func (.reg .b32 %result) f0(.reg .b32 %x) { add.u32 %result, %x, 11; }
.func (.reg .b32 %result) f1(.reg .b32 %x) { mul.lo.u32 %result, %x, 3; }
.func (.reg .b32 %result) f2(.reg .b32 %x) { xor.b32 %result, %x, 0x5a; }
.func (.reg .b32 %result) f3(.reg .b32 %x) {
  .reg .pred %p; .reg .b32 %i;
  mov.u32 %i, 0; mov.u32 %result, %x;
again:
  add.u32 %result, %result, %i; add.u32 %i, %i, 1;
  and.b32 %i, %i, 31;
  setp.lt.u32 %p, %i, %x;
  setp.lt.and.u32 %p, %i, 9, %p;
  @%p bra again;
}
.global .u64 table[4] = {f0, f1, f2, f3};
)",
                 R"(
  mov.u32 %r0, %t; mov.u32 %r1, 0;
  mov.u64 %d0, table;
again:
  and.b32 %r2, %r0, 3;
  mad.wide.u32 %d1, %r2, 8, %d0;
  ld.global.u64 %d2, [%d1];
  kind: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (%r0), %d2, (%r0), kind;
  and.b32 %r0, %r0, 0xfffff;
  add.u32 %r1, %r1, 1;
  rem.u32 %r3, %t, 7;
  setp.le.u32 %p0, %r1, %r3;
  @%p0 bra again;
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t t) {
                   uint32_t x = t;
                   for (uint32_t round = 0; round <= t % 7; ++round) {
                     const uint32_t before = x;
                     switch (x % 4) {
                       case 0:
                         x += 11;
                         break;
                       case 1:
                         x *= 3;
                         break;
                       case 2:
                         x ^= 0x5a;
                         break;
                       default:
                         for (uint32_t i = 0; i == 0 || (i < before && i < 9); ++i) x += i;
                     }
                     x &= 0xfffff;
                   }
                   return x;
                 }});

  // An array on the stack, of each lane's own size, twice; the second is given back before the third is taken.
  all.push_back({"stack", 1, 64, 64, "", R"(
  and.b32 %r0, %t, 7;
  add.u32 %r0, %r0, 1;
  mul.wide.u32 %d0, %r0, 4;
  alloca.u64 %d1, %d0;
  cvta.local.u64 %d2, %d1;
  mov.u32 %r1, 0;
fill:
  mad.wide.u32 %d3, %r1, 4, %d2;
  mad.lo.u32 %r2, %r1, 10, %t;
  st.u32 [%d3], %r2;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, %r0;
  @%p0 bra fill;
  stacksave.u64 %d4;
  mov.u32 %r3, 0;
again:
  alloca.u64 %d5, 64, 16;
  st.local.u32 [%d5], %t;
  st.local.u32 [%d5+60], %r3;
  ld.local.u32 %r4, [%d5+60];
  stackrestore.u64 %d4;
  add.u32 %r3, %r4, 1;
  setp.lt.u32 %p1, %r3, 50;
  @%p1 bra again;
  mov.u32 %r5, 0; mov.u32 %r1, 0;
sum:
  mad.wide.u32 %d3, %r1, 4, %d1;
  ld.local.u32 %r2, [%d3];
  add.u32 %r5, %r5, %r2;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, %r0;
  @%p0 bra sum;
  add.u32 %r5, %r5, %r3;
  st.global.u32 [%mine], %r5;
)",
                 [](uint32_t t) {
                   uint32_t sum = 50;
                   for (uint32_t i = 0; i <= t % 8; ++i) sum += 10 * i + t;
                   return sum;
                 }});

  // What a function takes from the stack is gone when it returns: many calls need no more room than one.
  all.push_back({"stack_of_a_function", 1, 32, 32, R"(
.func (.reg .b32 %result) twice(.reg .b32 %x, .reg .b32 %depth) {
  .reg .pred %p; .reg .b64 %a, %size; .reg .b32 %r, %less;
  mov.u64 %size, 32;
  alloca.u64 %a, %size;
  st.local.u32 [%a+28], %x;
  setp.eq.u32 %p, %depth, 0;
  mov.u32 %r, 0;
  @%p bra leaf;
  sub.u32 %less, %depth, 1;
  add.u32 %r, %x, 1;
  call (%r), twice, (%r, %less);
leaf:
  ld.local.u32 %x, [%a+28];
  mad.lo.u32 %result, %x, 2, %r;
}
)",
                 R"(
  mov.u32 %r0, 0; mov.u32 %r1, 0;
  and.b32 %r2, %t, 3;
again:
  call (%r3), twice, (%t, %r2);
  add.u32 %r0, %r0, %r3;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 300;
  @%p0 bra again;
  st.global.u32 [%mine], %r0;
)",
                 [](uint32_t t) {
                   uint32_t once = 0;
                   for (uint32_t i = 0; i <= t % 4; ++i) once += 2 * (t + i);
                   return 300 * once;
                 }});
  return all;
}

}  // namespace ww::control
