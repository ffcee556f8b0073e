// Blocks that wait for blocks, earlier and later ones; barriers of the grid.
#include "control/control_case.h"

namespace ww::control {
namespace {

// A link of a chain: block `number` (a register) waits for what its neighbour, `step` bytes on in `out`, has put there
// (a value, then a flag), and puts 3 * value + number; block `first` begins with `seed`.
std::string link(const std::string& number, uint32_t first, int step, uint32_t seed) {
  return "  mul.wide.u32 %d0, " + number + R"(, 8;
  add.u64 %d0, %d0, %out;
  mov.u32 %r1, )" +
         std::to_string(seed) + ";\n  setp.eq.u32 %p1, " + number + ", " + std::to_string(first) + R"(;
  @%p1 bra put;
again:
  ld.acquire.gpu.global.u32 %r0, [%d0+)" +
         std::to_string(step + 4) + R"(];
  setp.eq.u32 %p2, %r0, 0;
  @%p2 bra again;
  ld.global.u32 %r1, [%d0+)" +
         std::to_string(step) + R"(];
put:
  mad.lo.u32 %r1, %r1, 3, )" +
         number + R"(;
  st.global.u32 [%d0], %r1;
  mov.u32 %r0, 1;
  st.release.gpu.global.u32 [%d0+4], %r0;
)";
}

}  // namespace

std::vector<ControlCase> grid_cases() {
  std::vector<ControlCase> all;

  // Block b adds to what block b - 1 has put.
  all.push_back({"earlier_blocks", 60, 32, 120, "", R"(
  setp.ne.u32 %p0, %t, 0;
  @%p0 exit;
)" + link("%b", 0, -8, 0),
                 [](uint32_t i) {
                   uint32_t x = 0;
                   for (uint32_t b = 0; b <= i / 2; ++b) x = 3 * x + b;
                   return i % 2 != 0 ? 1u : x;
                 }});

  // Block b adds to what block b + 1 has put: no block can end before the last one has begun.
  all.push_back({"later_blocks", 60, 32, 122, "", R"(
  setp.ne.u32 %p0, %t, 0;
  @%p0 exit;
)" + link("%b", 59, 8, 0),
                 [](uint32_t i) {
                   if (i >= 120) return 0u;
                   uint32_t x = 0;
                   for (uint32_t b = 60; b > i / 2; --b) x = 3 * x + b - 1;
                   return i % 2 != 0 ? 1u : x;
                 }});

  // Blocks take their numbers from a counter, in the order in which they begin, then wait as above.
  all.push_back({"numbers_by_order", 60, 64, 122, "", R"(
  .shared .b32 number;
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra wait;
  atom.global.add.u32 %r0, [%out+480], 1;
  st.shared.u32 [number], %r0;
wait:
  bar.sync 0;
  ld.shared.u32 %r9, [number];
  setp.ne.u32 %p0, %t, 63;
  @%p0 exit;
)" + link("%r9", 0, -8, 5),
                 [](uint32_t i) {
                   if (i >= 120) return i == 120 ? 60u : 0u;
                   uint32_t x = 5;
                   for (uint32_t b = 0; b <= i / 2; ++b) x = 3 * x + b;
                   return i % 2 != 0 ? 1u : x;
                 }});

  // A barrier of the grid made of an atomic counter: each thread reads what the mirrored block wrote, three times.
  all.push_back({"grid_barrier", 24, 64, 1537, "", R"(
  mov.u32 %r0, 0; mov.u32 %r1, %g; mov.u32 %r9, 0;
  mov.u32 %r2, 1535;
  sub.u32 %r2, %r2, %g;
  mad.wide.u32 %d0, %r2, 4, %out;
again:
  st.global.u32 [%mine], %r1;
  add.u32 %r9, %r9, 24;
  bar.sync 0;
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra through;
  fence.acq_rel.gpu;
  atom.relaxed.gpu.global.add.u32 %r3, [%out+6144], 1;
wait:
  ld.relaxed.gpu.global.u32 %r3, [%out+6144];
  setp.lt.u32 %p1, %r3, %r9;
  @%p1 bra wait;
  fence.acq_rel.gpu;
through:
  bar.sync 0;
  ld.global.u32 %r4, [%d0];
  add.u32 %r9, %r9, 24;
  bar.sync 0;
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra through2;
  fence.acq_rel.gpu;
  atom.relaxed.gpu.global.add.u32 %r3, [%out+6144], 1;
wait2:
  ld.relaxed.gpu.global.u32 %r3, [%out+6144];
  setp.lt.u32 %p1, %r3, %r9;
  @%p1 bra wait2;
  fence.acq_rel.gpu;
through2:
  bar.sync 0;
  mad.lo.u32 %r1, %r4, 2, %r1;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p2, %r0, 3;
  @%p2 bra again;
  st.global.u32 [%mine], %r1;
)",
                 [](uint32_t i) {
                   if (i == 1536) return 144u;
                   uint32_t own = i, other = 1535 - i;
                   for (int round = 0; round < 3; ++round) {
                     const uint32_t before = own;
                     own += 2 * other;
                     other += 2 * before;
                   }
                   return own;
                 }});

  // A lock between blocks that one thread of each takes, while the others wait at a barrier of the block.
  all.push_back({"lock_between_blocks", 40, 96, 3, "", R"(
  setp.ne.u32 %p0, %t, 5;
  @%p0 bra wait;
again:
  atom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1;
  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra again;
wait:
  bar.sync 0;
  setp.ne.u32 %p2, %t, 80;
  @%p2 bra done;
  ld.global.u32 %r1, [%out+4];
  add.u32 %r1, %r1, 2;
  st.global.u32 [%out+4], %r1;
done:
  bar.sync 0;
  mov.u32 %r0, 0;
  setp.ne.u32 %p0, %t, 5;
  @!%p0 st.release.gpu.global.u32 [%out], %r0;
  red.global.add.u32 [%out+8], 1;
)",
                 [](uint32_t i) { return i == 0   ? 0u
                                         : i == 1 ? 80u
                                                  : 40 * 96u; }});

  // A cooperative launch. Its workspace's address is in %envreg1 (upper half) and %envreg2: the word at 4 is the
  // barrier's, to which every block adds 1 and one of them 0x80000000 less the other blocks, so that the top bit flips
  // when all have come.
  all.push_back({"cooperative_grid", 20, 64, 1280, "", R"(
  mov.u32 %r0, %envreg2;
  mov.u32 %r1, %envreg1;
  mov.b64 %d0, {%r0, %r1};
  setp.eq.u64 %p0, %d0, 0;
  @%p0 trap;
  mov.u32 %r5, 0; mov.u32 %r6, %g;
  mov.u32 %r2, 1279;
  sub.u32 %r2, %r2, %g;
  mad.wide.u32 %d1, %r2, 4, %out;
again:
  st.global.u32 [%mine], %r6;
  barrier.sync 0;
  setp.ne.u32 %p1, %t, 0;
  @%p1 bra through;
  mov.u32 %r7, 1;
  setp.ne.u32 %p2, %b, 0;
  @!%p2 mov.u32 %r7, 0x7fffffed;
  atom.add.release.gpu.u32 %r8, [%d0+4], %r7;
wait:
  ld.acquire.gpu.u32 %r9, [%d0+4];
  xor.b32 %r9, %r9, %r8;
  setp.gt.s32 %p3, %r9, -1;
  @%p3 bra wait;
through:
  barrier.sync 0;
  ld.global.u32 %r10, [%d1];
  barrier.sync 0;
  @%p1 bra through2;
  atom.add.release.gpu.u32 %r8, [%d0+4], %r7;
wait2:
  ld.acquire.gpu.u32 %r9, [%d0+4];
  xor.b32 %r9, %r9, %r8;
  setp.gt.s32 %p3, %r9, -1;
  @%p3 bra wait2;
through2:
  barrier.sync 0;
  mad.lo.u32 %r6, %r10, 3, %r6;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p4, %r5, 4;
  @%p4 bra again;
  st.global.u32 [%mine], %r6;
)",
                 [](uint32_t i) {
                   uint32_t own = i, other = 1279 - i;
                   for (int round = 0; round < 4; ++round) {
                     const uint32_t before = own;
                     own += 3 * other;
                     other += 3 * before;
                   }
                   return own;
                 },
                 true});
  return all;
}

}  // namespace ww::control
