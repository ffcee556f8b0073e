// The matrix steps for each instruction set of this kind of processor: one source (mma.cpp), the same results.
#pragma once

#include "devicelib/mma_model.h"
#include "devicelib/mma_shape.h"

namespace ww::devicelib {

struct MmaFunctions {
  void (*multiply_32)(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d,
                      const u32* metadata);
  void (*multiply_64)(const MmaShape& shape, const u64* a, const u64* b, const u64* c, u64* d);
  u32 (*dot)(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, int count, u32 c);
};

namespace base {
extern const MmaFunctions kMmaFunctions;
}
namespace v3 {
extern const MmaFunctions kMmaFunctions;
}
namespace v4 {
extern const MmaFunctions kMmaFunctions;
}

}  // namespace ww::devicelib
