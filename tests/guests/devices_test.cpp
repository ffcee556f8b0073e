// Each golden case on sim and on cpu at every host level: the recorded bits, or the documented bound.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <ostream>

#include "device/host.h"
#include "device/registry.h"
#include "golden/golden_file.h"

namespace ww::golden {

// GoogleTest prints parameters; the case's name says it all.
void PrintTo(const GoldenCase& golden, std::ostream* out) {
  *out << golden.name;
}

namespace {

struct Target {
  const char* name;
  const char* device;
  HostIsa isa;
  unsigned level;  // of the host that it needs
};

void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

constexpr Target kTargets[] = {
    {"sim", "sim", HostIsa::kNative, 1},
    {"cpu_v2", "cpu", HostIsa::kV2, 2},
    {"cpu_v3", "cpu", HostIsa::kV3, 3},
    {"cpu_v4", "cpu", HostIsa::kV4, 4},
};

const PtxFolders kFolders{WARPWAVE_BINARY_DIR "/guest", WARPWAVE_SOURCE_DIR "/tests/data"};

// What is kept between cases; given back while the back ends' libraries are still there, modules first.
struct Kept {
  std::map<std::string, Result<std::unique_ptr<Device>>> devices;
  std::map<std::string, std::unique_ptr<DeviceModule>> modules;
};
Kept& kept() {
  static Kept kept;
  return kept;
}

// Opened once: a back end's library is large. Null with the reason if it can't be.
Device* device_of(const Target& target, std::string& reason) {
  auto& opened = kept().devices;
  auto found = opened.find(target.name);
  if (found == opened.end()) {
    DeviceOptions options;
    options.host_isa = target.isa;
    found = opened.emplace(target.name, open_device(target.device, options)).first;
  }
  if (found->second.ok()) return found->second->get();
  reason = found->second.error().to_string();
  return nullptr;
}

// The renderer's module, loaded once a device: compiling it takes longer than all other cases, and it keeps no state.
Result<Outputs> run_shared(const Target& target, Device& device, const GoldenCase& golden, const std::string& ptx) {
  std::unique_ptr<DeviceModule>& module = kept().modules[target.name + (" " + golden.module)];
  if (module == nullptr) {
    WW_ASSIGN(module, device.load_module(ptx, golden.module + ".ptx"));
  }
  return run_case(device, *module, golden);
}

class Guests : public ::testing::TestWithParam<std::tuple<Target, GoldenCase>> {
 public:
  static void TearDownTestSuite() {
    kept().modules.clear();
    kept().devices.clear();
  }
};

TEST_P(Guests, GiveTheRecordedBits) {
  const auto& [target, golden] = GetParam();
  if (host_level() < target.level)
    GTEST_SKIP() << "this processor is x86-64-v" << host_level() << ", the code needs v" << target.level;
  std::string reason;
  Device* device = device_of(target, reason);
  if (device == nullptr) GTEST_SKIP() << reason;

  if (!std::filesystem::exists(WARPWAVE_SOURCE_DIR "/tests/golden/manifest.json"))
    GTEST_SKIP() << "nothing is recorded in this tree";
  const std::string path = WARPWAVE_SOURCE_DIR "/tests/golden/" + golden.family + "/" + golden.name + ".bin";
  const auto recorded = read_golden(path);
  ASSERT_TRUE(recorded.ok()) << recorded.error().to_string();
  const auto ptx = read_ptx(kFolders, golden.module);
  ASSERT_TRUE(ptx.ok()) << ptx.error().to_string();
  const auto outputs =
      golden.family == "scene" ? run_shared(target, *device, golden, *ptx) : run_case(*device, golden, *ptx);
  ASSERT_TRUE(outputs.ok()) << outputs.error().to_string();

  ASSERT_EQ(outputs->size(), recorded->size());
  size_t index = 0;
  for (const Resource& resource : golden.resources) {
    if (!resource.is_output) continue;
    EXPECT_EQ(first_difference(resource.comparison, (*outputs)[index], (*recorded)[index]), "") << "output " << index;
    ++index;
  }
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Target, GoldenCase>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(All, Guests,
                         ::testing::Combine(::testing::ValuesIn(kTargets), ::testing::ValuesIn(all_cases())), name_of);

}  // namespace
}  // namespace ww::golden
