// Lanes of a warp that meet: shuffles, votes and warp barriers under partial masks, in one arm or from several.
#include "control/control_case.h"

namespace ww::control {

std::vector<ControlCase> warp_cases() {
  std::vector<ControlCase> all;

  // Lanes end early; the rest shuffle and vote among themselves with the mask of those that are left.
  all.push_back({"after_an_exit", 1, 64, 128, "", R"(
  and.b32 %r0, %lane, 1;
  setp.eq.u32 %p0, %r0, 1;
  @%p0 exit;
  shfl.sync.bfly.b32 %r1|%p1, %t, 2, 31, 0x55555555;
  st.global.u32 [%mine], %r1;
  setp.gt.u32 %p2, %lane, 12;
  vote.sync.ballot.b32 %r2, %p2, 0x55555555;
  st.global.u32 [%mine+256], %r2;
)",
                 [](uint32_t i) {
                   if (i % 2 != 0) return 0u;
                   return i < 64 ? i ^ 2 : 0x55555555u & ~0x1fffu;
                 }});

  // Lanes leave a loop one by one. In round i lanes above i are left: they take lane 31's number and count themselves.
  all.push_back({"shrinking_mask", 1, 32, 32, "", R"(
  mov.u32 %r0, 0; mov.u32 %r1, 0;
again:
  setp.ge.u32 %p0, %r0, %lane;
  @%p0 bra done;
  mov.u32 %r2, 0xfffffffe;
  shl.b32 %r2, %r2, %r0;
  add.u32 %r3, %lane, %r0;
  shfl.sync.idx.b32 %r4, %r3, 31, 31, %r2;
  redux.sync.add.u32 %r5, %lane, %r2;
  mad.lo.u32 %r1, %r1, 3, %r4;
  add.u32 %r1, %r1, %r5;
  add.u32 %r0, %r0, 1;
  bra again;
done:
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t lane) {
                   uint32_t x = 0;
                   for (uint32_t i = 0; i < lane; ++i) {
                     uint32_t sum = 0;
                     for (uint32_t other = i + 1; other < 32; ++other) sum += other;
                     x = 3 * x + 31 + i + sum;
                   }
                   return x;
                 }});

  // Arms in arms, each with a vote and a shuffle of the four lanes that get there.
  all.push_back({"votes_in_arms", 1, 32, 32, "", R"(
  and.b32 %r0, %lane, 7;
  mov.u32 %r1, 0x01010101;
  shl.b32 %r1, %r1, %r0;
  shr.u32 %r2, %lane, 3;
  and.b32 %r3, %lane, 1; setp.ne.u32 %p0, %r3, 0;
  and.b32 %r3, %lane, 2; setp.ne.u32 %p1, %r3, 0;
  and.b32 %r3, %lane, 4; setp.ne.u32 %p2, %r3, 0;
  setp.gt.u32 %p3, %r2, %r0;
  @%p0 bra odd;
  @%p1 bra even_high;
  @%p2 bra four;
  vote.sync.ballot.b32 %r4, %p3, %r1;
  bra join;
four:
  vote.sync.ballot.b32 %r4, !%p3, %r1;
  bra join;
even_high:
  shfl.sync.up.b32 %r4, %lane, 8, 0, %r1;
  @%p2 bra join;
  vote.sync.ballot.b32 %r5, %p3, %r1;
  add.u32 %r4, %r4, %r5;
  bra join;
odd:
  shfl.sync.down.b32 %r4, %lane, 8, 31, %r1;
  @%p1 bra join;
  match.any.sync.b32 %r5, %r2, %r1;
  add.u32 %r4, %r4, %r5;
join:
  bar.warp.sync 0xffffffff;
  shfl.sync.bfly.b32 %r6, %r4, 1, 31, 0xffffffff;
  add.u32 %r4, %r4, %r6;
  st.global.u32 [%mine], %r4;
)",
                 [](uint32_t lane) {
                   const auto one = [](uint32_t l) -> uint32_t {
                     const uint32_t low = l % 8, high = l / 8;
                     uint32_t ballot = 0, inverse = 0;
                     for (uint32_t h = 0; h < 4; ++h) (h > low ? ballot : inverse) |= 1u << (8 * h + low);
                     if (low & 1) return (high < 3 ? l + 8 : l) + (low & 2 ? 0 : 1u << l);
                     if (low & 2) return (high > 0 ? l - 8 : l) + (low & 4 ? 0 : ballot);
                     return low & 4 ? inverse : ballot;
                   };
                   return one(lane) + one(lane ^ 1);
                 }});

  // Two halves of a warp hand words to each other through shared memory, each from an arm of its own: the warp barriers
  // that order them stand at different places.
  all.push_back({"warp_barrier_in_two_arms", 1, 64, 64, "", R"(
  .shared .b32 words[64];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  xor.b32 %r2, %t, 16;
  mad.lo.u32 %r3, %r2, 4, %r0;
  setp.lt.u32 %p0, %lane, 16;
  @%p0 bra low;
  mad.lo.u32 %r4, %t, 3, 1;
  st.shared.u32 [%r1], %r4;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r5, [%r3];
  bar.warp.sync 0xffffffff;
  add.u32 %r5, %r5, 100;
  bra join;
low:
  mad.lo.u32 %r4, %t, 5, 2;
  st.shared.u32 [%r1], %r4;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r5, [%r3];
  bar.warp.sync 0xffffffff;
join:
  st.global.u32 [%mine], %r5;
)",
                 [](uint32_t t) { return t % 32 < 16 ? 3 * (t ^ 16) + 1 : 5 * (t ^ 16) + 2 + 100; }});

  // The same with more turns in one arm's loop than in the other arm's straight code: the barriers pair up by count.
  all.push_back({"warp_barriers_by_count", 1, 32, 32, "", R"(
  .shared .b32 words[2];
  mov.u32 %r0, 0; mov.u32 %r1, 0;
  setp.ne.u32 %p0, %lane, 0;
  @%p0 bra others;
again:
  mad.lo.u32 %r2, %r0, 7, 5;
  st.shared.u32 [words], %r2;
  bar.warp.sync 0xffffffff;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r3, [words+4];
  add.u32 %r1, %r1, %r3;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p1, %r0, 2;
  @%p1 bra again;
  bra join;
others:
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r1, [words];
  setp.eq.u32 %p2, %lane, 31;
  add.u32 %r4, %r1, 1000;
  @%p2 st.shared.u32 [words+4], %r4;
  bar.warp.sync 0xffffffff;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r5, [words];
  add.u32 %r1, %r1, %r5;
  add.u32 %r4, %r5, 2000;
  @%p2 st.shared.u32 [words+4], %r4;
  bar.warp.sync 0xffffffff;
join:
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t lane) { return lane == 0 ? 1005u + 2012u : 5u + 12u; }});

  // Halves of a warp exchange values from an arm each: operation and member mask make it the same exchange.
  const auto in_two_arms = [&](const char* name, const std::string& low, const std::string& high, auto expected) {
    all.push_back({name, 1, 32, 96, "", R"(
  and.b32 %r1, %lane, 3;
  setp.eq.u32 %p1, %r1, 0;
  mul.lo.u32 %r3, %lane, 5;
  setp.lt.u32 %p0, %lane, 16;
  @%p0 bra low;
  st.global.u32 [%mine+128], %r3;
)" + high + R"(
  bra join;
low:
  st.global.u32 [%mine+256], %r1;
)" + low + R"(
join:
  st.global.u32 [%mine], %r2;
)",
                   [expected](uint32_t i) {
                     const uint32_t lane = i % 32;
                     if (i < 32) return expected(lane);
                     return (i < 64) == (lane >= 16) ? (i < 64 ? 5 * lane : lane % 4) : 0u;
                   }});
  };
  in_two_arms("shuffle_in_two_arms", "shfl.sync.bfly.b32 %r2, %r3, 17, 31, 0xffffffff; add.u32 %r2, %r2, 1000;",
              "shfl.sync.bfly.b32 %r2, %lane, 17, 31, 0xffffffff;",
              [](uint32_t lane) { return lane < 16 ? (lane ^ 17) + 1000 : 5 * (lane ^ 17); });
  in_two_arms("vote_in_two_arms", "vote.sync.ballot.b32 %r2, %p1, 0xffffffff;",
              "vote.sync.ballot.b32 %r2, !%p1, 0xffffffff; add.u32 %r2, %r2, 1;",
              [](uint32_t lane) { return 0xeeee1111 + (lane < 16 ? 0 : 1); });
  in_two_arms("match_in_two_arms", "match.any.sync.b32 %r2, %r1, 0xffffffff;",
              "add.u32 %r4, %r1, 1; match.any.sync.b32 %r2, %r4, 0xffffffff; not.b32 %r2, %r2;", [](uint32_t lane) {
                const auto key = [](uint32_t l) { return l % 4 + (l < 16 ? 0 : 1); };
                uint32_t same = 0;
                for (uint32_t l = 0; l < 32; ++l) same |= uint32_t{key(l) == key(lane)} << l;
                return lane < 16 ? same : ~same;
              });
  in_two_arms("redux_in_two_arms", "redux.sync.add.u32 %r2, %r3, 0xffffffff;",
              "redux.sync.add.u32 %r2, %r1, 0xffffffff; sub.u32 %r2, %r2, 7;",
              [](uint32_t lane) { return 5 * 120 + 24 - (lane < 16 ? 0u : 7u); });

  // Lanes that were apart for different times meet at a warp barrier, then read what the others wrote.
  all.push_back({"meet_again", 1, 64, 64, "", R"(
  .shared .b32 words[64];
  mov.u32 %r0, words;
  mad.lo.u32 %r1, %t, 4, %r0;
  mov.u32 %r2, 0; mov.u32 %r3, 1;
again:
  mad.lo.u32 %r3, %r3, 3, %r2;
  add.u32 %r2, %r2, 1;
  setp.le.u32 %p0, %r2, %lane;
  @%p0 bra again;
  st.shared.u32 [%r1], %r3;
  bar.warp.sync 0xffffffff;
  xor.b32 %r4, %t, 31;
  mad.lo.u32 %r4, %r4, 4, %r0;
  ld.shared.u32 %r5, [%r4];
  st.global.u32 [%mine], %r5;
)",
                 [](uint32_t t) {
                   uint32_t x = 1;
                   for (uint32_t i = 0; i <= (t ^ 31) % 32; ++i) x = 3 * x + i;
                   return x;
                 }});

  // Each group of lanes with the same key elects its lowest lane, which counts the group up once.
  all.push_back({"groups_by_match", 1, 64, 72, "", R"(
  rem.u32 %r0, %lane, 5;
  match.any.sync.b32 %r1, %r0, 0xffffffff;
  popc.b32 %r2, %r1;
  brev.b32 %r3, %r1;
  bfind.shiftamt.u32 %r3, %r3;
  setp.ne.u32 %p0, %r3, %lane;
  mov.u32 %r5, 0;
  @%p0 bra join;
  mad.wide.u32 %d0, %r0, 4, %out;
  atom.global.add.u32 %r4, [%d0+256], %r2;
  mov.u32 %r5, 1;
join:
  bar.warp.sync 0xffffffff;
  shfl.sync.idx.b32 %r6, %r5, %r3, 31, 0xffffffff;
  mad.lo.u32 %r6, %r6, 100, %r2;
  st.global.u32 [%mine], %r6;
)",
                 [](uint32_t i) {
                   if (i < 64) return 100u + (i % 32 % 5 < 2 ? 7u : 6u);
                   return i < 69 ? 2 * (i - 64 < 2 ? 7u : 6u) : 0u;
                 }});

  // Shuffles in a function that half of the lanes call, from two places.
  all.push_back({"shuffle_in_a_function", 1, 32, 32, R"(
.func (.reg .b32 %result) neighbours(.reg .b32 %x, .reg .b32 %mask) {
  .reg .b32 %a, %b;
  shfl.sync.bfly.b32 %a, %x, 4, 31, %mask;
  shfl.sync.bfly.b32 %b, %x, 8, 31, %mask;
  mad.lo.u32 %result, %a, 3, %b;
}
)",
                 R"(
  and.b32 %r0, %lane, 1;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra even;
  add.u32 %r1, %lane, 1000;
  call (%r2), neighbours, (%r1, 0xaaaaaaaa);
  bra join;
even:
  call (%r2), neighbours, (%lane, 0x55555555);
  add.u32 %r2, %r2, 7;
join:
  st.global.u32 [%mine], %r2;
)",
                 [](uint32_t lane) {
                   return lane % 2 != 0 ? 3 * ((lane ^ 4) + 1000) + (lane ^ 8) + 1000 : 3 * (lane ^ 4) + (lane ^ 8) + 7;
                 }});
  return all;
}

}  // namespace ww::control
