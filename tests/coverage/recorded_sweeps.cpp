#include "coverage/recorded_sweeps.h"

#include <cstdio>
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

std::string line_of(const RecordedError& error) {
  char text[200];
  std::snprintf(text, sizeof text, "%s %s %s%.9g..%.9g %.6g %08x %.6g", error.form.c_str(),
                std::string(name_of(error.bound.unit)).c_str(), error.bound.outside ? "^" : "", error.bound.low,
                error.bound.high, error.largest, error.input, error.bound.bound);
  return text;
}

std::vector<RecordedError> recorded_errors() {
  std::vector<RecordedError> errors;
  std::ifstream file(WARPWAVE_SOURCE_DIR "/tests/coverage/h200_approximate.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string unit, range, largest, input, bound;
    RecordedError error;
    words >> error.form >> unit >> range >> largest >> input >> bound;
    for (const ErrorUnit each : {ErrorUnit::kUlp, ErrorUnit::kAbsolute, ErrorUnit::kRelative})
      if (unit == name_of(each)) error.bound.unit = each;
    error.bound.outside = range.starts_with('^');
    if (error.bound.outside) range.erase(0, 1);
    error.bound.low = std::stod(range);
    error.bound.high = std::stod(range.substr(range.find("..") + 2));
    error.bound.bound = std::stod(bound);
    error.largest = std::stod(largest);
    error.input = static_cast<uint32_t>(std::stoul(input, nullptr, 16));
    errors.push_back(error);
  }
  return errors;
}

}  // namespace ww::coverage
