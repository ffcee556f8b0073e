// warpwave run, end to end: each kind of argument, through a guest program on a device.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "base/files.h"
#include "frame/exr.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace ww::testing {
namespace {

constexpr char kGuest[] = WARPWAVE_BINARY_DIR "/guest/";

template <class T>
void write(const std::string& path, const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  ASSERT_TRUE(write_file(path, std::span(bytes, values.size() * sizeof(T))).ok());
}

template <class T>
std::vector<T> read(const std::string& path) {
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes.ok()) << bytes.error().to_string();
  if (!bytes.ok()) return {};
  std::vector<T> values(bytes->size() / sizeof(T));
  std::memcpy(values.data(), bytes->data(), values.size() * sizeof(T));
  return values;
}

// On the device that is built here: the interpreter if it is, else the cpu.
std::string device() {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder.path(), {"devices"});
  for (const char* name : {"sim", "cpu"})
    for (const auto& entry : outcome.report["devices"])
      if (entry["name"] == name && entry["available"]) return name;
  return {};
}

class Run : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = device();
    if (device_.empty()) GTEST_SKIP() << "no device can run here";
  }

  Outcome run(const std::string& module, const std::string& entry, const std::string& grid, const std::string& block,
              const std::vector<std::string>& arguments, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", kGuest + module, "--entry", entry,      "--grid",
                                   grid,  "--block",       block,     "--device", device_};
    for (const std::string& argument : arguments) words.insert(words.end(), {"--arg", argument});
    words.insert(words.end(), more.begin(), more.end());
    return run_command(folder_.path(), words);
  }

  TemporaryFolder folder_;
  std::string device_;
};

TEST_F(Run, AddsVectors) {
  std::vector<float> a(100);
  std::vector<float> b(100);
  for (size_t i = 0; i < 100; ++i) {
    a[i] = static_cast<float>(i) * 0.25f;
    b[i] = 1000.0f - static_cast<float>(i);
  }
  write(folder_.file("a.bin"), a);
  write(folder_.file("b.bin"), b);
  const Outcome outcome =
      run("vector_add.ptx", "vector_add", "2", "64", {"in:a.bin", "in:b.bin", "out:400:c.bin", "u32:99"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  const auto c = read<float>(folder_.file("c.bin"));
  ASSERT_EQ(c.size(), 100u);
  for (size_t i = 0; i < 99; ++i) EXPECT_EQ(c[i], a[i] + b[i]);
  EXPECT_EQ(c[99], 0.0f) << "buffers of out: start with zeros";
  EXPECT_EQ(outcome.report["device"], device_);
  EXPECT_EQ(outcome.report["numerics"], "exact");
  EXPECT_EQ(outcome.report["entry"], "vector_add");
}

TEST_F(Run, UpdatesInPlaceWithFloatBits) {
  write(folder_.file("x.bin"), std::vector<float>{1, 2, 3, 4});
  write(folder_.file("y.bin"), std::vector<float>{10, 20, 30, 40});
  // 0x3fc00000 is 1.5.
  const Outcome outcome =
      run("vector_add.ptx", "saxpy", "1", "32", {"f32:0x3fc00000", "in:x.bin", "inout:y.bin:z.bin", "u32:4"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_EQ(read<float>(folder_.file("z.bin")), (std::vector<float>{11.5f, 23.0f, 34.5f, 46.0f}));
  EXPECT_EQ(read<float>(folder_.file("y.bin")), (std::vector<float>{10, 20, 30, 40}));
}

TEST_F(Run, PassesAStructByValue) {
  // As Settings in guest/basic/local_memory.cu: shift, factor, offset, four weights, mask.
  std::vector<uint8_t> settings(48, 0);
  settings[0] = 1;
  const uint16_t factor = 6;
  const uint32_t offset = 100;
  const float weights[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  const uint64_t mask = ~uint64_t{0};
  std::memcpy(&settings[2], &factor, 2);
  std::memcpy(&settings[4], &offset, 4);
  std::memcpy(&settings[16], weights, 16);
  std::memcpy(&settings[32], &mask, 8);
  write(folder_.file("settings.bin"), settings);
  write(folder_.file("in.bin"), std::vector<uint32_t>{10, 20, 30, 40, 50});
  const Outcome outcome =
      run("local_memory.ptx", "by_value", "1", "32", {"bytes:settings.bin", "in:in.bin", "out:40:out.bin", "u32:5"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_EQ(read<uint64_t>(folder_.file("out.bin")), (std::vector<uint64_t>{131, 162, 193, 224, 251}));
}

TEST_F(Run, UsesDynamicSharedMemory) {
  write(folder_.file("in.bin"), std::vector<uint32_t>{1, 2, 3, 4, 5, 6});
  const Outcome outcome = run("local_memory.ptx", "dynamic_shared", "2", "32", {"in:in.bin", "out:24:out.bin", "u32:3"},
                              {"--shared", "12"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_EQ(read<uint32_t>(folder_.file("out.bin")), (std::vector<uint32_t>{3, 2, 1, 6, 5, 4}));
}

TEST_F(Run, EndsAKernelThatNeverEnds) {
  if (device_ != "sim") GTEST_SKIP() << "a limit of sim";
  constexpr std::string_view kSpin =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry spin(.param .u64 out) {\nagain:\nbra again;\n}\n";
  ASSERT_TRUE(write_file(folder_.file("spin.ptx"), kSpin).ok());
  const std::vector<std::string> words{"run",           "spin.ptx",           "--entry", "spin",    "--arg",
                                       "out:4:out.bin", "--max-instructions", "1000",    "--device"};
  const auto on = [&](const std::string& device) {
    std::vector<std::string> all = words;
    all.push_back(device);
    return run_command(folder_.path(), all);
  };
  const Outcome outcome = on("sim");
  EXPECT_EQ(outcome.exit, 1);
  const auto& error = outcome.report["error"];
  ASSERT_TRUE(error.is_object());
  EXPECT_EQ(error["file"], "spin.ptx");
  EXPECT_EQ(error["line"], 6);
  EXPECT_EQ(error["kernel"], "spin");
  EXPECT_EQ(
      error["message"],
      "the launch has not ended after 1000 warp instructions; thread (0,0,0) of block (0,0,0) at line 6 (bra again;)");
  EXPECT_EQ(error["fix"], "Check for a loop that never ends, or allow more instructions (--max-instructions)");
  const Outcome elsewhere = on("cpu");
  EXPECT_EQ(elsewhere.exit, 2);
  EXPECT_EQ(elsewhere.report["error"]["found"], "--max-instructions with --device cpu");
}

TEST_F(Run, SamplesATexture) {
  Image picture(4, 2, 3);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x)
      for (int c = 0; c < 3; ++c) picture.at(x, y, c) = static_cast<float>(100 * c + 10 * y + x);
  ASSERT_TRUE(frame::write_exr(folder_.file("in.exr"), picture, frame::kRgb, frame::SampleType::kHalf).ok());
  write(folder_.file("at.bin"), std::vector<float>{0.625f, 0.75f, -3.0f, 0.1f});
  const Outcome outcome =
      run("texture_fetch.ptx", "texture_fetch", "1", "32",
          {"tex:in.exr,filter=point,address=border,normalized=1", "in:at.bin", "out:32:out.bin", "u32:2"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_EQ(read<float>(folder_.file("out.bin")), (std::vector<float>{12, 112, 212, 1, 0, 0, 0, 0}));
}

TEST_F(Run, WritesASurface) {
  const Image ones(3, 3, 4, 9.0f);
  const frame::ChannelNames rgba{"R", "G", "B", "A"};
  ASSERT_TRUE(frame::write_exr(folder_.file("in.exr"), ones, rgba, frame::SampleType::kFloat).ok());
  write(folder_.file("outside.bin"), std::vector<uint32_t>{0});
  const Outcome outcome = run("surface_filter.ptx", "surface_blur", "1,1", "8,8",
                              {"surf:in.exr:same.exr", "surf:in.exr:blurred.exr", "inout:outside.bin:count.bin"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  const auto blurred = frame::read_exr(folder_.file("blurred.exr"), rgba);
  ASSERT_TRUE(blurred.ok()) << blurred.error().to_string();
  EXPECT_EQ(blurred->at(1, 1, 0), 9.0f);
  EXPECT_EQ(blurred->at(0, 0, 0), 4.0f) << "four of nine texels are inside";
  // Of the 64 threads 25 are within one texel of the picture.
  EXPECT_EQ(read<uint32_t>(folder_.file("count.bin")), std::vector<uint32_t>{64 - 25});
}

}  // namespace
}  // namespace ww::testing
