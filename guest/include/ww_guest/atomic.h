// Atomic operations on global, shared or generic memory: relaxed order, device scope, as in CUDA C++.
#pragma once
#include "ww_guest/core.h"

#define WW_ATOMIC(name, builtin)                                             \
  template <class T>                                                         \
  WW_DEVICE T name(T* address, T value) {                                    \
    return builtin(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); \
  }
WW_ATOMIC(atomicAdd, __scoped_atomic_fetch_add)
WW_ATOMIC(atomicSub, __scoped_atomic_fetch_sub)
WW_ATOMIC(atomicAnd, __scoped_atomic_fetch_and)
WW_ATOMIC(atomicOr, __scoped_atomic_fetch_or)
WW_ATOMIC(atomicXor, __scoped_atomic_fetch_xor)
WW_ATOMIC(atomicMin, __scoped_atomic_fetch_min)
WW_ATOMIC(atomicMax, __scoped_atomic_fetch_max)
WW_ATOMIC(atomicExch, __scoped_atomic_exchange_n)
#undef WW_ATOMIC

// Stores value if *address equals expected; returns what was there.
template <class T>
WW_DEVICE T atomicCAS(T* address, T expected, T value) {
  __scoped_atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                     __MEMORY_SCOPE_DEVICE);
  return expected;
}
