// The option `tensor_core` decides whose sums mma makes on sim and cpu. The sums themselves are those of
// tests/devicelib/mma_ada_test.cpp, worked out by hand.
#include <gtest/gtest.h>

#include "device/device_buffer.h"
#include "device/registry.h"

namespace ww::tiles {
namespace {

constexpr const char* kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

// Row 0 of A times column 0 of B: 1, then fourteen times 2^-24, then 0; lanes 0 to 3 hold four products each. The other
// rows and columns are 0. sm_89 makes two steps of them, sm_90 one.
constexpr const char* kMma = R"(
.visible .entry step(.param .u64 out) {
  .reg .pred %first, %last, %none; .reg .b32 %lane, %one, %small, %a0, %a2; .reg .b64 %out; .reg .f32 %d<4>;
  ld.param.u64 %out, [out];
  mov.u32 %lane, %laneid;
  setp.eq.u32 %first, %lane, 0; setp.eq.u32 %last, %lane, 3; setp.gt.u32 %none, %lane, 3;
  mov.b32 %one, 0x0c003c00;    // 1, 2^-12
  mov.b32 %small, 0x0c000c00;  // 2^-12, 2^-12
  selp.b32 %a0, %one, %small, %first;
  selp.b32 %a2, 0x00000c00, %small, %last;  // 2^-12, 0
  selp.b32 %a0, 0, %a0, %none; selp.b32 %a2, 0, %a2, %none;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, 0, %a2, 0}, {%a0, %a2},
    {0f00000000, 0f00000000, 0f00000000, 0f00000000};
  @%first st.global.f32 [%out], %d0;
  ret;
})";

uint32_t first_result(const std::string& device_name, TensorCore tensor_core) {
  DeviceOptions options;
  options.tensor_core = tensor_core;
  auto device = open_device(device_name, options);
  EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().to_string());
  if (!device.ok()) return 0;
  const auto run = [&]() -> Result<uint32_t> {
    WW_ASSIGN(const auto module, (*device)->load_module(std::string(kHead) + kMma, "step.ptx"));
    WW_ASSIGN(DeviceKernel * kernel, module->kernel("step"));
    WW_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(**device, 4));
    const uint64_t parameter = out.address();
    Launch launch;
    launch.block = {32};
    launch.parameters = std::as_bytes(std::span(&parameter, 1));
    WW_TRY((*device)->launch(*kernel, launch));
    WW_TRY((*device)->synchronize());
    uint32_t word = 0;
    WW_TRY((*device)->download(std::as_writable_bytes(std::span(&word, 1)), out.address()));
    return word;
  };
  const auto word = run();
  EXPECT_TRUE(word.ok()) << (word.ok() ? "" : word.error().to_string());
  return word.ok() ? *word : 0;
}

class TensorCoreOption : public testing::TestWithParam<std::string> {};

TEST_P(TensorCoreOption, DecidesWhoseSumsAreMade) {
  EXPECT_EQ(first_result(GetParam(), TensorCore::kAda), 0x3f800006u);
  EXPECT_EQ(first_result(GetParam(), TensorCore::kHopper), 0x3f800007u);
}

INSTANTIATE_TEST_SUITE_P(Devices, TensorCoreOption, testing::Values("sim", "cpu"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace ww::tiles
