// Cases whose PTX NVIDIA's compiler wrote from our own sources (tests/data/nvcc/make.sh).
#include "golden/families.h"
#include "golden/random.h"

namespace ww::golden {

std::vector<GoldenCase> nvcc_cases() {
  return {};
}

}  // namespace ww::golden
