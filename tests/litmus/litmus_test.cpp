// On cpu and sim no outcome appears that the PTX memory model forbids; and the harness sees reorderings where there are
// any. (sim runs one instruction after the other: all that it gives is sequentially consistent.)
#include "litmus/litmus.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <tuple>

#include "device/device_buffer.h"
#include "device/registry.h"
#include "support/kernel_parameters.h"

namespace ww::litmus {
namespace {

std::vector<std::string> scopes_of(const Place& place) {
  if (place.is_grid) return {"gpu", "sys"};
  return {"cta", "gpu", "sys"};
}

std::unique_ptr<Device> open(const std::string& name, DeviceOptions options) {
  auto device = open_device(name, options);
  EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().to_string());
  return device.ok() ? std::move(*device) : nullptr;
}

void expect_nothing_forbidden(Device& device, const litmus::Test& test, const Place& place, const std::string& scope,
                              uint64_t count) {
  const auto histogram = run(device, test, place, scope, count, 1);
  ASSERT_TRUE(histogram.ok()) << test.name << ": " << histogram.error().to_string();
  uint64_t total = 0;
  for (const auto& [outcome, times] : *histogram) {
    total += times;
    if (test.forbidden != nullptr) {
      EXPECT_FALSE(test.forbidden(outcome)) << test.name << ", " << place.name << ", ." << scope << ": "
                                            << describe(outcome) << ", " << times << " times. " << test.reason;
    }
  }
  EXPECT_GE(total, count) << test.name;
}

class OnCpu : public ::testing::TestWithParam<litmus::Test> {};

TEST_P(OnCpu, NothingForbidden) {
  DeviceOptions options;
  options.threads = 4;  // as many as a test has at most
  const auto device = open("cpu", options);
  ASSERT_NE(device, nullptr);
  for (const Place& place : all_places())
    for (const std::string& scope : scopes_of(place)) {
      // The scope makes no difference to host code: one of them is run often.
      expect_nothing_forbidden(*device, GetParam(), place, scope, place.is_grid && scope == "gpu" ? 16384 : 2048);
    }
}

class OnSim : public ::testing::TestWithParam<litmus::Test> {};

TEST_P(OnSim, NothingForbidden) {
  for (const uint64_t seed : {0, 1, 2}) {
    DeviceOptions options;
    options.schedule_seed = seed;
    const auto device = open("sim", options);
    ASSERT_NE(device, nullptr);
    for (const Place& place : all_places())
      expect_nothing_forbidden(*device, GetParam(), place, scopes_of(place).front(), 512);
  }
}

std::string name_of_test(const ::testing::TestParamInfo<litmus::Test>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Litmus, OnCpu, ::testing::ValuesIn(all_tests()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Litmus, OnSim, ::testing::ValuesIn(all_tests()), name_of_test);

// --- two blocks that run past each other without ever meeting, so that the harness's own waiting can't hide anything

constexpr uint32_t kSteps = 1 << 18;

// Both count up in steps. Block 0 does `first` with its step in %n, then puts %a (and %b) into its record; block 1
// `second`. Locations: [%x] and [%y].
std::string running_text(const std::string& first, const std::string& second) {
  return R"(.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 memory, .param .u64 records) {
.reg .pred %p<4>; .reg .b32 %n, %a, %b, %block; .reg .b64 %x, %y, %record;
  ld.param.u64 %x, [memory]; ld.param.u64 %record, [records];
  cvta.to.global.u64 %x, %x; cvta.to.global.u64 %record, %record;
  add.u64 %y, %x, 128;
  mov.u32 %n, 1; mov.u32 %a, 0; mov.u32 %b, 0;
  mov.u32 %block, %ctaid.x;
  setp.ne.u32 %p0, %block, 0;
  @%p0 bra other;
again:
)" + first +
         R"(
  st.global.v2.u32 [%record], {%a, %b};
  add.u64 %record, %record, 8;
  add.u32 %n, %n, 1;
  setp.le.u32 %p1, %n, STEPS;
  @%p1 bra again;
  ret;
other:
  add.u64 %record, %record, BYTES;
back:
)" + second +
         R"(
  st.global.v2.u32 [%record], {%a, %b};
  add.u64 %record, %record, 8;
  add.u32 %n, %n, 1;
  setp.le.u32 %p1, %n, STEPS;
  @%p1 bra back;
  ret;
}
)";
}

struct Records {
  std::vector<uint32_t> words = std::vector<uint32_t>(size_t{4} * kSteps);
  // What a block had in its first or second register at a step, 1 to kSteps.
  uint32_t at(unsigned block, uint32_t step, unsigned which) const {
    return words[2 * (size_t{block} * kSteps + step - 1) + which];
  }
};

Result<Records> run_past_each_other(Device& device, std::string text) {
  for (const auto& [name, value] : {std::pair{"STEPS", kSteps}, {"BYTES", 8 * kSteps}})
    for (size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, 5, std::to_string(value));
  WW_ASSIGN(auto module, device.load_module(std::move(text), "running.ptx"));
  WW_ASSIGN(DeviceKernel * kernel, module->kernel("k"));
  WW_ASSIGN(const DeviceBuffer memory, DeviceBuffer::create(device, 256));
  Records records;
  WW_ASSIGN(const DeviceBuffer written, DeviceBuffer::create(device, records.words.size() * 4));
  WW_TRY(device.fill(memory.address(), 0, 256));
  const auto parameters = ww::testing::kernel_parameters(memory.address(), written.address());
  Launch launch;
  launch.grid = {2};
  launch.parameters = parameters;
  WW_TRY(device.launch(*kernel, launch));
  WW_TRY(device.synchronize());
  WW_TRY(device.download(std::as_writable_bytes(std::span(records.words)), written.address()));
  return records;
}

// Steps n of one block and m of the other in which neither saw the other's write: of n steps, how many have such an m.
uint64_t store_bufferings(const Records& records) {
  uint64_t seen = 0;
  for (uint32_t n = 1; n <= kSteps; ++n) {
    const uint32_t m = records.at(0, n, 0) + 1;  // the first write of the other that this one's read missed
    seen += m <= kSteps && records.at(1, m, 0) < n;
  }
  return seen;
}

// `fence`: between a block's write and its read.
Result<uint64_t> count_store_bufferings(const std::string& fence, const std::string& store, const std::string& load,
                                        int runs, bool until_seen) {
  DeviceOptions options;
  options.threads = 2;
  const auto device = open("cpu", options);
  if (device == nullptr) return runtime_error("no device");
  const std::string text =
      running_text("  " + store + ".global.u32 [%x], %n;\n" + fence + load + ".global.u32 %a, [%y];\n",
                   "  " + store + ".global.u32 [%y], %n;\n" + fence + load + ".global.u32 %a, [%x];\n");
  uint64_t seen = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int i = 0; i < runs || (until_seen && seen == 0 && std::chrono::steady_clock::now() < end); ++i) {
    WW_ASSIGN(const Records records, run_past_each_other(*device, text));
    seen += store_bufferings(records);
    if (until_seen && seen != 0) break;
  }
  return seen;
}

// Without fences store buffering shows on x86, and with fence.sc it does not: were the first not so, the tests would be
// blind.
TEST(Running, StoreBufferingIsSeenWithoutFences) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor sees its own writes in order";
  for (const auto& [fence, store, load] : {std::tuple{"", "st.relaxed.gpu", "ld.relaxed.gpu"},
                                           {"", "st.release.gpu", "ld.acquire.gpu"},
                                           {"fence.acq_rel.gpu;\n", "st.relaxed.gpu", "ld.relaxed.gpu"},
                                           {"", "st.volatile", "ld.volatile"}}) {
    const auto seen = count_store_bufferings(fence, store, load, 1, true);
    ASSERT_TRUE(seen.ok()) << seen.error().to_string();
    EXPECT_GT(*seen, 0u) << fence << store << " " << load;
  }
}

TEST(Running, StoreBufferingIsNotSeenWithFences) {
  for (const auto& [fence, store, load] : {std::tuple{"fence.sc.gpu;\n", "st.relaxed.gpu", "ld.relaxed.gpu"},
                                           {"fence.sc.sys;\n", "st.relaxed.sys", "ld.relaxed.sys"},
                                           {"membar.gl;\n", "st.volatile", "ld.volatile"}}) {
    const auto seen = count_store_bufferings(fence, store, load, 20, false);
    ASSERT_TRUE(seen.ok()) << seen.error().to_string();
    EXPECT_EQ(*seen, 0u) << fence << store << " " << load;
  }
}

// Message passing: who has seen y = n has x >= n. And reads of one location never go back.
TEST(Running, MessagesArriveInOrder) {
  DeviceOptions options;
  options.threads = 2;
  const auto device = open("cpu", options);
  ASSERT_NE(device, nullptr);
  for (const auto& [write, read] :
       {std::pair{"st.global.u32 [%x], %n; st.release.gpu.global.u32 [%y], %n;",
                  "ld.acquire.gpu.global.u32 %a, [%y]; ld.global.u32 %b, [%x];"},
        {"st.relaxed.gpu.global.u32 [%x], %n; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%y], %n;",
         "ld.relaxed.gpu.global.u32 %a, [%y]; fence.acq_rel.gpu; ld.relaxed.gpu.global.u32 %b, [%x];"},
        {"st.global.u32 [%x], %n; red.release.gpu.global.max.u32 [%y], %n;",
         "atom.acquire.gpu.global.or.b32 %a, [%y], 0; ld.global.u32 %b, [%x];"}})
    for (int run = 0; run < 20; ++run) {
      const auto records = run_past_each_other(*device, running_text(write, read));
      ASSERT_TRUE(records.ok()) << records.error().to_string();
      for (uint32_t step = 1; step <= kSteps; ++step) {
        ASSERT_LE(records->at(1, step, 0), records->at(1, step, 1)) << write << " " << read << ", step " << step;
        ASSERT_GE(records->at(1, step, 0), records->at(1, std::max(step, 2u) - 1, 0)) << "step " << step;
      }
    }
}

}  // namespace
}  // namespace ww::litmus
