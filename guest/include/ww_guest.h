// Everything a guest program may use: a small CUDA C++ without NVIDIA's headers or libraries.
//
// Keywords and built-in names that CUDA C++ has keep their spelling (__global__, threadIdx, __syncthreads, __shfl_sync,
// atomicAdd). Everything else is in namespace ww. Compiled by clang with -nostdinc: no other header is available.
#pragma once
#include "ww_guest/atomic.h"
#include "ww_guest/core.h"
#include "ww_guest/half.h"
#include "ww_guest/math.h"
#include "ww_guest/mma.h"
#include "ww_guest/texture.h"
#include "ww_guest/warp.h"
