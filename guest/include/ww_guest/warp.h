// What crosses lanes: barriers, shuffles, votes, and the orders they imply.
#pragma once
#include "ww_guest/core.h"

// __syncthreads() is the compiler's own: all threads of the block arrive before any goes on (bar.sync 0).
// The same for the lanes named in mask (bar.warp.sync).
WW_DEVICE void __syncwarp(u32 mask = ww::kFullMask) {
  __nvvm_bar_warp_sync(mask);
}
WW_DEVICE void __threadfence_block() {
  __nvvm_membar_cta();
}
WW_DEVICE void __threadfence() {
  __nvvm_membar_gl();
}

WW_DEVICE u32 __ballot_sync(u32 mask, bool predicate) {
  return u32(__nvvm_vote_ballot_sync(mask, predicate));
}
WW_DEVICE bool __any_sync(u32 mask, bool predicate) {
  return __nvvm_vote_any_sync(mask, predicate);
}
WW_DEVICE bool __all_sync(u32 mask, bool predicate) {
  return __nvvm_vote_all_sync(mask, predicate);
}
WW_DEVICE u32 __activemask() {
  return u32(__nvvm_activemask());
}
// Lanes of mask whose value equals this lane's.
WW_DEVICE u32 __match_any_sync(u32 mask, u32 value) {
  return u32(__nvvm_match_any_sync_i32(mask, value));
}

namespace ww::detail {
// The c operand of shfl.sync (PTX manual, "shfl.sync"): segment mask in bits 8..12, clamp in bits 0..4.
WW_DEVICE u32 shfl_c(u32 width, u32 clamp) {
  return ((32u - width) << 8) | clamp;
}
}  // namespace ww::detail

// Shuffles of 32-bit values within segments of `width` lanes (a power of two).
WW_DEVICE s32 __shfl_sync(u32 mask, s32 value, u32 lane, u32 width = 32) {
  return __nvvm_shfl_sync_idx_i32(mask, value, s32(lane), s32(ww::detail::shfl_c(width, 0x1f)));
}
WW_DEVICE s32 __shfl_up_sync(u32 mask, s32 value, u32 delta, u32 width = 32) {
  return __nvvm_shfl_sync_up_i32(mask, value, s32(delta), s32(ww::detail::shfl_c(width, 0)));
}
WW_DEVICE s32 __shfl_down_sync(u32 mask, s32 value, u32 delta, u32 width = 32) {
  return __nvvm_shfl_sync_down_i32(mask, value, s32(delta), s32(ww::detail::shfl_c(width, 0x1f)));
}
WW_DEVICE s32 __shfl_xor_sync(u32 mask, s32 value, u32 lanes, u32 width = 32) {
  return __nvvm_shfl_sync_bfly_i32(mask, value, s32(lanes), s32(ww::detail::shfl_c(width, 0x1f)));
}
#define WW_SHUFFLE_OF(T, name)                                         \
  WW_DEVICE T name(u32 mask, T value, u32 lane, u32 width = 32) {      \
    return ww::bits<T>(name(mask, ww::bits<s32>(value), lane, width)); \
  }
#define WW_SHUFFLES_OF(T)            \
  WW_SHUFFLE_OF(T, __shfl_sync)      \
  WW_SHUFFLE_OF(T, __shfl_up_sync)   \
  WW_SHUFFLE_OF(T, __shfl_down_sync) \
  WW_SHUFFLE_OF(T, __shfl_xor_sync)
WW_SHUFFLES_OF(u32)
WW_SHUFFLES_OF(float)
#undef WW_SHUFFLES_OF
#undef WW_SHUFFLE_OF
