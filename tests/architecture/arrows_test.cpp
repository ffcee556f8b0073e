// Enforces the drawing in docs/architecture.md: a folder of src/ includes from, and links, only what its line names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

using Arrows = std::map<std::string, std::set<std::string>>;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Arrows parse_arrows(const std::string& document) {
  Arrows arrows;
  std::istringstream lines(document);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```arrows";
      continue;
    }
    if (!inside) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    auto& below = arrows[line.substr(0, colon)];
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) below.insert(word);
  }
  return arrows;
}

// The arrows of one file that the drawing does not have: "cpu -> sim".
std::vector<std::string> violations(const std::string& folder, const std::string& text, const std::regex& pattern,
                                    const Arrows& arrows) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    const std::string target = (*it)[1];
    if (target != folder && arrows.contains(target) && !arrows.at(folder).contains(target))
      found.push_back(folder + " -> " + target);
  }
  return found;
}

const std::regex kInclude(R"re(#include "([a-z]+)/)re");
const std::regex kLink(R"re(\bww_([a-z]+))re");
const fs::path kRoot = WARPWAVE_SOURCE_DIR;

TEST(Arrows, DrawingIsAcyclic) {
  const Arrows arrows = parse_arrows(read(kRoot / "docs/architecture.md"));
  ASSERT_GE(arrows.size(), 10u);
  std::set<std::string> placed;
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto& [folder, below] : arrows)
      if (!placed.contains(folder) && std::includes(placed.begin(), placed.end(), below.begin(), below.end()))
        progress = placed.insert(folder).second || progress;
  }
  EXPECT_EQ(placed.size(), arrows.size()) << "the drawing has a cycle, or names a folder that has no line";
}

TEST(Arrows, SourcesFollowTheDrawing) {
  const Arrows arrows = parse_arrows(read(kRoot / "docs/architecture.md"));
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    const fs::path& path = entry.path();
    const std::string folder = fs::relative(path, kRoot / "src").begin()->string();
    const bool is_cmake = path.filename() == "CMakeLists.txt";
    if (!entry.is_regular_file() || folder == "CMakeLists.txt") continue;
    ASSERT_TRUE(arrows.contains(folder)) << "src/" << folder << " has no line in docs/architecture.md";
    ++files;
    for (const std::string& arrow : violations(folder, read(path), is_cmake ? kLink : kInclude, arrows))
      ADD_FAILURE() << path << ": arrow " << arrow << " is not in docs/architecture.md";
  }
  EXPECT_GT(files, 10u);
}

TEST(Arrows, AForbiddenArrowIsSeen) {
  const Arrows arrows = parse_arrows("```arrows\nbase:\nptx: base\n```\n");
  EXPECT_EQ(violations("base", "#include \"ptx/module.h\"\n", kInclude, arrows),
            std::vector<std::string>{"base -> ptx"});
  EXPECT_TRUE(violations("ptx", "#include \"base/error.h\"\n", kInclude, arrows).empty());
  EXPECT_EQ(violations("base", "warpwave_library(base DEPS ww_ptx)", kLink, arrows).size(), 1u);
}

}  // namespace
