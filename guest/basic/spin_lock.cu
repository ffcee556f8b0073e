// Lanes that wait for lanes: legal since Volta, where every lane makes progress.
#include "ww_guest.h"

// Each thread takes the lock once, in a loop that lets the winner work before the others try again.
WW_KERNEL void spin_lock_polite(u32* lock, volatile u32* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0u, 1u) == 0) {
      __threadfence();
      *counter = *counter + 1;
      __threadfence();
      atomicExch(lock, 0u);
      done = true;
    }
  }
}

// The winner leaves the loop while lanes of its own warp still spin in it.
WW_KERNEL void spin_lock_hard(u32* lock, volatile u32* counter) {
  while (atomicCAS(lock, 0u, 1u) != 0) {
  }
  __threadfence();
  *counter = *counter + 1;
  __threadfence();
  atomicExch(lock, 0u);
}

// A relay: lane n waits for the flag of lane n + 1 of its warp, and the last one starts.
WW_KERNEL void spin_relay(volatile u32* flags, u32* out) {
  const u32 t = threadIdx.x;
  if (t % 32 != 31) {
    while (flags[t + 1] == 0) {
    }
    out[t] = flags[t + 1] + 1;
  } else {
    out[t] = 1;
  }
  __threadfence();
  flags[t] = out[t];
}
