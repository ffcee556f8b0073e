// Every .target with the PTX version that NVIDIA's assembler wants for it, and one version less.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "ptx/parser.h"

namespace ww::ptx {
namespace {

constexpr const char* kVersions[] = {"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "2.0", "2.1", "2.2", "2.3", "3.0",
                                     "3.1", "3.2", "4.0", "4.1", "4.2", "4.3", "5.0", "6.0", "6.1", "6.2", "6.3",
                                     "6.4", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8",
                                     "8.0", "8.1", "8.2", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8", "9.0"};

// "" if a module of this version and target is taken, else the message.
std::string refusal(const std::string& version, const std::string& target) {
  const auto module = parse(".version " + version + "\n.target " + target + "\n.entry k() { ret; }\n", "m.ptx");
  return module.ok() ? "" : module.error().to_string();
}

TEST(Targets, NeedTheVersionThatTheAssemblerNeeds) {
  std::ifstream file(WARPWAVE_SOURCE_DIR "/tests/ptx/data/assembler_targets.txt");
  unsigned targets = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::string target, version;
    std::istringstream(line) >> target >> version;
    ++targets;
    EXPECT_EQ(refusal(version, target), "") << target;
    const auto* first = std::find(std::begin(kVersions), std::end(kVersions), version);
    ASSERT_NE(first, std::end(kVersions)) << version;
    if (first == std::begin(kVersions)) continue;
    EXPECT_NE(refusal(first[-1], target).find(".target " + target + " needs PTX " + version), std::string::npos)
        << first[-1] << ": " << refusal(first[-1], target);
  }
  EXPECT_EQ(targets, 43u);
}

TEST(Targets, ThatAreNoneAreRefused) {
  for (const char* target : {"sm_9", "sm_81", "sm_999", "sm_80a", "sm_90f"})
    EXPECT_NE(refusal("9.0", target).find("m.ptx:2:9: unknown .target"), std::string::npos) << refusal("9.0", target);
  for (const char* target : {"sm_90x", "sm_99999999999", "sm_"})
    EXPECT_NE(refusal("9.0", target).find("m.ptx:2:9: "), std::string::npos) << target << refusal("9.0", target);
}

}  // namespace
}  // namespace ww::ptx
