// libcuda.so.1, opened once a process: its entry points, and its failures as errors.
#pragma once

#include <string>

#include "base/result.h"
#include "nvidia/driver_api.h"

namespace ww::nvidia {

struct Driver {
#define WW_CU_MEMBER(member, symbol, ...) CuResult (*member)(__VA_ARGS__) = nullptr;
  WW_CU_FUNCTIONS(WW_CU_MEMBER)
#undef WW_CU_MEMBER

  int version = 0;  // 13000 for CUDA 13.0

  // "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
  std::string describe(CuResult result) const;

  // Success, or a runtime error "<what> failed: <describe>".
  Status check(CuResult result, const std::string& what) const;
};

// The driver, initialised. Error (kRuntime) with a remedy: no library, a library that lacks an entry point, or cuInit
// failed.
Result<const Driver*> driver();

}  // namespace ww::nvidia
