// The device `nvidia` against the stand-in of stand_in_cuda.cpp: every call of the interface, and every way to fail.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include "device/registry.h"
#include "nvidia/driver_api.h"

namespace ww {
namespace {

constexpr char kModule[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .b8 table[48];
.visible .entry copy_words(.param .u64 from, .param .u64 to, .param .u32 count) { ret; }
.visible .entry fault() { ret; }
.visible .entry wide() .reqntid 64, 2, 1 { ret; }
)";

template <class Function>
Function* stand_in(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

class PassThrough : public ::testing::Test {
 protected:
  void SetUp() override {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr || dlsym(library, "stand_in_retained") == nullptr)
      GTEST_SKIP() << "run by CTest, which puts the stand-in driver on the library path";
    auto opened = open_device("nvidia", {});
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    device_ = std::move(*opened);
  }

  std::unique_ptr<DeviceModule> load() {
    auto module = device_->load_module(kModule, "test.ptx");
    EXPECT_TRUE(module.ok()) << module.error().to_string();
    return module.ok() ? std::move(*module) : nullptr;
  }

  std::unique_ptr<Device> device_;
};

TEST_F(PassThrough, ListsEveryGpu) {
  std::vector<std::string> found;
  for (const DeviceStatus& status : list_devices())
    if (status.name.starts_with("nvidia") && status.available) found.push_back(status.name + " " + status.description);
  EXPECT_EQ(found, (std::vector<std::string>{"nvidia:0 Stand-in A, sm_90, driver for CUDA 12.8",
                                             "nvidia:1 Stand-in B, sm_90, driver for CUDA 12.8"}));
}

TEST_F(PassThrough, OpensByNumber) {
  const auto second = open_device("nvidia:1", {});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->name(), "nvidia:1");
  for (const char* name : {"nvidia:2", "nvidia:", "nvidia:x", "nvidia:-1", "nvidia:1x"}) {
    const auto none = open_device(name, {});
    ASSERT_FALSE(none.ok()) << name;
    EXPECT_EQ(none.error().kind, ErrorKind::kUsage) << name;
    EXPECT_NE(none.error().to_string().find(name), std::string::npos);
  }
}

TEST_F(PassThrough, MovesMemoryAndRunsKernels) {
  const auto from = device_->allocate(64);
  const auto to = device_->allocate(64);
  ASSERT_TRUE(from.ok() && to.ok());
  uint32_t words[16];
  for (uint32_t i = 0; i < 16; ++i) words[i] = i * i + 1;
  ASSERT_TRUE(device_->upload(*from, std::as_bytes(std::span(words))).ok());
  ASSERT_TRUE(device_->fill(*to, 0xab, 64).ok());

  const auto module = load();
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->kernel_names(), (std::vector<std::string>{"copy_words", "fault", "wide"}));
  const auto kernel = module->kernel("copy_words");
  ASSERT_TRUE(kernel.ok());
  EXPECT_EQ((*kernel)->info().parameter_offsets, (std::vector<uint32_t>{0, 8, 16}));
  EXPECT_EQ((*kernel)->info().parameter_bytes, 20u);

  std::byte block[20];
  const uint32_t count = 5;
  std::memcpy(block, &*from, 8);
  std::memcpy(block + 8, &*to, 8);
  std::memcpy(block + 16, &count, 4);
  Launch launch;
  launch.grid = {3, 2, 1};
  launch.block = {32, 4, 2};
  launch.parameters = block;
  ASSERT_TRUE(device_->launch(**kernel, launch).ok());
  ASSERT_TRUE(device_->synchronize().ok());
  uint32_t copied[16];
  ASSERT_TRUE(device_->download(std::as_writable_bytes(std::span(copied)), *to).ok());
  EXPECT_EQ(copied[4], 17u);
  EXPECT_EQ(copied[5], 0xababababu);
  unsigned shape[7];
  stand_in<void(unsigned(*)[7])>("stand_in_launch")(&shape);
  EXPECT_EQ(std::vector<unsigned>(shape, shape + 7), (std::vector<unsigned>{3, 2, 1, 32, 4, 2, 0}));

  const uint32_t more = 6;
  std::memcpy(block + 16, &more, 4);
  launch.cooperative = true;
  launch.grid = {5, 1, 1};
  ASSERT_TRUE(device_->launch(**kernel, launch).ok());
  ASSERT_TRUE(device_->download(std::as_writable_bytes(std::span(copied)), *to).ok());
  EXPECT_EQ(copied[5], 26u);
  EXPECT_EQ(copied[6], 0xababababu);
  stand_in<void(unsigned(*)[7])>("stand_in_launch")(&shape);
  EXPECT_EQ(shape[0], 5u);
  launch.cooperative = false;

  launch.parameters = std::span(block, 16);
  const Status wrong = device_->launch(**kernel, launch);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(device_->free(*from).ok());
  EXPECT_TRUE(device_->free(*to).ok());
}

TEST_F(PassThrough, AsksForLargeSharedMemory) {
  const auto module = load();
  ASSERT_NE(module, nullptr);
  const auto kernel = module->kernel("wide");
  ASSERT_TRUE(kernel.ok());
  EXPECT_EQ((*kernel)->info().static_shared_bytes, 40000u);
  EXPECT_EQ((*kernel)->info().required_block, (std::array<uint32_t, 3>{64, 2, 1}));
  Launch launch;
  launch.dynamic_shared_bytes = 9153;  // with the static ones a byte over 48 KiB
  ASSERT_TRUE(device_->launch(**kernel, launch).ok());
  EXPECT_EQ(stand_in<int()>("stand_in_largest_shared")(), 9153);
}

TEST_F(PassThrough, NamesTheKernelThatFaulted) {
  const auto module = load();
  ASSERT_NE(module, nullptr);
  const auto kernel = module->kernel("fault");
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(device_->launch(**kernel, {}).ok());
  const Status status = device_->synchronize();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kernel, "fault");
  EXPECT_NE(status.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), std::string::npos);
}

TEST_F(PassThrough, ADeviceOpenedAfterAFaultWorks) {
  {
    const auto module = load();
    ASSERT_NE(module, nullptr);
    ASSERT_TRUE(device_->launch(**module->kernel("fault"), {}).ok());
    EXPECT_FALSE(device_->synchronize().ok());
  }
  device_.reset();
  EXPECT_EQ(stand_in<int()>("stand_in_retained")(), 0);
  const auto again = open_device("nvidia:0", {});
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE((*again)->synchronize().ok());
}

TEST_F(PassThrough, ReportsTheDriversLog) {
  const auto module = device_->load_module(std::string(kModule) + "// REFUSE\n", "refused.ptx");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().file, "refused.ptx");
  EXPECT_NE(module.error().message.find("CUDA_ERROR_INVALID_PTX"), std::string::npos);
  EXPECT_NE(module.error().message.find("ptxas fatal: refused on request"), std::string::npos);
}

TEST_F(PassThrough, PlacesSyntaxErrorsItself) {
  const auto module = device_->load_module(".version 8.0\n.target sm_80\n.address_size 64\nrubbish\n", "bad.ptx");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().kind, ErrorKind::kInput);
  EXPECT_EQ(module.error().line, 4u);
}

TEST_F(PassThrough, FindsVariablesAndKernelsByName) {
  const auto module = load();
  ASSERT_NE(module, nullptr);
  const auto table = module->global("table");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->first, 0x1000u);
  EXPECT_EQ(table->second, 48u);
  EXPECT_FALSE(module->global("chair").ok());
  const auto kernel = module->kernel("absent");
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(kernel.error().expected, "one of copy_words, fault, wide");
}

TEST_F(PassThrough, ImagesKeepTexelsAndSamplers) {
  auto made = device_->create_image({5, 3, 2, ChannelFormat::kU16});
  ASSERT_TRUE(made.ok());
  DeviceImage& image = **made;
  std::vector<uint16_t> texels(30);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<uint16_t>(i * 1000);
  ASSERT_TRUE(image.upload(std::as_bytes(std::span(texels))).ok());
  std::vector<uint16_t> back(30);
  ASSERT_TRUE(image.download(std::as_writable_bytes(std::span(back))).ok());
  EXPECT_EQ(back, texels);
  EXPECT_FALSE(image.upload(std::as_bytes(std::span(texels).first(29))).ok());

  SamplerDescription sampler;
  sampler.filter = Filter::kLinear;
  sampler.address[0] = AddressMode::kWrap;
  sampler.address[1] = AddressMode::kBorder;
  sampler.normalized = true;
  const auto texture = image.texture(sampler);
  ASSERT_TRUE(texture.ok());
  nvidia::CuTextureDescription seen;
  stand_in<void(nvidia::CuTextureDescription*)>("stand_in_texture")(&seen);
  EXPECT_EQ(seen.address_mode[0], 0u);
  EXPECT_EQ(seen.address_mode[1], 3u);
  EXPECT_EQ(seen.filter_mode, 1u);
  EXPECT_EQ(seen.flags, 3u);  // integers stay integers; coordinates in 0..1
  EXPECT_EQ(*image.texture(sampler), *texture) << "a sampler that is known makes no new texture";
  EXPECT_NE(*image.texture(SamplerDescription{}), *texture);
  EXPECT_EQ(*image.surface(), 5000u);
}

TEST_F(PassThrough, ImagesOfEveryShapeKeepTheirLevels) {
  using enum ImageShape;
  constexpr ChannelFormat kFormat = ChannelFormat::kSnorm8;
  // Texels: 9x5x3 and 4x2x1; 7x4 and 3x4; 8x8x12, 4x4x12, 2x2x12 and 1x1x12; 6x5x4 and 3x2x4.
  const std::pair<ImageDescription, size_t> images[] = {{{9, 5, 1, kFormat, k3D, 3, 2}, 135 + 8},
                                                        {{7, 1, 1, kFormat, k1DArray, 4, 2}, 28 + 12},
                                                        {{8, 8, 1, kFormat, kCubeArray, 2, 4}, 768 + 192 + 48 + 12},
                                                        {{6, 5, 1, kFormat, k2DArray, 4, 2}, 120 + 24}};
  for (const auto& [description, bytes] : images) {
    auto image = device_->create_image(description);
    ASSERT_TRUE(image.ok()) << image.error().to_string();
    std::vector<uint8_t> texels(bytes), back(bytes);
    for (size_t i = 0; i < bytes; ++i) texels[i] = static_cast<uint8_t>(i * 7);
    ASSERT_TRUE((*image)->upload(std::as_bytes(std::span(texels))).ok());
    ASSERT_TRUE((*image)->download(std::as_writable_bytes(std::span(back))).ok());
    EXPECT_EQ(back, texels);
    SamplerDescription sampler;
    EXPECT_FALSE((*image)->texture(sampler).ok()) << "levels by coordinates in texels";
    sampler.normalized = true;
    sampler.address[2] = AddressMode::kMirror;
    sampler.level_filter = Filter::kLinear;
    sampler.max_level = 1.5f;
    sampler.border[3] = 0.25f;
    ASSERT_TRUE((*image)->texture(sampler).ok());
    nvidia::CuTextureDescription seen;
    stand_in<void(nvidia::CuTextureDescription*)>("stand_in_texture")(&seen);
    EXPECT_EQ(seen.address_mode[2], 2u);
    EXPECT_EQ(seen.mipmap_filter_mode, 1u);
    EXPECT_EQ(seen.max_mipmap_level, 1.5f);
    EXPECT_EQ(seen.border_color[3], 0.25f);
    EXPECT_EQ(seen.flags, 2u);
  }
}

TEST_F(PassThrough, RefusesImpossibleImages) {
  using enum ImageShape;
  constexpr ChannelFormat kFormat = ChannelFormat::kF32;
  for (const ImageDescription& description :
       {ImageDescription{0, 4, 4}, ImageDescription{4, 16385, 4}, ImageDescription{4, 4, 3},
        ImageDescription{4, 2, 1, kFormat, k1D}, ImageDescription{4, 2, 1, kFormat, kCube},
        ImageDescription{4, 4, 1, kFormat, k2D, 2}, ImageDescription{4, 4, 1, kFormat, k3D, 2049},
        ImageDescription{4, 4, 1, kFormat, k2D, 1, 4}, ImageDescription{4, 4, 1, kFormat, k2D, 1, 0}}) {
    const auto image = device_->create_image(description);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.error().kind, ErrorKind::kUsage);
  }
}

TEST_F(PassThrough, ReportsMemoryThatIsNotThere) {
  const auto address = device_->allocate(uint64_t{1} << 40);
  ASSERT_FALSE(address.ok());
  EXPECT_EQ(address.error().message,
            "allocating 1099511627776 bytes failed: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
}

}  // namespace
}  // namespace ww
