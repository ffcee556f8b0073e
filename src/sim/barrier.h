// Block-wide barriers: what an Op of one carries in `detail`.
#pragma once

#include <cstdint>

namespace ww::sim {

// The number of the barrier behind barrier.cluster.wait.
constexpr uint32_t kClusterBarrier = 16;

enum class BarrierKind : uint32_t { kSync, kArrive, kReducePopc, kReduceAnd, kReduceOr };

}  // namespace ww::sim
