// Block-wide barriers: what an Op of one carries in `detail`.
#pragma once

#include <cstdint>

#include "sim/program.h"

namespace ww::sim {

// The number of the barrier behind barrier.cluster.wait.
constexpr uint32_t kClusterBarrier = 16;

// A bar or barrier instruction of the block; not bar.warp, nor the half of barrier.cluster that does nothing.
bool is_block_barrier(const Op& op);

enum class BarrierKind : uint32_t { kSync, kArrive, kReducePopc, kReduceAnd, kReduceOr };

}  // namespace ww::sim
