// Every form that was recorded on an H200 gives the same bits on sim, and on cpu every third one, and all of textures
// and surfaces, but for those that known_differences.txt and image_differences.txt list; one that is listed and gives
// them has to leave the list.
#include "coverage/coverage.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "coverage/form_runner.h"
#include "device/registry.h"

namespace ww::coverage {
namespace {

const std::string kFolder = WARPWAVE_SOURCE_DIR "/tests/coverage/";

struct Part {
  std::string device;
  std::string records, differences;
  size_t least_records;
  unsigned shards;  // one of so many equal parts of the table
};

class Coverage : public testing::TestWithParam<Part> {};

TEST_P(Coverage, GivesTheBitsOfTheH200) {
  auto device = open_device(GetParam().device, {});
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  auto hashes = read_record(kFolder + GetParam().records);
  ASSERT_GT(hashes.size(), GetParam().least_records);
  const auto known = read_reasons(kFolder + GetParam().differences, GetParam().device);
  for (const auto& [name, reason] : known) EXPECT_TRUE(hashes.contains(name)) << name << " is listed but not recorded";
  std::vector<FormKernel> forms;
  for (FormKernel& form : form_kernels(0, GetParam().shards))
    if (hashes.contains(form.form.name)) forms.push_back(std::move(form));
  if (GetParam().shards == 1) {
    EXPECT_EQ(forms.size(), hashes.size()) << "forms were recorded that the table no longer has";
  }
  run_forms(**device, forms, [&](const FormKernel& form, Result<Results> results) {
    const std::string& name = form.form.name;
    const bool equal = results.ok() && hash_of(*results) == hashes[name];
    if (known.contains(name))
      EXPECT_FALSE(equal) << name << " gives the H200's bits: take it out of known_differences.txt";
    else
      EXPECT_TRUE(equal) << name << (results.ok() ? "" : ": " + results.error().to_string());
  });
}

// What has no record has a reason, and nothing else has.
TEST(CoverageRecord, LacksWhatIsListedAsNotRecorded) {
  const Known known = Known::read();
  for (const auto& [name, reason] : known.not_recorded) EXPECT_FALSE(known.record.contains(name)) << name;
}

TEST(CoveragePage, IsOfThisRecord) {
  std::ifstream file(WARPWAVE_SOURCE_DIR "/docs/coverage.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(missing_row(page.str(), form_states(Known::read(), {}, {})), "")
      << "make it anew: tools/coverage --document docs/coverage.md";
}

INSTANTIATE_TEST_SUITE_P(Devices, Coverage,
                         testing::Values(Part{"sim", "h200.txt", "known_differences.txt", 17000, 1},
                                         Part{"sim", "h200_images.txt", "image_differences.txt", 1100, 1},
                                         Part{"cpu", "h200.txt", "known_differences.txt", 17000, 3},
                                         Part{"cpu", "h200_images.txt", "image_differences.txt", 1100, 1}),
                         [](const auto& part) {
                           return part.param.device + (part.param.records == "h200.txt" ? "" : "_images");
                         });

}  // namespace
}  // namespace ww::coverage
