// The cpu device through its interface: PTX in, results and errors out.
#include <gtest/gtest.h>

#include <numeric>

#include "cpu/cpu_device.h"
#include "cpu/host_level.h"
#include "support/kernel_parameters.h"
#include "support/negated_predicates.h"

namespace ww::cpu {
namespace {

const char kHeader[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::unique_ptr<Device> open(DeviceOptions options = {}) {
  auto device = open_device("cpu", options);
  EXPECT_TRUE(device.ok()) << device.error().to_string();
  return device.ok() ? std::move(*device) : nullptr;
}

Status run(Device& device, DeviceModule& module, const char* kernel, Dim3 grid, Dim3 block,
           const std::vector<std::byte>& values, uint32_t shared = 0) {
  WW_ASSIGN(DeviceKernel * entry, module.kernel(kernel));
  return device.launch(*entry, {grid, block, shared, values});
}

const char kVectorAdd[] = R"(
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<8>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r4, [n];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  setp.ge.u32 %p, %r3, %r4;
  @%p bra done;
  mul.wide.u32 %rd4, %r3, 4;
  add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; add.u64 %rd7, %rd3, %rd4;
  ld.global.f32 %f0, [%rd5]; ld.global.f32 %f1, [%rd6];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%rd7], %f2;
done:
  ret;
}
)";

TEST(CpuDevice, AddsVectors) {
  const auto device = open();
  const auto module = device->load_module(std::string(kHeader) + kVectorAdd, "add.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  const uint32_t n = 1000;
  std::vector<float> a(n), b(n), c(n);
  for (uint32_t i = 0; i < n; ++i) a[i] = float(i) * 0.5f, b[i] = float(i * i);
  const DeviceAddress da = *device->allocate(4 * n), db = *device->allocate(4 * n), dc = *device->allocate(4 * n);
  ASSERT_TRUE(device->upload(da, std::as_bytes(std::span(a))).ok());
  ASSERT_TRUE(device->upload(db, std::as_bytes(std::span(b))).ok());
  for (const uint32_t block : {128u, 96u, 50u}) {
    ASSERT_TRUE(device->fill(dc, 0, 4 * n).ok());
    const Status status = run(*device, **module, "add", {(n + block - 1) / block, 1, 1}, {block, 1, 1},
                              testing::kernel_parameters(da, db, dc, n));
    ASSERT_TRUE(status.ok()) << const_cast<Status&>(status).error().to_string();
    ASSERT_TRUE(device->download(std::as_writable_bytes(std::span(c)), dc).ok());
    for (uint32_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i << " with blocks of " << block;
  }
}

TEST(CpuDevice, NegatesPredicates) {
  testing::expect_negated_predicates(*open());
}

TEST(CpuDevice, NothingMayBeCopiedAnywhere) {
  const auto device = open();
  const DeviceAddress memory = *device->allocate(4);
  for (const DeviceAddress address : {DeviceAddress(0), memory}) {
    EXPECT_TRUE(device->upload(address, {}).ok());
    EXPECT_TRUE(device->download({}, address).ok());
    EXPECT_TRUE(device->fill(address, 0, 0).ok());
  }
}

TEST(CpuDevice, ErrorsNameTheirPlace) {
  const auto device = open();
  auto module = device->load_module(std::string(kHeader) + kVectorAdd + R"(
.visible .entry stop() {
  .reg .pred %p; .reg .b32 %r;
  mov.u32 %r, %tid.x;
  setp.eq.u32 %p, %r, 3;
  @%p trap;
  ret;
}
)",
                                    "place.ptx");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ((*module)->kernel("nothing").error().kind, ErrorKind::kUsage);
  Status status = run(*device, **module, "stop", {1, 1, 1}, {32, 1, 1}, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().line, 25u);
  EXPECT_NE(status.error().message.find("trap"), std::string::npos);
  EXPECT_EQ(status.error().kernel, "stop");
  // The device goes on.
  status = run(*device, **module, "stop", {1, 1, 1}, {2, 1, 1}, {});
  EXPECT_TRUE(status.ok());
  status = run(*device, **module, "add", {1, 1, 1}, {32, 1, 1}, {});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("parameter block"), std::string::npos);
}

// As on the H200 without a debugger, where a launch ends with CUDA_ERROR_LAUNCH_FAILED.
TEST(CpuDevice, BreakpointsEndTheLaunch) {
  const auto device = open();
  const auto module = device->load_module(std::string(kHeader) + R"(
.visible .entry stop(.param .u32 at) {
  .reg .pred %p; .reg .b32 %r, %at;
  ld.param.u32 %at, [at];
  mov.u32 %r, %tid.x;
  setp.eq.u32 %p, %r, %at;
  @%p brkpt;
  ret;
}
)",
                                          "breakpoint.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  const Status status = run(*device, **module, "stop", {1}, {32}, testing::kernel_parameters(uint32_t{7}));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("brkpt"), std::string::npos) << status.error().to_string();
  EXPECT_EQ(status.error().line, 10u);
  EXPECT_TRUE(run(*device, **module, "stop", {1}, {32}, testing::kernel_parameters(uint32_t{77})).ok());
}

TEST(CpuDevice, VariablesKeepTheirAddressesAndContents) {
  const auto device = open();
  auto module = device->load_module(std::string(kHeader) + R"(
.visible .const .align 4 .b32 table[4] = {10, 20, 30, 40};
.visible .global .align 4 .b32 sum[2];
.visible .global .align 8 .u64 place = table;
.visible .entry gather() {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r0, %tid.x;
  and.b32 %r1, %r0, 3;
  mul.wide.u32 %rd0, %r1, 4;
  mov.u64 %rd1, table;
  add.u64 %rd1, %rd1, %rd0;
  ld.const.u32 %r2, [%rd1];
  mov.u64 %rd2, sum;
  red.global.add.u32 [%rd2+4], %r2;
  ret;
}
)",
                                    "variables.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  Status status = run(*device, **module, "gather", {1, 1, 1}, {64, 1, 1}, {});
  ASSERT_TRUE(status.ok()) << status.error().to_string();
  const auto sum = (*module)->global("sum"), place = (*module)->global("place"), table = (*module)->global("table");
  ASSERT_TRUE(sum.ok() && place.ok() && table.ok());
  uint32_t values[2];
  ASSERT_TRUE(device->download(std::as_writable_bytes(std::span(values)), sum->first).ok());
  EXPECT_EQ(values[0], 0u);
  EXPECT_EQ(values[1], 16u * 100);
  uint64_t address;
  ASSERT_TRUE(device->download(std::as_writable_bytes(std::span(&address, 1)), place->first).ok());
  EXPECT_EQ(address, table->first);
}

TEST(CpuDevice, RefusesALevelOnlyIfItIsMissing) {
  for (const HostIsa isa : {HostIsa::kV2, HostIsa::kV3, HostIsa::kV4}) {
    DeviceOptions options;
    options.host_isa = isa;
    const auto device = open_device("cpu", options);
    EXPECT_EQ(device.ok(), choose_host_isa(isa).ok());
  }
}

}  // namespace
}  // namespace ww::cpu
