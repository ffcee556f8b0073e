// What `compare` says of pictures that have an SSIM (colour) and of those that have none (depth, motion).
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.h"
#include "support/temporary_folder.h"

namespace ww::testing {
namespace {

TEST(Compare, PicturesWithoutSsimHaveNoPartInTheMean) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/a");
  for (const char* name : {"color_0000.exr", "depth_0000.exr", "motion_0000.exr"})
    std::filesystem::copy_file(WARPWAVE_SOURCE_DIR "/samples/gallery/" + std::string(name),
                               folder.path() + "/a/" + name);
  const Outcome outcome = run_command(folder.path(), {"compare", "a", "a"});
  EXPECT_EQ(outcome.exit, 0) << outcome.errors;
  EXPECT_EQ(outcome.output.find("nan"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("depth_0000.exr: PSNR infinite, SSIM -, "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("all 3: PSNR infinite, SSIM 1.0000, "), std::string::npos) << outcome.output;
  ASSERT_TRUE(outcome.report.is_object());
  EXPECT_EQ(outcome.report["ssim"], 1.0);
  EXPECT_TRUE(outcome.report["files"][1]["ssim"].is_null());
}

}  // namespace
}  // namespace ww::testing
