// Clusters of blocks: their barrier, each other's shared memory, and bulk copies between them. What threads must find
// follows from the addresses alone.
#include "sim/run_ptx.h"

namespace ww {
namespace {
using test::PtxRunner;

// An entry `k` of clusters of two blocks, out in %out, the block's number in %b, its rank in %rank, the other's address
// of the shared variable `box` in %other.
std::string cluster_kernel(const std::string& body) {
  return R"(.visible .entry k(.param .u64 p0) .reqnctapercluster 2 {
.reg .pred %p<4>; .reg .b32 %r<16>, %t, %b, %rank, %peer, %box, %other; .reg .b64 %d<8>, %out;
.shared .align 16 .b8 box[512];
.shared .align 8 .b64 bar;
ld.param.u64 %out, [p0];
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %rank, %cluster_ctarank;
xor.b32 %peer, %rank, 1;
mov.u32 %box, box;
mapa.shared::cluster.u32 %other, %box, %peer;
)" + body +
         "\nret;\n}\n";
}

// Stores %r0 at out[block * 32 + thread].
const char kStore[] = R"(
mad.lo.u32 %r15, %b, 32, %t;
mad.wide.u32 %d7, %r15, 4, %out;
st.global.u32 [%d7], %r0;
)";

const char kMeet[] = "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n";

TEST(Cluster, BlocksReadEachOthersSharedMemory) {
  for (const uint64_t seed : {0, 1, 2}) {
    DeviceOptions options;
    options.schedule_seed = seed;
    PtxRunner sim(options);
    sim.load(cluster_kernel(R"(
shl.b32 %r1, %t, 2; add.u32 %r2, %box, %r1; add.u32 %r3, %other, %r1;
mad.lo.u32 %r4, %b, 100, %t;
st.shared.u32 [%r2], %r4;
)" + std::string(kMeet) + "ld.shared::cluster.u32 %r0, [%r3];\n" +
                            kStore + kMeet));
    const auto out = sim.buffer(std::vector<uint32_t>(6 * 32));
    sim.expect_ok("k", {6}, {32}, {out});
    const auto found = sim.read<uint32_t>(out, 6 * 32);
    for (uint32_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i], (i / 32 ^ 1) * 100 + i % 32) << "word " << i << ", schedule " << seed;
  }
}

TEST(Cluster, SpecialRegistersSayWhereABlockIs) {
  PtxRunner sim;
  sim.load(cluster_kernel(R"(
mov.u32 %r1, %clusterid.x; mov.u32 %r2, %nclusterid.x; mov.u32 %r3, %cluster_nctarank; mov.u32 %r4, %cluster_ctaid.x;
mad.lo.u32 %r0, %r1, 10, %r2; mad.lo.u32 %r0, %r0, 10, %r3; mad.lo.u32 %r0, %r0, 10, %r4; mad.lo.u32 %r0, %r0, 10, %rank;
)" + std::string(kStore)));
  const auto out = sim.buffer(std::vector<uint32_t>(6 * 32));
  sim.expect_ok("k", {6}, {32}, {out});
  const auto found = sim.read<uint32_t>(out, 6 * 32);
  // Number of the cluster, clusters, blocks of one, number of the block in it twice.
  for (uint32_t b = 0; b < 6; ++b) EXPECT_EQ(found[b * 32], b / 2 * 10000 + 3200 + b % 2 * 11) << "block " << b;
}

// Thread 0 sends 128 bytes to the other block, whose mbarrier counts them.
TEST(Cluster, BulkCopiesReportToTheOthersBarrier) {
  DeviceOptions options;
  options.max_instructions = 1 << 20;  // a barrier that never opens must not hold up the test
  PtxRunner sim(options);
  sim.load(cluster_kernel(R"(
shl.b32 %r1, %t, 2; add.u32 %r2, %box, %r1;
mad.lo.u32 %r4, %b, 1000, %t;
st.shared.u32 [%r2], %r4;
mov.u32 %r5, bar;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r5], 1;
@!%p0 mbarrier.arrive.expect_tx.shared.b64 %d0, [%r5], 128;
bar.sync 0;
)" + std::string(kMeet) + R"(
mapa.shared::cluster.u32 %r6, %r5, %peer;
add.u32 %r7, %other, 256;
@!%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [%box], 128, [%r6];
again:
mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;
@!%p1 bra again;
ld.shared.u32 %r0, [%r2+256];
)" + kStore + kMeet));
  const auto out = sim.buffer(std::vector<uint32_t>(2 * 32));
  sim.expect_ok("k", {2}, {32}, {out});
  const auto found = sim.read<uint32_t>(out, 2 * 32);
  for (uint32_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], (i / 32 ^ 1) * 1000 + i % 32) << "word " << i;
}

TEST(Cluster, MemoryOfABlockThatHasEndedIsAFault) {
  PtxRunner sim;
  sim.load(cluster_kernel(R"(
setp.ne.u32 %p0, %rank, 0;
@%p0 exit;
mov.u32 %r0, 0;
again:
add.u32 %r0, %r0, 1;
setp.lt.u32 %p1, %r0, 100000;
@%p1 bra again;
ld.shared::cluster.u32 %r0, [%other];
)" + std::string(kStore)));
  const auto out = sim.buffer(std::vector<uint32_t>(64));
  sim.expect_error("k", {2}, {32}, {out}, {"of a block of the cluster that has ended", "barrier.cluster"});
}

TEST(Cluster, GridsOfPartsOfClustersAreRefused) {
  PtxRunner sim;
  sim.load(cluster_kernel(""));
  sim.expect_error("k", {3}, {32}, {0}, {"the grid is not whole clusters", "3 x 1 x 1 blocks", "2 x 1 x 1"});
}

}  // namespace
}  // namespace ww
