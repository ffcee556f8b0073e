#include "bad_input/case_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace ww::bad_input {
namespace {

Case read_case(const std::string& table, const nlohmann::json& row) {
  static const std::set<std::string> known = {
      "name", "setup", "run", "exit", "words", "needs", "permissions", "disk", "interrupt_when", "no_fix", "keeps"};
  for (const auto& [key, value] : row.items())
    if (!known.contains(key)) throw std::runtime_error("unknown member " + key);
  Case c;
  c.table = table;
  c.name = row.at("name");
  c.setup = row.value("setup", std::vector<nlohmann::json>());
  c.run = row.at("run").get<std::vector<std::string>>();
  c.exit = row.at("exit");
  c.words = row.at("words").get<std::vector<std::string>>();
  c.needs = row.value("needs", std::vector<std::string>());
  c.keeps = row.value("keeps", std::vector<std::string>());
  c.obeys_permissions = row.value("permissions", "") == "obeyed";
  c.no_fix = row.value("no_fix", false);
  c.disk_bytes = row.value("disk", uint64_t{0});
  c.interrupt_when = row.value("interrupt_when", "");
  return c;
}

}  // namespace

std::vector<Case> read_cases(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<Case> cases;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    std::string name = "?";
    try {
      std::ifstream file(path);
      for (const nlohmann::json& row : nlohmann::json::parse(file)) {
        name = row.value("name", "?");
        cases.push_back(read_case(std::filesystem::path(path).stem().string(), row));
        if (!names.insert(cases.back().table + "." + name).second) throw std::runtime_error("name is used twice");
      }
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "%s: case %s: %s\n", path.c_str(), name.c_str(), problem.what());
      std::exit(1);
    }
  }
  return cases;
}

}  // namespace ww::bad_input
