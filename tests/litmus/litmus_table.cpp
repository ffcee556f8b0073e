// The tests. Names as in the literature: MP message passing, SB store buffering, LB load buffering, IRIW independent
// reads of independent writes, Co.. coherence of one location, WRC write to read causality, ISA2, 2+2W, R, S.
//
// Reasons name axioms of the PTX manual, "Memory Consistency Model": Coherence (writes that causality orders are in
// that order), Fence-SC (fence.sc of overlapping scopes are in one order, which is part of causality), Atomicity,
// No-Thin-Air, SC-per-Location (accesses of one location that are ordered by program order agree with one order),
// Causality (a read sees no write that comes after it, and none that another one before it has replaced).
#include "litmus/litmus.h"

namespace ww::litmus {

namespace {

using O = Outcome;

std::vector<Test> make() {
  std::vector<Test> all;
  const auto mp = [](const O& o) { return o.r[0] == 1 && o.r[1] == 0; };
  const auto causality = "Causality: x = 1 is before the release of y, the acquire of y before the read of x";
  all.push_back({"MP+release+acquire",
                 {"st.relaxed.SCOPE x, 1; st.release.SCOPE y, 1", "ld.acquire.SCOPE r0, y; ld.relaxed.SCOPE r1, x"},
                 mp,
                 causality});
  all.push_back({"MP+weak+release+acquire",
                 {"st x, 1; st.release.SCOPE y, 1", "ld.acquire.SCOPE r0, y; ld r1, x"},
                 mp,
                 causality});
  all.push_back({"MP+fences",
                 {"st.relaxed.SCOPE x, 1; fence.acq_rel.SCOPE; st.relaxed.SCOPE y, 1",
                  "ld.relaxed.SCOPE r0, y; fence.acq_rel.SCOPE; ld.relaxed.SCOPE r1, x"},
                 mp,
                 "Causality: a fence before a strong write makes it a release, one behind a strong read an acquire"});
  all.push_back(
      {"MP+weak+fences",
       {"st x, 1; fence.acq_rel.SCOPE; st.relaxed.SCOPE y, 1", "ld.relaxed.SCOPE r0, y; fence.acq_rel.SCOPE; ld r1, x"},
       mp,
       "Causality, as with strong accesses of x"});
  all.push_back({"MP+membar+volatile",
                 {"st x, 1; membar.sys; st.volatile y, 1", "ld.volatile r0, y; membar.sys; ld r1, x"},
                 mp,
                 "Causality: membar is fence.sc, volatile accesses are strong"});
  all.push_back(
      {"MP+atoms",
       {"st.relaxed.SCOPE x, 1; red.release.SCOPE.add y, 1", "atom.acquire.SCOPE.add r0, y, 0; ld.relaxed.SCOPE r1, x"},
       mp,
       "Causality: the atomic operations are a release and an acquire"});
  all.push_back({"MP+exchange",
                 {"st x, 1; atom.acq_rel.SCOPE.exch r2, y, 1", "atom.acq_rel.SCOPE.cas r0, y, 1, 2; ld r1, x"},
                 mp,
                 "Causality: the atomic operations are a release and an acquire"});
  all.push_back(
      {"MP+fence+acquire",
       {"st.relaxed.SCOPE x, 1; fence.acq_rel.SCOPE; st.relaxed.SCOPE y, 1", "ld.acquire.SCOPE r0, y; ld r1, x"},
       mp,
       "Causality: a release pattern with an acquire"});
  all.push_back({"MP+relaxed",
                 {"st.relaxed.SCOPE x, 1; st.relaxed.SCOPE y, 1", "ld.relaxed.SCOPE r0, y; ld.relaxed.SCOPE r1, x"},
                 nullptr,
                 ""});

  const auto sb = [](const O& o) { return o.r[0] == 0 && o.r[1] == 0; };
  all.push_back({"SB+fence.sc",
                 {"st.relaxed.SCOPE x, 1; fence.sc.SCOPE; ld.relaxed.SCOPE r0, y",
                  "st.relaxed.SCOPE y, 1; fence.sc.SCOPE; ld.relaxed.SCOPE r1, x"},
                 sb,
                 "Fence-SC: the later fence's thread has the other's write before its read"});
  all.push_back({"SB+membar",
                 {"st.volatile x, 1; membar.sys; ld.volatile r0, y", "st.volatile y, 1; membar.sys; ld.volatile r1, x"},
                 sb,
                 "Fence-SC: membar is fence.sc"});
  all.push_back({"SB+relaxed",
                 {"st.relaxed.SCOPE x, 1; ld.relaxed.SCOPE r0, y", "st.relaxed.SCOPE y, 1; ld.relaxed.SCOPE r1, x"},
                 nullptr,
                 ""});
  all.push_back({"SB+release+acquire",
                 {"st.release.SCOPE x, 1; ld.acquire.SCOPE r0, y", "st.release.SCOPE y, 1; ld.acquire.SCOPE r1, x"},
                 nullptr,
                 ""});
  all.push_back({"SB+fence.acq_rel",
                 {"st.relaxed.SCOPE x, 1; fence.acq_rel.SCOPE; ld.relaxed.SCOPE r0, y",
                  "st.relaxed.SCOPE y, 1; fence.acq_rel.SCOPE; ld.relaxed.SCOPE r1, x"},
                 nullptr,
                 ""});

  const auto lb = [](const O& o) { return o.r[0] == 1 && o.r[1] == 1; };
  all.push_back({"LB+acquire+release",
                 {"ld.acquire.SCOPE r0, x; st.release.SCOPE y, 1", "ld.acquire.SCOPE r1, y; st.release.SCOPE x, 1"},
                 lb,
                 "Causality: each read would be before the write that it sees"});
  all.push_back({"LB+fences",
                 {"ld.relaxed.SCOPE r0, x; fence.acq_rel.SCOPE; st.relaxed.SCOPE y, 1",
                  "ld.relaxed.SCOPE r1, y; fence.acq_rel.SCOPE; st.relaxed.SCOPE x, 1"},
                 lb,
                 "Causality: each read would be before the write that it sees"});
  all.push_back({"LB+data",
                 {"ld.relaxed.SCOPE r0, x; st.relaxed.SCOPE y, r0", "ld.relaxed.SCOPE r1, y; st.relaxed.SCOPE x, r1"},
                 [](const O& o) { return o.r[0] != 0 || o.r[1] != 0; },
                 "No-Thin-Air: each value would come from the other"});
  all.push_back({"LB+relaxed",
                 {"ld.relaxed.SCOPE r0, x; st.relaxed.SCOPE y, 1", "ld.relaxed.SCOPE r1, y; st.relaxed.SCOPE x, 1"},
                 nullptr,
                 ""});

  const auto iriw = [](const O& o) { return o.r[0] == 1 && o.r[1] == 0 && o.r[2] == 1 && o.r[3] == 0; };
  all.push_back({"IRIW+fence.sc",
                 {"st.relaxed.SCOPE x, 1", "st.relaxed.SCOPE y, 1",
                  "ld.relaxed.SCOPE r0, x; fence.sc.SCOPE; ld.relaxed.SCOPE r1, y",
                  "ld.relaxed.SCOPE r2, y; fence.sc.SCOPE; ld.relaxed.SCOPE r3, x"},
                 iriw,
                 "Fence-SC: the reader whose fence is later sees what the other one saw before"});
  all.push_back({"IRIW+acquire",
                 {"st.release.SCOPE x, 1", "st.release.SCOPE y, 1", "ld.acquire.SCOPE r0, x; ld.acquire.SCOPE r1, y",
                  "ld.acquire.SCOPE r2, y; ld.acquire.SCOPE r3, x"},
                 nullptr,
                 ""});

  all.push_back({"CoRR",
                 {"st.relaxed.SCOPE x, 1", "ld.relaxed.SCOPE r0, x; ld.relaxed.SCOPE r1, x"},
                 [](const O& o) { return o.r[0] == 1 && o.r[1] == 0; },
                 "SC-per-Location: the second read is not older than the first"});
  all.push_back({"CoRR+volatile",
                 {"st.volatile x, 1; st.volatile x, 2", "ld.volatile r0, x; ld.volatile r1, x"},
                 [](const O& o) { return o.r[0] > o.r[1] || o.x != 2; },
                 "SC-per-Location: the second read is not older than the first"});
  all.push_back({"CoRR+atom",
                 {"red.relaxed.SCOPE.add x, 1", "atom.relaxed.SCOPE.or r0, x, 0; ld.relaxed.SCOPE r1, x"},
                 [](const O& o) { return o.r[0] > o.r[1]; },
                 "SC-per-Location: the second read is not older than the first"});
  all.push_back({"CoWW",
                 {"st.relaxed.SCOPE x, 1; st.relaxed.SCOPE x, 2", "ld.relaxed.SCOPE r0, x"},
                 [](const O& o) { return o.x != 2; },
                 "SC-per-Location: a thread's writes are in program order"});
  all.push_back({"CoRW",
                 {"ld.relaxed.SCOPE r0, x; st.relaxed.SCOPE x, 1", "st.relaxed.SCOPE x, 2"},
                 [](const O& o) { return o.r[0] == 1 || (o.r[0] == 2 && o.x == 2); },
                 "SC-per-Location: what the thread writes comes after what it has read"});
  all.push_back({"CoWR",
                 {"st.relaxed.SCOPE x, 1; ld.relaxed.SCOPE r0, x", "st.relaxed.SCOPE x, 2"},
                 [](const O& o) { return o.r[0] == 0 || (o.r[0] == 2 && o.x == 1); },
                 "SC-per-Location: a thread reads its own write or a later one"});
  all.push_back(
      {"CoAtomics",
       {"atom.relaxed.SCOPE.add r0, x, 1", "atom.relaxed.SCOPE.add r1, x, 1", "atom.relaxed.SCOPE.inc r2, x, 99"},
       [](const O& o) { return o.x != 3 || o.r[0] + o.r[1] + o.r[2] != 3 || o.r[0] == o.r[1]; },
       "Atomicity: no other write comes between an operation's read and its write"});

  all.push_back({"WRC",
                 {"st.relaxed.SCOPE x, 1", "ld.relaxed.SCOPE r0, x; st.release.SCOPE y, 1",
                  "ld.acquire.SCOPE r1, y; ld.relaxed.SCOPE r2, x"},
                 [](const O& o) { return o.r[0] == 1 && o.r[1] == 1 && o.r[2] == 0; },
                 "Causality: x = 1 was observed before the release of y"});
  all.push_back({"ISA2",
                 {"st.relaxed.SCOPE x, 1; st.release.SCOPE y, 1", "ld.acquire.SCOPE r0, y; st.release.SCOPE z, 1",
                  "ld.acquire.SCOPE r1, z; ld.relaxed.SCOPE r2, x"},
                 [](const O& o) { return o.r[0] == 1 && o.r[1] == 1 && o.r[2] == 0; },
                 "Causality goes on through the thread in the middle"});
  all.push_back({"2+2W",
                 {"st.relaxed.SCOPE x, 1; fence.sc.SCOPE; st.relaxed.SCOPE y, 2",
                  "st.relaxed.SCOPE y, 1; fence.sc.SCOPE; st.relaxed.SCOPE x, 2"},
                 [](const O& o) { return o.x == 1 && o.y == 1; },
                 "Fence-SC and Coherence: the later fence's second write comes after the other's first"});
  all.push_back({"R",
                 {"st.relaxed.SCOPE x, 1; fence.sc.SCOPE; st.relaxed.SCOPE y, 1",
                  "st.relaxed.SCOPE y, 2; fence.sc.SCOPE; ld.relaxed.SCOPE r0, x"},
                 [](const O& o) { return o.y == 2 && o.r[0] == 0; },
                 "Fence-SC: either x = 1 is before the read, or y = 2 before y = 1"});
  all.push_back({"S",
                 {"st.relaxed.SCOPE x, 2; st.release.SCOPE y, 1", "ld.acquire.SCOPE r0, y; st.relaxed.SCOPE x, 1"},
                 [](const O& o) { return o.r[0] == 1 && o.x == 2; },
                 "Coherence: causality orders the writes of x"});
  return all;
}

}  // namespace

const std::vector<Test>& all_tests() {
  static const std::vector<Test> tests = make();
  return tests;
}

}  // namespace ww::litmus
