// Control flow that lanes take differently: nested loops with break and continue, early returns, a switch, a state
// machine.
#include "ww_guest.h"

// Steps of the Collatz sequence until 1 or the limit.
WW_KERNEL void collatz(const u32* in, u32* out, u32 count, u32 limit) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  u64 x = in[i];
  u32 steps = 0;
  while (x > 1) {
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    if (++steps == limit) {
      out[i] = ~0u;
      return;
    }
  }
  out[i] = steps;
}

// Counts primes below n by trial division: inner loops of different lengths, break and continue.
WW_KERNEL void nested_loops(const u32* in, u32* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u32 n = in[i] % 97;
  u32 primes = 0;
  for (u32 candidate = 2; candidate < n; ++candidate) {
    if (candidate % 5 == 0 && candidate != 5) continue;
    bool is_prime = true;
    for (u32 d = 2; d * d <= candidate; ++d) {
      if (candidate % d == 0) {
        is_prime = false;
        break;
      }
    }
    if (!is_prime) continue;
    ++primes;
    if (primes == 20) break;
  }
  out[i] = primes;
}

// A bytecode interpreter: lanes run different programs, some of them long.
WW_KERNEL void state_machine(const u8* programs, u32* out, u32 count, u32 length) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u8* program = programs + i * length;
  u32 accumulator = i;
  u32 counter = 0;
  u32 place = 0;
  for (u32 fuel = 0; fuel < 200 && place < length; ++fuel) {
    const u32 instruction = program[place++];
    switch (instruction & 7) {
      case 0:
        accumulator += instruction;
        break;
      case 1:
        accumulator = ww::rotate_left(accumulator, instruction >> 3);
        break;
      case 2:
        accumulator ^= accumulator >> 5;
        [[fallthrough]];
      case 3:
        accumulator *= 9;
        break;
      case 4:  // a loop: back by a few places, at most four times
        if (counter < 4) {
          ++counter;
          place -= ww::min(place, instruction >> 5);
        }
        break;
      case 5:
        if (accumulator & 1) place += 2;
        break;
      case 6:
        if ((accumulator & 0xff) == 0x42) {
          out[i] = accumulator;
          return;
        }
        break;
      default:
        counter = 0;
    }
  }
  out[i] = accumulator + counter;
}

// A barrier that every thread reaches, between parts of which only some threads run: warps of different lengths.
WW_KERNEL void divergent_barrier(const u32* in, u32* out) {
  __shared__ u32 turns[96];
  const u32 t = threadIdx.x;
  u32 x = in[blockIdx.x * blockDim.x + t];
  for (u32 round = 0; round < 3; ++round) {
    for (u32 k = 0; k < (x & 15); ++k) x = x * 1664525u + 1013904223u;
    turns[t] = x;
    __syncthreads();
    const u32 other = turns[(t + 37) % 96];
    if (other & 1) x += other;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = x;
}
