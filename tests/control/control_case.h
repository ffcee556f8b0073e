// Small kernels of control flow, waiting and calls, each with what it must give.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ww::control {

// A kernel `k` over `out`, zeroed 32-bit words. Its text is `functions`, then an entry with `body` behind this prelude:
// predicates %p0-15, %r0-47 (b32), %d0-23 (b64), %t = tid.x, %lane, %b = ctaid.x, %n = ntid.x, %g = %b * %n + %t,
// %out = the buffer, %mine = the address of out[%g]. The body need not end with a ret.
struct ControlCase {
  std::string name;
  unsigned grid = 1, block = 32;
  unsigned words = 0;  // of `out`
  std::string functions, body;
  // What out[i] must be, by reasoning or by plain C++.
  std::function<uint32_t(uint32_t i)> expected;
  bool cooperative = false;  // launched as a cooperative grid
};

// The module's text.
std::string ptx_text(const ControlCase& control);
// What the launch must leave in `out`.
std::vector<uint32_t> expected_words(const ControlCase& control);

std::vector<ControlCase> divergence_cases();
std::vector<ControlCase> call_cases();
std::vector<ControlCase> warp_cases();
std::vector<ControlCase> barrier_cases();
std::vector<ControlCase> mbarrier_cases();
std::vector<ControlCase> waiting_cases();
std::vector<ControlCase> grid_cases();
std::vector<ControlCase> all_cases();

}  // namespace ww::control
