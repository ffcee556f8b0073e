// The list of golden cases: one function a family.
#include <utility>

#include "golden/families.h"

namespace ww::golden {

const std::vector<GoldenCase>& all_cases() {
  static const std::vector<GoldenCase> cases = [] {
    std::vector<GoldenCase> all;
    for (const auto family : {arithmetic_cases, cooperation_cases, control_cases, algorithm_cases, matrix_cases,
                              image_cases, nvcc_cases, scene_cases})
      for (GoldenCase& golden : family()) all.push_back(std::move(golden));
    return all;
  }();
  return cases;
}

}  // namespace ww::golden
