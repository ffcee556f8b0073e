// The control cases on sim, in several orders, and on cpu, at every host level and with one and two threads: all must
// give what reasoning says, and what an NVIDIA H200 gave. A case that hangs ends the test with its name.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "control/control_runner.h"
#include "device/registry.h"

namespace ww::control {
namespace {

constexpr unsigned kPatience = 120;  // seconds for a case on one device

std::unique_ptr<Device> open(const std::string& name, const DeviceOptions& options) {
  auto device = open_device(name, options);
  EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().to_string());
  return device.ok() ? std::move(*device) : nullptr;
}

// The host levels that this machine has.
std::vector<HostIsa> levels() {
  std::vector<HostIsa> found;
  for (const HostIsa isa : {HostIsa::kV2, HostIsa::kV3, HostIsa::kV4}) {
    DeviceOptions options;
    options.host_isa = isa;
    if (open_device("cpu", options).ok()) found.push_back(isa);
  }
  return found;
}

void expect_words(Device& device, const ControlCase& control, const std::string& where) {
  const Watchdog watchdog(control.name + " on " + where, kPatience);
  const auto words = run_case(device, control);
  ASSERT_TRUE(words.ok()) << where << ": " << words.error().to_string();
  EXPECT_EQ(difference(*words, expected_words(control)), "") << where;
}

class Control : public testing::TestWithParam<ControlCase> {};

TEST_P(Control, OnSim) {
  for (const uint64_t seed : {0, 1, 2, 3}) {
    DeviceOptions options;
    options.schedule_seed = seed;
    const auto device = open("sim", options);
    ASSERT_NE(device, nullptr);
    expect_words(*device, GetParam(), "sim, order " + std::to_string(seed));
  }
}

TEST_P(Control, OnCpu) {
  for (const HostIsa isa : levels()) {
    DeviceOptions options;
    options.host_isa = isa;
    // The highest level with one thread, too: nothing may depend on a second one.
    for (const unsigned threads : {2u, 1u}) {
      if (threads == 1 && isa != levels().back()) continue;
      options.threads = threads;
      const auto device = open("cpu", options);
      ASSERT_NE(device, nullptr);
      expect_words(*device, GetParam(), device->description());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Control, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<ControlCase>& info) { return info.param.name; });

// h200.txt: "hash name", or "- name reason" for what an H200 did not answer as the manual says.
TEST(ControlCases, AreWhatAnH200Gave) {
  std::ifstream file(WARPWAVE_SOURCE_DIR "/tests/control/h200.txt");
  std::map<std::string, std::string> recorded;
  for (std::string hash, name; file >> hash >> name; recorded[name] = hash) {
    std::string rest;
    std::getline(file, rest);
    EXPECT_TRUE(hash != "-" || rest.size() > 10) << name << " has no reason";
  }
  for (const ControlCase& control : all_cases()) {
    ASSERT_TRUE(recorded.contains(control.name)) << control.name << " is not recorded";
    if (recorded[control.name] == "-") continue;
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hash_of(expected_words(control))));
    EXPECT_EQ(recorded[control.name], hash) << control.name;
  }
}

// --- what must end with a message

class Report : public testing::TestWithParam<const char*> {
 protected:
  std::string message_of(const ControlCase& control) {
    const Watchdog watchdog(control.name + " on " + GetParam(), kPatience);
    const auto device = open(GetParam(), {});
    const auto words = run_case(*device, control);
    EXPECT_FALSE(words.ok());
    return words.ok() ? "" : words.error().to_string();
  }
};

constexpr char kDown[] = R"(
.func (.reg .b32 %result) down(.reg .b32 %n) {
  .reg .pred %p; .reg .b32 %m;
  setp.eq.u32 %p, %n, 0;
  mov.u32 %result, 0;
  @%p ret;
  sub.u32 %m, %n, 1;
  call (%result), down, (%m);
  add.u32 %result, %result, 1;
}
)";

TEST_P(Report, RecursionWithoutEnd) {
  const std::string message =
      message_of({"endless", 1, 32, 32, kDown, "mov.u32 %r0, -1; call (%r1), down, (%r0);\n", {}});
  EXPECT_NE(message.find("too deep"), std::string::npos) << message;
}

TEST_P(Report, DeepRecursionWorks) {
  const ControlCase deep{"deep",
                         1,
                         32,
                         32,
                         kDown,
                         "mad.lo.u32 %r0, %t, 50, 200; call (%r1), down, (%r0); st.global.u32 [%mine], %r1;",
                         [](uint32_t t) { return 50 * t + 200; }};
  const auto device = open(GetParam(), {});
  expect_words(*device, deep, GetParam());
}

TEST_P(Report, TrapOfOneLane) {
  const std::string message =
      message_of({"trap", 1, 64, 64, "", "setp.eq.u32 %p0, %t, 37;\n@%p0 trap;\nst.global.u32 [%mine], %t;", {}});
  EXPECT_NE(message.find("trap"), std::string::npos) << message;
  EXPECT_NE(message.find("trap.ptx:18"), std::string::npos) << message;
}

// An H200 has room for 132 * 2048 threads, cpu for 8192 warps.
TEST_P(Report, CooperativeGridWithoutRoom) {
  const std::string message = message_of({"crowd", 300, 1024, 1, "", "", {}, true});
  EXPECT_NE(message.find("can't all be there at the same time"), std::string::npos) << message;
  EXPECT_NE(message.find("300 blocks"), std::string::npos) << message;
  EXPECT_NE(message.find("at most " + std::string(GetParam() == std::string("sim") ? "264" : "256")), std::string::npos)
      << message;
}

// Assertions of CUDA C++ call this function: the message has what it was told.
TEST_P(Report, Assertion) {
  const std::string message = message_of({"assertion",
                                          1,
                                          64,
                                          64,
                                          R"(
.global .align 1 .b8 message[8] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[8] = {97, 46, 99, 117, 0};
.global .align 1 .b8 function[8] = {102, 111, 111, 40, 41, 0};
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
)",
                                          R"(
  setp.ne.u32 %p0, %t, 37;
  @%p0 bra fine;
  {
  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  mov.u64 %d0, message; cvta.global.u64 %d0, %d0; st.param.b64 [a], %d0;
  mov.u64 %d1, file; cvta.global.u64 %d1, %d1; st.param.b64 [b], %d1;
  mov.u32 %r0, 123; st.param.b32 [c], %r0;
  mov.u64 %d2, function; cvta.global.u64 %d2, %d2; st.param.b64 [d], %d2;
  mov.u64 %d3, 1; st.param.b64 [e], %d3;
  call.uni __assertfail, (a, b, c, d, e);
  }
fine:
)",
                                          {}});
  for (const char* part : {"x > 0", "a.cu", "123", "foo()"})
    EXPECT_NE(message.find(part), std::string::npos) << "no `" << part << "` in: " << message;
}

TEST_P(Report, LanesThatNeverCome) {
  // Lane 5 waits for the others at a shuffle, they for it at a barrier of the warp.
  const std::string message = message_of({"apart",
                                          1,
                                          32,
                                          32,
                                          "",
                                          R"(
  setp.eq.u32 %p0, %lane, 5;
  @%p0 bra alone;
  bar.warp.sync 0xffffffff;
  bra join;
alone:
  shfl.sync.idx.b32 %r0, %lane, 3, 31, 0xffffffff;
  bar.warp.sync 0xffffffff;
join:
  st.global.u32 [%mine], %r0;
)",
                                          {}});
  EXPECT_NE(message.find("deadlock"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Devices, Report, testing::Values("sim", "cpu"),
                         [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

}  // namespace
}  // namespace ww::control
