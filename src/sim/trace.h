// What chosen threads computed, one line an instruction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "device/device.h"
#include "sim/program.h"

namespace ww::sim {

class Trace {
 public:
  explicit Trace(TraceOptions options) : options_(std::move(options)) {}

  bool wanted() const { return options_.sink != nullptr; }
  // The lanes of a warp that are traced.
  uint32_t lanes_of(const Warp& warp) const;
  // `op` of `function` has run for the lanes in `mask`, which are still in the frame that it ran in if it has results
  // (register values as the register's width, predicates as 0 or 1). A store shows what it stored. If the block has
  // failed, `op` was the last and has no results.
  void record(Warp& warp, const DecodedFunction& function, const Op& op, uint32_t mask) const;

 private:
  TraceOptions options_;
};

}  // namespace ww::sim
