// Block-wide barriers: what an Op of one carries in `detail`.
#pragma once

#include <cstdint>

#include "sim/program.h"

namespace ww::sim {

// A bar or barrier instruction of the block; not bar.warp, nor barrier.cluster.
bool is_block_barrier(const Op& op);

enum class BarrierKind : uint32_t { kSync, kArrive, kReducePopc, kReduceAnd, kReduceOr };

// warp_operations.cpp: whether lanes that wait at these two shuffles, votes, ... wait for each other. An H200 brings
// lanes together from different places if operation and member mask are the same.
bool meets(const Op& a, const Op& b);

}  // namespace ww::sim
