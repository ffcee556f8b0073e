// mbarrier objects: what an operation makes of the object's 64 bits. The manual leaves their layout open; here, from
// the lowest bit: 20 bits arrivals that a phase expects, 20 that are pending, the phase, 1 for an object that is valid,
// 22 bytes outstanding (with a sign). (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".)
#include "devicelib/devicelib.h"

namespace ww::devicelib {
namespace {

constexpr u32 kCountBits = 20;
constexpr u64 kCount = (u64(1) << kCountBits) - 1;
constexpr u32 kPhase = 40, kValid = 41, kBytes = 42;

u64 expected_of(u64 object) {
  return object & kCount;
}
u64 pending_of(u64 object) {
  return object >> kCountBits & kCount;
}

// A phase with nothing outstanding is complete: the next one begins.
u64 advance(u64 object) {
  if (pending_of(object) != 0 || object >> kBytes != 0) return object;
  return (object ^ u64(1) << kPhase) | expected_of(object) << kCountBits;
}

}  // namespace

extern "C" {

u64 ww_mbarrier_object(u32 count) {
  const u64 arrivals = count & kCount;
  return arrivals | arrivals << kCountBits | u64(1) << kValid;
}

bool ww_mbarrier_is_valid(u64 object) {
  return (object >> kValid & 1) != 0;
}

u64 ww_mbarrier_after_arrival(u64 object, u32 count) {
  return advance(object - (u64(count) << kCountBits));
}

u64 ww_mbarrier_after_drop(u64 object, u32 count) {
  return advance(object - (u64(count) << kCountBits) - count);
}

u64 ww_mbarrier_after_expect(u64 object, u32 bytes) {
  return object + (u64(bytes) << kBytes);
}

u64 ww_mbarrier_after_complete(u64 object, u32 bytes) {
  return advance(object - (u64(bytes) << kBytes));
}

u64 ww_mbarrier_after_expect_arrival(u64 object, u32 bytes) {
  return ww_mbarrier_after_arrival(ww_mbarrier_after_expect(object, bytes), 1);
}

u64 ww_mbarrier_after_expect_drop(u64 object, u32 bytes) {
  return ww_mbarrier_after_drop(ww_mbarrier_after_expect(object, bytes), 1);
}

u64 ww_mbarrier_after_raise(u64 object) {
  return object + (u64(1) << kCountBits);
}

bool ww_mbarrier_has_left_phase(u64 object, u64 state) {
  return ((object ^ state) >> kPhase & 1) != 0;
}

bool ww_mbarrier_has_left_parity(u64 object, u32 parity) {
  return (object >> kPhase & 1) != (parity & 1);
}

u32 ww_mbarrier_pending(u64 state) {
  return u32(pending_of(state));
}

}  // extern "C"

}  // namespace ww::devicelib
