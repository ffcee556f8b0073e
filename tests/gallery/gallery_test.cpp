// The whole way: `warpwave upscale` on the sample, exact, on the cpu, by every method. All pictures are, to the bit,
// those that the same command made on an NVIDIA H200 (h200.txt, record.sh).
#include <gtest/gtest.h>

#include <fstream>

#include "gallery/picture_hashes.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace ww::testing {
namespace {

TEST(Gallery, EveryPictureOfEveryMethodIsTheH200s) {
  std::map<std::string, std::string> recorded;
  std::ifstream file(WARPWAVE_SOURCE_DIR "/tests/gallery/h200.txt");
  for (std::string hash, name; file >> hash >> name;) recorded[name] = hash;
  ASSERT_EQ(recorded.size(), 48u);  // four methods, twelve frames

  const TemporaryFolder folder;
  const Outcome outcome = run_command(
      folder.path(), {"upscale", WARPWAVE_SOURCE_DIR "/samples/gallery", "-o", "pictures", "--device", "cpu",
                      "--numerics", "exact", "--method", "bilinear,lanczos,taau,network", "--quiet"});
  ASSERT_EQ(outcome.exit, 0) << outcome.errors;
  const auto made = picture_hashes(folder.path() + "/pictures");
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  for (const auto& [name, hash] : recorded) {
    ASSERT_TRUE(made->contains(name)) << name;
    EXPECT_EQ(made->at(name), hash) << name;
  }
}

}  // namespace
}  // namespace ww::testing
