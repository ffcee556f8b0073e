// What goes wrong inside of a kernel is an error of the launch; the process lives on.
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>

#include <cstring>

#include "cpu/cpu_device.h"
#include "cpu/device_memory.h"
#include "support/kernel_parameters.h"

namespace ww::cpu {
namespace {

// Installed before the first launch: faults that are no kernel's still come here.
sigjmp_buf g_back;
void own_handler(int) {
  siglongjmp(g_back, 1);
}
const bool kInstalled = [] {
  struct sigaction action {};
  action.sa_handler = &own_handler;
  return sigaction(SIGSEGV, &action, nullptr) == 0;
}();

const char kKernels[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry load_at(.param .u64 place, .param .u64 out) {
  .reg .b32 %r; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [place]; ld.param.u64 %rd1, [out];
  ld.global.u32 %r, [%rd0];
  st.global.u32 [%rd1], %r;
  ret;
}
.visible .entry store_lanes(.param .u64 place, .param .u32 stride) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [place]; ld.param.u32 %r1, [stride];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, %r1;
  add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %r0;
  ret;
}
.visible .entry behind_barrier(.param .u64 place) {
  .reg .pred %p; .reg .b32 %r; .reg .b64 %rd;
  ld.param.u64 %rd, [place];
  mov.u32 %r, %tid.x;
  setp.ne.u32 %p, %r, 40;
  bar.sync 0;
  @%p bra done;
  atom.global.add.u32 %r, [%rd], 1;
done:
  bar.sync 0;
  ret;
}
.visible .entry shared_at(.param .u32 offset) {
  .shared .align 4 .b8 tile[4096];
  .reg .b32 %r<3>;
  ld.param.u32 %r0, [offset];
  mov.u32 %r1, tile;
  add.u32 %r1, %r1, %r0;
  mov.u32 %r2, %tid.x;
  st.shared.u32 [%r1], %r2;
  ret;
}
.func (.reg .b32 %out) deeper(.reg .b32 %in) {
  .local .align 4 .b8 room[4096];
  .reg .b32 %r<3>; .reg .b64 %rd; .reg .pred %p;
  cvt.u64.u32 %rd, %in;
  and.b32 %r0, %in, 1023;
  mov.u32 %r2, room;
  shl.b32 %r0, %r0, 2;
  add.u32 %r2, %r2, %r0;
  st.local.u32 [%r2], %in;
  add.u32 %r1, %in, 1;
  setp.eq.u32 %p, %r1, 0;
  @%p bra done;
  call (%r1), deeper, (%r1);
done:
  ld.local.u32 %r0, [%r2];
  add.u32 %out, %r0, %r1;
  ret;
}
.visible .entry too_deep(.param .u64 out) {
  .reg .b32 %r; .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  mov.u32 %r, 1;
  call (%r), deeper, (%r);
  st.global.u32 [%rd], %r;
  ret;
}
)";

class Faults : public ::testing::TestWithParam<HostIsa> {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.threads = 2;
    options.host_isa = GetParam();
    auto opened = open_device("cpu", options);
    if (!opened.ok()) GTEST_SKIP() << opened.error().to_string();
    device_ = std::move(*opened);
    auto loaded = device_->load_module(kKernels, "faults.ptx");
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
    module_ = std::move(*loaded);
    memory_ = *device_->allocate(400);
  }

  template <typename... T>
  Status run(const char* kernel, uint32_t blocks, uint32_t threads, T... values) {
    const std::vector<std::byte> bytes = testing::kernel_parameters(values...);
    WW_ASSIGN(DeviceKernel * entry, module_->kernel(kernel));
    return device_->launch(*entry, {{blocks, 1, 1}, {threads, 1, 1}, 0, bytes});
  }

  static void expect(Status status, const char* kernel, const std::vector<std::string>& words) {
    ASSERT_FALSE(status.ok());
    const std::string text = status.error().to_string();
    EXPECT_EQ(status.error().kind, ErrorKind::kRuntime);
    EXPECT_EQ(status.error().kernel, kernel);
    EXPECT_EQ(status.error().file, "faults.ptx");
    EXPECT_NE(text.find("--device sim"), std::string::npos) << text;
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceModule> module_;
  DeviceAddress memory_ = 0;
};

TEST_P(Faults, NullAndSmallAddresses) {
  expect(run("load_at", 1, 1, uint64_t(0), memory_), "load_at", {"illegal address", "read of 0x0", "null pointer"});
}

TEST_P(Faults, SmallAddressesOfLanes) {
  expect(run("store_lanes", 1, 32, uint64_t(64), 4u), "store_lanes",
         {"illegal address", "write to 0x", "null pointer"});
}

TEST_P(Faults, BeyondAnAllocation) {
  // 400 bytes count as 512; the next one is another's.
  ASSERT_TRUE(run("load_at", 1, 1, memory_ + 396, memory_).ok());
  expect(run("load_at", 1, 1, memory_ + 512, memory_), "load_at",
         {"illegal address", "read of", "112 bytes past the end of the 400-byte allocation"});
}

TEST_P(Faults, LanesThatRunAway) {
  ASSERT_TRUE(run("store_lanes", 1, 32, memory_, 12u).ok());
  expect(run("store_lanes", 4, 256, memory_, 4096u), "store_lanes", {"illegal address", "write to"});
}

TEST_P(Faults, FreedMemory) {
  const DeviceAddress gone = *device_->allocate(1 << 20);
  ASSERT_TRUE(run("load_at", 1, 1, gone, memory_).ok());
  ASSERT_TRUE(device_->free(gone).ok());
  expect(run("load_at", 1, 1, gone, memory_), "load_at", {"illegal address"});
}

TEST_P(Faults, AddressesThatNoMemoryCanHave) {
  expect(run("load_at", 1, 1, uint64_t(0xdead'beef'dead'beef), memory_), "load_at",
         {"illegal address: one that no memory can have"});
}

TEST_P(Faults, WhileOtherWarpsWait) {
  ASSERT_TRUE(run("behind_barrier", 64, 96, memory_).ok());
  expect(run("behind_barrier", 64, 96, uint64_t(16)), "behind_barrier", {"illegal address", "warp 1"});
}

TEST_P(Faults, BeyondSharedMemory) {
  ASSERT_TRUE(run("shared_at", 2, 32, 4092u).ok());
  expect(run("shared_at", 2, 32, 4096u), "shared_at", {"illegal address", "write to"});
}

TEST_P(Faults, FarBeyondSharedMemory) {
  expect(run("shared_at", 2, 32, 0xfffff000u), "shared_at", {"illegal address", "write to"});
}

TEST_P(Faults, EndlessRecursion) {
  expect(run("too_deep", 1, 64, memory_), "too_deep", {"calls nested too deep"});
}

TEST_P(Faults, TheDeviceRefusesFurtherLaunches) {
  ASSERT_FALSE(run("load_at", 1, 1, uint64_t(0), memory_).ok());
  Status status = run("load_at", 1, 1, memory_, memory_);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("stopped by an earlier launch"), std::string::npos);
  EXPECT_FALSE(device_->synchronize().ok());
  // What it holds can still be looked at, and a new device works.
  std::byte bytes[4];
  EXPECT_TRUE(device_->download(bytes, memory_).ok());
  module_.reset();
  SetUp();
  EXPECT_TRUE(run("load_at", 1, 1, memory_, memory_).ok());
}

TEST_P(Faults, CopiesStayInDeviceMemory) {
  std::byte bytes[16] = {};
  EXPECT_TRUE(device_->upload(memory_ + 384, bytes).ok());
  EXPECT_FALSE(device_->upload(memory_ + 385, bytes).ok());
  EXPECT_FALSE(device_->upload(reinterpret_cast<uint64_t>(&bytes), bytes).ok());
  EXPECT_FALSE(device_->download(bytes, memory_ + (uint64_t(1) << 30)).ok());
  EXPECT_FALSE(device_->free(memory_ + 256).ok());
}

TEST_P(Faults, FaultsOfOthersGoToTheirHandler) {
  ASSERT_TRUE(kInstalled);
  ASSERT_FALSE(run("load_at", 1, 1, uint64_t(0), memory_).ok());
  volatile bool returned = false;
  if (sigsetjmp(g_back, 1) == 0) {
    volatile uintptr_t nowhere = 24;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
    FAIL() << "the store should have faulted";
  } else {
    returned = true;
  }
  EXPECT_TRUE(returned);
}

INSTANTIATE_TEST_SUITE_P(Levels, Faults, ::testing::Values(HostIsa::kV2, HostIsa::kV3, HostIsa::kV4));

TEST(DeviceMemory, KeepsAllocationsApart) {
  auto memory = DeviceMemory::create();
  ASSERT_TRUE(memory.ok());
  std::vector<uint64_t> places;
  for (const uint64_t bytes : {1, 256, 257, 4096, 100000}) {
    const auto place = (*memory)->allocate(bytes);
    ASSERT_TRUE(place.ok());
    EXPECT_EQ(*place % 256, 0u);
    std::memset(reinterpret_cast<void*>(*place), 1, bytes);
    EXPECT_EQ((*memory)->bytes_from(*place), bytes);
    EXPECT_EQ((*memory)->bytes_from(*place + bytes - 1), 1u);
    EXPECT_EQ((*memory)->bytes_from(*place + bytes), 0u);
    places.push_back(*place);
  }
  EXPECT_EQ(*(*memory)->allocate(64, 1 << 16) % (1 << 16), 0u);
  for (const uint64_t place : places) EXPECT_TRUE((*memory)->free(place));
  EXPECT_FALSE((*memory)->free(places[0]));
  EXPECT_FALSE((*memory)->allocate(uint64_t(1) << 50).ok());
}

}  // namespace
}  // namespace ww::cpu
