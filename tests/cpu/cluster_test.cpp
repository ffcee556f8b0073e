// Clusters of blocks on the cpu device: their barrier, each other's shared memory, copies between them. What threads
// must find follows from the addresses alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cpu/cpu_device.h"
#include "support/kernel_parameters.h"

namespace ww::cpu {
namespace {

// An entry `k` of clusters of `cluster` blocks, out in %out, the block's number in %b, its rank in %rank, the next
// one's in %next, that one's address of the shared variable `box` in %other.
std::string cluster_kernel(const std::string& cluster, const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p0) .reqnctapercluster )" +
         cluster + R"( {
.reg .pred %p<4>; .reg .b16 %h; .reg .b32 %r<20>, %t, %n, %b, %rank, %next, %box, %other; .reg .b64 %d<8>, %out;
.shared .align 16 .b8 before[48];
.shared .align 16 .b8 box[8192];
.shared .align 8 .b64 bar;
ld.param.u64 %out, [p0];
mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x;
mov.u32 %b, %ctaid.y; mov.u32 %r0, %nctaid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %b, %b, %r0, %r1;
mov.u32 %rank, %cluster_ctarank;
mov.u32 %r0, %cluster_nctarank;
add.u32 %next, %rank, 1; rem.u32 %next, %next, %r0;
mov.u32 %box, box;
mapa.shared::cluster.u32 %other, %box, %next;
)" + body +
         "\nret;\n}\n";
}

// Stores %r0 at out[block * threads + thread].
const char kStore[] = R"(
mad.lo.u32 %r15, %b, %n, %t;
mad.wide.u32 %d7, %r15, 4, %out;
st.global.u32 [%d7], %r0;
)";

const char kMeet[] = "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n";

// The words that a launch leaves, one a thread; none after an error, which `expected_error` has to be in.
std::vector<uint32_t> launch(const std::string& text, Dim3 grid, uint32_t threads,
                             const char* expected_error = nullptr) {
  auto device = open_device("cpu", {});
  EXPECT_TRUE(device.ok()) << device.error().to_string();
  auto module = (*device)->load_module(text, "cluster.ptx");
  EXPECT_TRUE(module.ok()) << module.error().to_string();
  if (!module.ok()) return {};
  std::vector<uint32_t> words(size_t{grid.x} * grid.y * threads);
  const DeviceAddress out = *(*device)->allocate(words.size() * 4);
  EXPECT_TRUE((*device)->fill(out, 0xee, words.size() * 4).ok());
  const auto parameters = testing::kernel_parameters(out);
  Status status = (*device)->launch(**(*module)->kernel("k"), {grid, {threads}, 0, parameters});
  if (expected_error != nullptr) {
    EXPECT_FALSE(status.ok());
    if (status.ok()) return {};
    EXPECT_NE(status.error().to_string().find(expected_error), std::string::npos) << status.error().to_string();
    return {};
  }
  EXPECT_TRUE(status.ok()) << status.error().to_string();
  EXPECT_TRUE((*device)->download(std::as_writable_bytes(std::span(words)), out).ok());
  return words;
}

// The rank of block (x, y) in clusters of `across` times `down`, and the number of the next one of its cluster.
uint32_t next_block(uint32_t x, uint32_t y, uint32_t across, uint32_t down, uint32_t width) {
  const uint32_t rank = (y % down * across + x % across + 1) % (across * down);
  return (y / down * down + rank / across) * width + x / across * across + rank % across;
}

TEST(CpuCluster, BlocksReadEachOthersSharedMemory) {
  const std::string body = R"(
shl.b32 %r1, %t, 2; add.u32 %r2, %box, %r1; add.u32 %r3, %other, %r1;
mad.lo.u32 %r4, %b, 1000, %t;
st.shared.u32 [%r2], %r4;
)" + std::string(kMeet) + "ld.shared::cluster.u32 %r0, [%r3];\n" +
                           kStore + kMeet;
  for (const uint32_t threads : {32u, 40u, 256u}) {
    const auto found = launch(cluster_kernel("4, 2", body), {8, 4}, threads);
    for (uint32_t i = 0; i < found.size(); ++i) {
      const uint32_t block = i / threads;
      ASSERT_EQ(found[i], next_block(block % 8, block / 8, 4, 2, 8) * 1000 + i % threads)
          << "thread " << i % threads << " of block " << block << " of " << threads << " threads";
    }
  }
}

// The same through generic addresses, added to by the other block.
TEST(CpuCluster, AtomicsReachTheOthersMemory) {
  const auto found = launch(cluster_kernel("2", R"(
shl.b32 %r1, %t, 2; add.u32 %r2, %box, %r1;
st.shared.u32 [%r2], %b;
mov.u64 %d0, box; cvta.shared.u64 %d0, %d0;
mapa.u64 %d1, %d0, %next;
cvt.u64.u32 %d2, %r1; add.u64 %d1, %d1, %d2;
)" + std::string(kMeet) + "atom.add.u32 %r3, [%d1], 100;\n" +
                                                    kMeet + "ld.shared.u32 %r0, [%r2];\n" + kStore),
                            {6, 1}, 64);
  for (uint32_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i / 64 + 100) << "word " << i;
}

TEST(CpuCluster, SpecialRegistersSayWhereABlockIs) {
  const auto found = launch(cluster_kernel("2, 2", R"(
mov.u32 %r1, %clusterid.x; mov.u32 %r2, %clusterid.y; mov.u32 %r3, %nclusterid.x; mov.u32 %r4, %nclusterid.y;
mov.u32 %r5, %cluster_ctaid.x; mov.u32 %r6, %cluster_ctaid.y; mov.u32 %r7, %cluster_nctaid.x; mov.u32 %r8, %cluster_nctarank;
mul.lo.u32 %r0, %r1, 10; add.u32 %r0, %r0, %r2; mad.lo.u32 %r0, %r0, 10, %r3; mad.lo.u32 %r0, %r0, 10, %r4;
mad.lo.u32 %r0, %r0, 10, %r5; mad.lo.u32 %r0, %r0, 10, %r6; mad.lo.u32 %r0, %r0, 10, %r7; mad.lo.u32 %r0, %r0, 10, %r8;
mad.lo.u32 %r0, %r0, 10, %rank;
getctarank.shared::cluster.u32 %r9, %other; mad.lo.u32 %r0, %r0, 10, %r9;
)" + std::string(kStore)),
                            {6, 4}, 32);
  for (uint32_t block = 0; block < 24; ++block) {
    const uint32_t x = block % 6, y = block / 6, rank = y % 2 * 2 + x % 2;
    const uint32_t digits[] = {x / 2, y / 2, 3, 2, x % 2, y % 2, 2, 4, rank, (rank + 1) % 4};
    uint32_t expected = 0;
    for (const uint32_t digit : digits) expected = expected * 10 + digit;
    EXPECT_EQ(found[block * 32], expected) << "block " << block;
  }
}

// Thread 0 sends 128 bytes to the next block, whose mbarrier counts them, and adds one to each of 16 more words.
TEST(CpuCluster, BulkCopiesReportToTheOthersBarrier) {
  const auto found = launch(cluster_kernel("2", R"(
shl.b32 %r1, %t, 2; add.u32 %r2, %box, %r1;
mad.lo.u32 %r4, %b, 1000, %t;
st.shared.u32 [%r2], %r4;
st.shared.u32 [%r2+768], 7;
st.shared.u32 [%r2+512], %t;
mov.u32 %r5, bar;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r5], 1;
@!%p0 mbarrier.arrive.expect_tx.shared.b64 %d0, [%r5], 192;
bar.sync 0;
)" + std::string(kMeet) + R"(
mapa.shared::cluster.u32 %r6, %r5, %next;
add.u32 %r7, %other, 256; add.u32 %r8, %other, 512; add.u32 %r9, %box, 768;
@!%p0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r8], [%r9], 64, [%r6];
@!%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [%box], 128, [%r6];
again:
mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;
@!%p1 bra again;
ld.shared.u32 %r0, [%r2+256]; ld.shared.u32 %r10, [%r2+512]; mad.lo.u32 %r0, %r10, 10000, %r0;
)" + kStore + kMeet),
                            {4, 1}, 32);
  for (uint32_t i = 0; i < found.size(); ++i) {
    const uint32_t t = i % 32, other = i / 32 ^ 1;
    ASSERT_EQ(found[i], (t < 16 ? t + 7 : t) * 10000 + other * 1000 + t) << "word " << i;
  }
}

// Block 0 sends 64 bytes to blocks 1 and 3 of four; block 2's object stays as it is.
TEST(CpuCluster, MulticastReachesTheBlocksThatItNames) {
  const auto found = launch(cluster_kernel("4", R"(
shl.b32 %r1, %t, 2; add.u32 %r2, %box, %r1;
add.u32 %r4, %t, 50;
st.shared.u32 [%r2], %r4;
st.shared.u32 [%r2+256], %b;
mov.u32 %r5, bar;
setp.ne.u32 %p0, %t, 0;
setp.eq.or.u32 %p1, %rank, 2, %p0;
mov.b64 %d0, 12345;
@!%p0 st.shared.b64 [%r5], %d0;
@!%p1 mbarrier.init.shared.b64 [%r5], 1;
@!%p1 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r5], 64;
mov.u64 %d2, %out;
)" + std::string(kMeet) + R"(
setp.ne.or.u32 %p1, %rank, 0, %p0;
mov.b16 %h, 10;
add.u32 %r7, %box, 256;
@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%d2], 64, [%r5], %h;
)" + kMeet + R"(
ld.shared.u32 %r0, [%r2+256];
ld.shared.b64 %d3, [%r5];
setp.eq.b64 %p2, %d3, 12345;
mov.u32 %r9, 0;
@%p2 mov.u32 %r9, 1;
mad.lo.u32 %r0, %r9, 1000, %r0;
)" + kStore),
                            {4, 1}, 32);
  const uint32_t filled = 0xeeeeeeee;  // what `out` held
  for (uint32_t i = 0; i < found.size(); ++i) {
    const uint32_t block = i / 32;
    const bool named = block % 2 != 0 && i % 32 < 16;
    ASSERT_EQ(found[i], named ? filled : block + (block == 2 ? 1000 : 0)) << "word " << i;
  }
}

TEST(CpuCluster, ThreadsThatHaveEndedAreNotWaitedFor) {
  const auto found = launch(cluster_kernel("2", "mov.u32 %r0, 5;\n" + std::string(kStore) + R"(
shr.u32 %r1, %t, 5; add.u32 %r1, %r1, %rank; setp.eq.u32 %p0, %r1, 1;
@%p0 exit;
)" + kMeet + "mov.u32 %r0, 6;\n" + kStore),
                            {2, 1}, 64);
  for (uint32_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i / 32 % 2 + i / 64 == 1 ? 5u : 6u) << "word " << i;
}

TEST(CpuCluster, ErrorsNameTheBarrierTheAddressAndTheGrid) {
  // One warp of one block waits for a second one, all the others for it.
  launch(cluster_kernel("2", R"(
shr.u32 %r1, %t, 5; mad.lo.u32 %r1, %rank, 3, %r1; setp.eq.u32 %p0, %r1, 3;
@%p0 bar.sync 1, 64;
)" + std::string(kMeet)),
         {2, 1}, 96, "1 warps wait at barrier 1 for warps that never arrive (block 1,0,0)");
  launch(cluster_kernel("2", "mapa.shared::cluster.u32 %r1, %box, 5;\nst.shared::cluster.u32 [%r1], %t;"), {2, 1}, 32,
         "illegal address");
  launch(cluster_kernel("2", ""), {3, 1}, 32, "3 x 1 x 1 blocks");
}

}  // namespace
}  // namespace ww::cpu
