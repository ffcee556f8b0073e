// Litmus tests of the PTX memory model: a few threads with a few instructions each, run very often; how often each
// outcome appeared, and whether one did that the model forbids.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace ww::litmus {

// Registers r0-r3 of all threads together, then the final values of x, y and z.
struct Outcome {
  uint32_t r[4] = {};
  uint32_t x = 0, y = 0, z = 0;
  auto operator<=>(const Outcome&) const = default;
};

struct Test {
  std::string name;
  // A thread's instructions, separated by `;`, over locations [x] [y] [z] (32 bits, 0 at first) and registers r0-r3, of
  // which each belongs to one thread. `.SCOPE` stands for the scope; the place says which space the locations are in.
  std::vector<std::string> threads;
  // What the model forbids, and by which of its axioms; null: nothing, outcomes are only counted.
  std::function<bool(const Outcome&)> forbidden;
  std::string reason;
};

// Where a test's threads are, and its locations.
struct Place {
  const char* name;
  bool is_grid;  // each thread is in a block of its own; otherwise all are in one block
  uint32_t
      lanes;  // instances at a time, at addresses that differ by lane: 32, each thread a lane of its own warp; or 1
  bool is_shared;  // locations are in .shared; otherwise in .global
};
std::span<const Place> all_places();

using Histogram = std::map<Outcome, uint64_t>;

// The kernel: `rounds` rounds in each of which the threads come together, wait for a moment that differs by thread and
// round, and run the test. Parameters: instances' memory, results, the counter of arrivals, rounds, a seed.
std::string ptx_text(const Test& test, const Place& place, const std::string& scope);

// Launches until `count` instances have run.
Result<Histogram> run(Device& device, const Test& test, const Place& place, const std::string& scope, uint64_t count,
                      uint64_t seed);

// "r0=1 r1=0 x=1: 17", an outcome a line.
std::string describe(const Outcome& outcome);

const std::vector<Test>& all_tests();

}  // namespace ww::litmus
