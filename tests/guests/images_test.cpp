// Textures and surfaces by references of module scope, eight bytes in which the program puts a handle, named directly
// or by an address in a register (PTX ISA, "Texture, Sampler and Surface Types"; "istypep"); and by handles: what is
// refused, and what threads do together.
#include <gtest/gtest.h>

#include <cstring>

#include "device/device_buffer.h"
#include "device/registry.h"
#include "support/kernel_parameters.h"

namespace ww {
namespace {

const char kReferences[] = R"(.version 8.0
.target sm_80
.address_size 64
.global .texref picture;
.global .surfref canvas;
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .pred %p<4>;
  ld.param.u64 %rd0, [out];
  tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [picture, {1, 0}];
  st.global.f32 [%rd0], %f0;
  mov.u64 %rd1, picture;
  tex.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd1, {0, 1}];
  st.global.f32 [%rd0+4], %f4;
  mov.u64 %rd2, canvas;
  sured.b.add.2d.u32.trap [%rd2, {4, 1}], 100;
  suld.b.2d.b32.trap %r0, [canvas, {4, 1}];
  st.global.u32 [%rd0+8], %r0;
  istypep.texref %p0, %rd1;
  istypep.surfref %p1, %rd1;
  istypep.surfref %p2, %rd2;
  selp.b32 %r1, 1, 0, %p0;
  selp.b32 %r2, 2, 0, %p1;
  selp.b32 %r3, 4, 0, %p2;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  st.global.u32 [%rd0+12], %r1;
  txq.width.b32 %r4, [picture];
  suq.height.b32 %r5, [canvas];
  st.global.v2.u32 [%rd0+16], {%r4, %r5};
  ret;
}
)";

class ImageReferences : public ::testing::TestWithParam<const char*> {};

TEST_P(ImageReferences, NameTheImageWhoseHandleTheyHold) {
  auto opened = open_device(GetParam(), {});
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  Device& device = **opened;
  auto module = device.load_module(kReferences, "references.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();

  ImageDescription description{3, 2, 1, ChannelFormat::kF32};
  const float texels[6] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f};
  auto picture = device.create_image(description);
  ASSERT_TRUE(picture.ok());
  ASSERT_TRUE((*picture)->upload(std::as_bytes(std::span(texels))).ok());
  description.format = ChannelFormat::kU32;
  const uint32_t counts[6] = {1, 2, 3, 4, 5, 6};
  auto canvas = device.create_image(description);
  ASSERT_TRUE(canvas.ok());
  ASSERT_TRUE((*canvas)->upload(std::as_bytes(std::span(counts))).ok());
  const std::pair<const char*, uint64_t> handles[] = {{"picture", *(*picture)->texture({})},
                                                      {"canvas", *(*canvas)->surface()}};
  for (const auto& [name, handle] : handles) {
    auto reference = (*module)->global(name);
    ASSERT_TRUE(reference.ok()) << reference.error().to_string();
    EXPECT_EQ(reference->second, 8u);
    ASSERT_TRUE(device.upload(reference->first, std::as_bytes(std::span(&handle, 1))).ok());
  }
  auto out = DeviceBuffer::create(device, 24);
  ASSERT_TRUE(out.ok());
  const auto parameters = testing::kernel_parameters(out->address());
  ASSERT_TRUE(device.launch(**(*module)->kernel("k"), {{}, {}, 0, parameters}).ok());
  const Status done = device.synchronize();
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  uint32_t words[6];
  ASSERT_TRUE(device.download(std::as_writable_bytes(std::span(words)), out->address()).ok());
  float fetched[2];
  std::memcpy(fetched, words, sizeof fetched);
  EXPECT_EQ(fetched[0], 1.5f);
  EXPECT_EQ(fetched[1], 3.5f);
  EXPECT_EQ(words[2], 105u);
  EXPECT_EQ(words[3], 5u);
  EXPECT_EQ(words[4], 3u);
  EXPECT_EQ(words[5], 2u);
}

const char kHandles[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry plain(.param .u64 image, .param .u64 out) {
  .reg .b64 %rd, %out; .reg .b32 %r<4>;
  ld.param.u64 %rd, [image]; ld.param.u64 %out, [out];
  tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd, {1, 0}];
  st.global.u32 [%out], %r0;
  ret;
}
.visible .entry shifted(.param .u64 image, .param .u64 out) {
  .reg .b64 %rd, %out; .reg .b32 %r<4>;
  ld.param.u64 %rd, [image]; ld.param.u64 %out, [out];
  tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd, {1, 0}], {1, 0};
  st.global.u32 [%out], %r0;
  ret;
}
.visible .entry count(.param .u64 image) {
  .reg .b64 %rd; .reg .b32 %r;
  ld.param.u64 %rd, [image];
  mov.u32 %r, %laneid;
  sured.p.add.1d.b32.trap [%rd, {2}], %r;
  ret;
}
)";

class ImageHandles : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto opened = open_device(GetParam(), {});
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    device_ = std::move(*opened);
    auto loaded = device_->load_module(kHandles, "handles.ptx");
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
    module_ = std::move(*loaded);
  }

  template <typename... T>
  Status run(const char* kernel, uint32_t blocks, uint32_t threads, T... values) {
    const auto parameters = testing::kernel_parameters(values...);
    WW_ASSIGN(DeviceKernel * entry, module_->kernel(kernel));
    WW_TRY(device_->launch(*entry, {{blocks}, {threads}, 0, parameters}));
    return device_->synchronize();
  }

  void expect_wrong_type(const char* kernel) {
    auto image = device_->create_image({3, 2, 1, ChannelFormat::kF32});
    ASSERT_TRUE(image.ok());
    auto out = DeviceBuffer::create(*device_, 4);
    ASSERT_TRUE(out.ok());
    const Status status = run(kernel, 1, 1, *(*image)->texture({}), out->address());
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().to_string().find("texture fetch of the wrong type: the image holds floats"),
              std::string::npos)
        << status.error().to_string();
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceModule> module_;
};

TEST_P(ImageHandles, FetchesOfTheWrongTypeStopTheLaunch) {
  expect_wrong_type("plain");
}

TEST_P(ImageHandles, FetchesOfTheWrongTypeWithOffsetsStopTheLaunch) {
  expect_wrong_type("shifted");
}

TEST_P(ImageHandles, ReductionsOfAllThreadsCount) {
  auto image = device_->create_image({3, 1, 1, ChannelFormat::kU32, ImageShape::k1D});
  ASSERT_TRUE(image.ok());
  uint32_t texels[3] = {7, 7, 7};
  ASSERT_TRUE((*image)->upload(std::as_bytes(std::span(texels))).ok());
  const Status status = run("count", 64, 128, *(*image)->surface());
  ASSERT_TRUE(status.ok()) << status.error().to_string();
  ASSERT_TRUE((*image)->download(std::as_writable_bytes(std::span(texels))).ok());
  EXPECT_EQ(texels[1], 7u);
  EXPECT_EQ(texels[2], 7u + 64 * 4 * (31 * 32 / 2));
}

INSTANTIATE_TEST_SUITE_P(Devices, ImageHandles, ::testing::Values("sim", "cpu"),
                         [](const auto& device) { return std::string(device.param); });
INSTANTIATE_TEST_SUITE_P(Devices, ImageReferences, ::testing::Values("sim", "cpu"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace ww
