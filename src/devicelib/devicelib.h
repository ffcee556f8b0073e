// Lane-local semantics of PTX instructions: what one lane computes, as plain functions on scalars.
//
// Freestanding C++ (no library calls, no writable memory, no exceptions), mostly without branches, compiled natively
// for the interpreter and to LLVM bitcode for code generators, which inline it before vectorising. All results are
// determined bit by bit by IEEE 754 operations in rounding to nearest: the host must neither contract a*b+c nor flush
// subnormals.
// Compile to bitcode with -ffreestanding -O2 -fno-vectorize -fno-slp-vectorize -ffp-contract=off -fno-math-errno.
#pragma once

#include <cstdint>

#define WW_DEVICELIB_TYPES \
  using f32 = float;       \
  using f64 = double;      \
  using u8 = uint8_t;      \
  using s8 = int8_t;       \
  using u16 = uint16_t;    \
  using s16 = int16_t;     \
  using u32 = uint32_t;    \
  using s32 = int32_t;     \
  using u64 = uint64_t;    \
  using s64 = int64_t;

namespace ww::devicelib {
WW_DEVICELIB_TYPES
}

// extern "C" functions of these names cannot clash: they all begin with ww_.
namespace ww::devicelib {
extern "C" {
#define WW_FUNCTION(name, result, arguments) result ww_##name arguments;
#include "devicelib/functions.def"
#undef WW_FUNCTION
}
}  // namespace ww::devicelib
