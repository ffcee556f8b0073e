// The rows of the tables beside this file. README.md describes their members.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ww::bad_input {

struct Case {
  std::string table, name;
  std::vector<nlohmann::json> setup;
  std::vector<std::string> run;
  int exit = 0;
  std::vector<std::string> words, needs, keeps;
  bool obeys_permissions = false;
  bool no_fix = false;
  uint64_t disk_bytes = 0;     // 0: no small disk
  std::string interrupt_when;  // a file; empty: no ctrl-C
};

// All rows of all *.json tables in a folder. A row that doesn't fit the description ends the program with its name.
std::vector<Case> read_cases(const std::string& folder);

}  // namespace ww::bad_input
