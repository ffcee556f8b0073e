// Block-wide barriers: what an Op of one carries in `detail`.
#pragma once

#include <cstdint>

#include "sim/program.h"

namespace ww::sim {

// A bar or barrier instruction of the block; not bar.warp, nor barrier.cluster.
bool is_block_barrier(const Op& op);

enum class BarrierKind : uint32_t { kSync, kArrive, kReducePopc, kReduceAnd, kReduceOr };

}  // namespace ww::sim
