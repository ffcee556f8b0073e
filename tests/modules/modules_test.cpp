// Modules that compilers made of our own CUDA C++ parse, verify, print back, and give on sim and on cpu what an H200
// gave (h200.txt).
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "device/registry.h"
#include "golden/run_case.h"
#include "modules/program_table.h"
#include "ptx/module_difference.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verifier.h"

namespace ww::modules {
namespace {

const std::string kFolder = WARPWAVE_SOURCE_DIR "/tests/modules";

std::map<std::string, std::string> recorded() {
  std::map<std::string, std::string> hashes;
  std::ifstream file(kFolder + "/h200.txt");
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') hashes[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
  return hashes;
}

TEST(Modules, AreThoseOfTheTable) {
  std::ifstream file(kFolder + "/variants.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string program, compiler, target, options;
    if (words >> program >> compiler >> target >> options && program != "#")
      names.insert(program + "-" + compiler + "_" + target + "_" + options);
  }
  for (const std::string& name : module_names(kFolder))
    EXPECT_EQ(names.erase(name), 1u) << name << " is not in variants.txt";
  for (const std::string& name : names) ADD_FAILURE() << name << ".ptx is missing: make.sh makes it";
}

TEST(Modules, ParseVerifyAndPrintBack) {
  for (const std::string& name : module_names(kFolder)) {
    std::ifstream file(kFolder + "/" + name + ".ptx");
    std::stringstream text;
    text << file.rdbuf();
    const auto module = ptx::parse(text.str(), name + ".ptx");
    ASSERT_TRUE(module.ok()) << module.error().to_string();
    const Status legal = ptx::verify(**module);
    EXPECT_TRUE(legal.ok()) << legal.error().to_string();
    const auto again = ptx::parse(ptx::print(**module), "printed " + name + ".ptx");
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(ptx::first_difference(**module, **again), "") << name;
  }
}

class OnDevice : public testing::TestWithParam<const char*> {};

TEST_P(OnDevice, GiveTheHashesOfTheH200) {
  const auto programs = read_programs(kFolder + "/programs.txt");
  ASSERT_TRUE(programs.ok()) << programs.error().to_string();
  auto device = open_device(GetParam(), DeviceOptions{});
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto hashes = recorded();
  EXPECT_GE(hashes.size(), 75u);
  for (const std::string& name : module_names(kFolder)) {
    const auto expected = hashes.find(name);
    if (expected == hashes.end()) {
      ADD_FAILURE() << name << " is not recorded";
      continue;
    }
    const auto ours = run_module(**device, kFolder, name, *programs);
    if (ours.ok())
      EXPECT_EQ(*ours, expected->second) << name;
    else
      ADD_FAILURE() << name << ": " << ours.error().to_string();
  }
}

// The heap of kernels: 8 MB; what free gave back is had again.
constexpr const char* kHeap = R"(.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.func (.param .b64 o) get (.param .b64 n) {
  .reg .b64 %rd<2>;
  ld.param.b64 %rd0, [n];
  { .param .b64 n0; .param .b64 r0; st.param.b64 [n0], %rd0; call (r0), malloc, (n0); ld.param.b64 %rd1, [r0]; }
  st.param.b64 [o], %rd1;
  ret;
}
.func put (.param .b64 p) {
  .reg .b64 %rd<2>;
  ld.param.b64 %rd0, [p];
  { .param .b64 p0; st.param.b64 [p0], %rd0; call free, (p0); }
  ret;
}
.visible .entry heap(.param .u64 out) {
  .reg .b64 %rd<6>, %out; .reg .pred %p<4>; .reg .b32 %r<4>;
  ld.param.u64 %out, [out];
  { .param .b64 n; .param .b64 r; st.param.b64 [n], 6000000; call (r), get, (n); ld.param.b64 %rd0, [r]; }
  { .param .b64 n; .param .b64 r; st.param.b64 [n], 6000000; call (r), get, (n); ld.param.b64 %rd1, [r]; }
  st.b32 [%rd0+5999996], 7;
  { .param .b64 p; st.param.b64 [p], %rd0; call put, (p); }
  { .param .b64 n; .param .b64 r; st.param.b64 [n], 7000000; call (r), get, (n); ld.param.b64 %rd2, [r]; }
  { .param .b64 p; st.param.b64 [p], 0; call put, (p); }
  setp.ne.u64 %p0, %rd0, 0; setp.ne.u64 %p1, %rd1, 0; setp.ne.u64 %p2, %rd2, 0;
  selp.b32 %r0, 1, 0, %p0; selp.b32 %r1, 2, 0, %p1; selp.b32 %r2, 4, 0, %p2;
  or.b32 %r0, %r0, %r1; or.b32 %r0, %r0, %r2;
  st.global.b32 [%out], %r0;
  { .param .b64 p; st.param.b64 [p], %rd2; call put, (p); }
  ret;
}
.visible .entry twice(.param .u64 out) {
  .reg .b64 %rd<3>;
  { .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), get, (n); ld.param.b64 %rd0, [r]; }
  { .param .b64 p; st.param.b64 [p], %rd0; call put, (p); }
  { .param .b64 p; st.param.b64 [p], %rd0; call put, (p); }
  ret;
}
)";

TEST_P(OnDevice, HaveAHeapOfEightMegabytes) {
  auto device = open_device(GetParam(), DeviceOptions{});
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  golden::CaseBuilder builder("heap", "heap");
  const size_t out = builder.output(1, 4);
  const auto outputs = golden::run_case(**device, builder.launch("heap", {1}, {1}, {golden::at(out)}).build(), kHeap);
  ASSERT_TRUE(outputs.ok()) << outputs.error().to_string();
  EXPECT_EQ(std::to_integer<int>((*outputs)[0][0]), 1 | 4);

  golden::CaseBuilder again("twice", "twice");
  const size_t none = again.output(1, 4);
  const auto refused = golden::run_case(**device, again.launch("twice", {1}, {1}, {golden::at(none)}).build(), kHeap);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().to_string().find("malloc did not give or free already took"), std::string::npos)
      << refused.error().to_string();
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, testing::Values("sim", "cpu"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace ww::modules
