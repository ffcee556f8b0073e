// Tiles of every form of mma give the bits of an H200 (h200.txt) on sim and cpu, and by the steps of each instruction
// set: here the first of the recorded batches; `tile-probe check` does all of them. And the operands that a device
// makes are those that the host makes.
#include <gtest/gtest.h>

#include "device/registry.h"
#include "tiles/tile_record.h"
#include "tiles/tile_runner.h"

namespace ww::tiles {
namespace {

const std::string kRecord = WARPWAVE_SOURCE_DIR "/tests/tiles/h200.txt";

class Tiles : public testing::TestWithParam<std::string> {};

TEST_P(Tiles, AreTheH200s) {
  auto device = open_device(GetParam(), {});
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto records = read_records(kRecord);
  ASSERT_TRUE(records.ok()) << records.error().to_string();
  const std::vector<TileForm> forms = tile_forms();
  EXPECT_EQ(records->size(), forms.size());
  for (const TileForm& form : forms) {
    const auto record = records->find(form.name);
    ASSERT_NE(record, records->end()) << form.name << " is not recorded";
    ASSERT_EQ(record->second.groups.size(), kGroups) << form.name;
    auto runner = TileRunner::create(**device, form);
    ASSERT_TRUE(runner.ok()) << form.name << ": " << runner.error().to_string();
    const auto hash = runner->batch_hash(0);
    ASSERT_TRUE(hash.ok()) << form.name << ": " << hash.error().to_string();
    EXPECT_EQ(*hash, record->second.batches[0]) << form.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Tiles, testing::Values("sim", "cpu"),
                         [](const auto& device) { return device.param; });

// The steps that `sim` and `cpu` call, compiled for each instruction set that this processor has.
class TilesOfLevel : public testing::TestWithParam<std::pair<const char*, HostIsa>> {};

TEST_P(TilesOfLevel, AreTheH200s) {
  const auto records = read_records(kRecord);
  ASSERT_TRUE(records.ok()) << records.error().to_string();
  for (const TileForm& form : tile_forms()) {
    const auto record = records->find(form.name);
    ASSERT_NE(record, records->end()) << form.name << " is not recorded";
    const auto hashes = model_hashes(form, 0, 1, GetParam().second);
    if (!hashes.ok() && hashes.error().kind == ErrorKind::kUnsupported) GTEST_SKIP() << hashes.error().to_string();
    ASSERT_TRUE(hashes.ok()) << hashes.error().to_string();
    EXPECT_EQ(hashes->front(), record->second.batches[0]) << form.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, TilesOfLevel,
                         testing::Values(std::pair{"v2", HostIsa::kV2}, std::pair{"v3", HostIsa::kV3},
                                         std::pair{"v4", HostIsa::kV4}),
                         [](const auto& level) { return std::string(level.param.first); });

// One form of each kind of element, of sparse ones and of those with several selectors.
TEST(TileOperands, AreTheSameOnHostAndDevice) {
  auto device = open_device("sim", {});
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  for (const char* name :
       {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16",
        "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"}) {
    for (const TileForm& form : tile_forms()) {
      if (form.name != name) continue;
      auto module = (*device)->load_module(hash_kernel(form), form.name);
      ASSERT_TRUE(module.ok()) << module.error().to_string();
      const auto made = hash_batches(**device, **module, 1, 1);
      ASSERT_TRUE(made.ok()) << made.error().to_string();
      auto runner = TileRunner::create(**device, form);
      ASSERT_TRUE(runner.ok()) << runner.error().to_string();
      const auto hash = runner->batch_hash(1);
      ASSERT_TRUE(hash.ok()) << hash.error().to_string();
      EXPECT_EQ(made->at(0), *hash) << name;
    }
  }
}

}  // namespace
}  // namespace ww::tiles
