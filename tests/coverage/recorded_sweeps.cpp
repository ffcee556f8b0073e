#include "coverage/recorded_sweeps.h"

#include <fstream>
#include <sstream>

namespace ww::coverage {

std::map<std::string, std::vector<uint64_t>> recorded_sweeps() {
  std::map<std::string, std::vector<uint64_t>> sweeps;
  std::ifstream file(WARPWAVE_SOURCE_DIR "/tests/coverage/h200_all_inputs.txt");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) sweeps[line.substr(0, colon)].push_back(std::stoull(word, nullptr, 16));
  }
  return sweeps;
}

}  // namespace ww::coverage
